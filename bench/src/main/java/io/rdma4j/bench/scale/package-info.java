/** {@code ./rdma4j bench --scale}: what many queue pairs cost in one process: memory, time to connect, throughput. */
@NullMarked
package io.rdma4j.bench.scale;

import org.jspecify.annotations.NullMarked;
