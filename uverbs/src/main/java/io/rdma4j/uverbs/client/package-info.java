/**
 * The near end of a device that another process serves: a {@link io.rdma4j.verbs.spi.Driver} and what it makes. Commands go over a socket;
 * work requests and completions lie in memory that both processes map, where the rings of {@code verbs.queue} are.
 */
@NullMarked
package io.rdma4j.uverbs.client;

import org.jspecify.annotations.NullMarked;
