/**
 * Serves a device of this process to others: what {@code ib_uverbs} is to programs. {@link io.rdma4j.uverbs.server.UverbsServer} listens, a
 * session works for one context, with the public verbs, so that everything is checked here once more.
 */
@NullMarked
package io.rdma4j.uverbs.server;

import org.jspecify.annotations.NullMarked;
