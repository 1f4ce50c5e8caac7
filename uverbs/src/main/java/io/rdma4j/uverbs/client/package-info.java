// SPDX-License-Identifier: Apache-2.0
/**
 * The client side of a device that another process serves: a {@link io.rdma4j.verbs.spi.Driver} and its objects.
 * Commands use a socket. Work requests and completions are in the rings of {@code verbs.spi.ring}, in memory that both
 * processes map.
 */
@NullMarked
package io.rdma4j.uverbs.client;

import org.jspecify.annotations.NullMarked;
