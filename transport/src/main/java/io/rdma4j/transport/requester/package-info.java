// SPDX-License-Identifier: Apache-2.0
/**
 * The send side of a queue pair (IBA 9.7.2 to 9.7.6): the {@link io.rdma4j.transport.requester.Requester} sends
 * requests, the {@link io.rdma4j.transport.requester.Completer} processes responses and completes work requests, and
 * the {@link io.rdma4j.transport.requester.SendWindow} holds the requests in flight. Does not use the responder.
 */
@NullMarked
package io.rdma4j.transport.requester;

import org.jspecify.annotations.NullMarked;
