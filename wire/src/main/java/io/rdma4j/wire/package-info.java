@NullMarked
package io.rdma4j.wire;

import org.jspecify.annotations.NullMarked;
