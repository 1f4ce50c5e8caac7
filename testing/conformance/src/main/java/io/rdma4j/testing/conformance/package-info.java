@NullMarked
package io.rdma4j.testing.conformance;

import org.jspecify.annotations.NullMarked;
