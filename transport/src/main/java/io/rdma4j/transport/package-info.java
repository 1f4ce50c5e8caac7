/**
 * The IBA transport engine: queue pairs that turn work requests into packets and packets into completions.
 *
 * <p>One {@link io.rdma4j.transport.QpEngine} a queue pair, cut as the specification cuts it: the
 * {@link io.rdma4j.transport.Requester} makes request packets from the send queue, the
 * {@link io.rdma4j.transport.Responder} serves the peer's requests, the {@link io.rdma4j.transport.Completer} reads the
 * answers and completes work requests, {@link io.rdma4j.transport.RetryTimers} holds the deadlines. Who calls: a device's
 * port loop, one thread at a time. What it must not know: threads, clocks, sockets, IP. Time comes in as a parameter,
 * packets leave through {@link io.rdma4j.transport.QpPort}.
 */
@NullMarked
package io.rdma4j.transport;

import org.jspecify.annotations.NullMarked;
