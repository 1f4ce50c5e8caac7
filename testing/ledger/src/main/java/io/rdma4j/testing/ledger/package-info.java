@NullMarked
package io.rdma4j.testing.ledger;

import org.jspecify.annotations.NullMarked;
