// SPDX-License-Identifier: Apache-2.0
/**
 * The IBA transport engine: queue pairs that turn work requests into packets and packets into completions.
 *
 * <p>Each queue pair has one {@link io.rdma4j.transport.QpEngine}, divided as in the specification: the {@link
 * io.rdma4j.transport.requester.Requester} makes request packets from the send queue, the {@link
 * io.rdma4j.transport.responder.Responder} executes the peer's requests, and the {@link
 * io.rdma4j.transport.requester.Completer} processes the responses and completes work requests. The port loop of a
 * device calls the engine, one thread at a time, and passes the time. The engine does not depend on threads, clocks,
 * sockets or IP: packets leave through {@link io.rdma4j.transport.port.QpPort}.
 */
@NullMarked
package io.rdma4j.transport;

import org.jspecify.annotations.NullMarked;
