// SPDX-License-Identifier: Apache-2.0
/**
 * The stations on a link: {@link io.rdma4j.ip.neighbour.NeighbourTable} finds the link address of an IP address, by
 * ARP and neighbour discovery.
 */
@NullMarked
package io.rdma4j.ip.neighbour;

import org.jspecify.annotations.NullMarked;
