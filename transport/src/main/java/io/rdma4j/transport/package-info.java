@NullMarked
package io.rdma4j.transport;

import org.jspecify.annotations.NullMarked;
