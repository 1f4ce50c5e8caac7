// SPDX-License-Identifier: Apache-2.0
/**
 * The settings of a subnet manager: times, keys, routing, partitions, virtual lanes. The manager runs at a port of an
 * InfiniBand device, and has a package for each of its parts: {@code topology} (nodes and ports that were found),
 * {@code routing} (forwarding tables and multicast trees), {@code sweep} (discovery, election, and what is written to
 * the nodes), {@code admin} (the subnet administrator). None has threads, clocks or sockets.
 */
@NullMarked
package io.rdma4j.sm;

import org.jspecify.annotations.NullMarked;
