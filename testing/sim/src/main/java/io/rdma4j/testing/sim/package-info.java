@NullMarked
package io.rdma4j.testing.sim;

import org.jspecify.annotations.NullMarked;
