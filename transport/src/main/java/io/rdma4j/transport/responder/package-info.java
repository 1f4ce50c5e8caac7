// SPDX-License-Identifier: Apache-2.0
/**
 * The receive side of a queue pair (IBA 9.7.4, 9.7.5): the {@link io.rdma4j.transport.responder.Responder} executes the
 * peer's requests, and the {@link io.rdma4j.transport.responder.ResponseQueue} sends the responses. Does not use the
 * requester.
 */
@NullMarked
package io.rdma4j.transport.responder;

import org.jspecify.annotations.NullMarked;
