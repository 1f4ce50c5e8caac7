/**
 * What tools share that are two programs which talk to each other: the choice of a device, the TCP connection beside the RDMA
 * one, the verbs in the words of the original programs, and the watch over a peer that falls silent.
 *
 * <p>Called by the ping-pongs and the performance tests; knows nothing of what they exchange.
 */
@NullMarked
package io.rdma4j.tools.peer;

import org.jspecify.annotations.NullMarked;
