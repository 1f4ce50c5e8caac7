/**
 * {@code ./rdma4j bench --peers}: the same work by rdma4j, by a program of the machine's limits, and by what else people use, one
 * after the other and again from the beginning, so that all of a round have the same machine.
 */
@NullMarked
package io.rdma4j.bench.peers;

import org.jspecify.annotations.NullMarked;
