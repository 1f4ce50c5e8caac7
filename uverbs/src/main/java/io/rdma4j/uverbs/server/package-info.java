// SPDX-License-Identifier: Apache-2.0
/**
 * Serves a device of this process to other processes. Corresponds to {@code ib_uverbs}. {@link
 * io.rdma4j.uverbs.server.UverbsServer} accepts connections; each session executes the commands of one context by the
 * public verbs, which check all arguments again.
 */
@NullMarked
package io.rdma4j.uverbs.server;

import org.jspecify.annotations.NullMarked;
