// SPDX-License-Identifier: Apache-2.0
/**
 * The IP layer of a host, or of one of its namespaces. An {@link io.rdma4j.ip.IpStack} runs over a list of devices;
 * {@link io.rdma4j.ip.NamespaceIp} adds and removes those of a namespace.
 *
 * <pre>
 *   device ▶ IpInput ▶ Reassembly ▶ ProtocolTable ▶ UdpInput ▶ UdpEncapHandler │ UdpEndpoint
 *               │                          │
 *               ▼                          └ ▶ IcmpInput ▶ PingEndpoint │ IcmpSender
 *           IpForward ▶ IpOutput ▶ IpFragmenter ▶ Destination ▶ NeighbourTable ▶ device
 * </pre>
 *
 * {@link io.rdma4j.ip.route.RouteTable} holds the routes, {@link io.rdma4j.ip.RouteCache} the results of lookups with
 * path MTUs. {@link io.rdma4j.ip.IpInterface} is IP on one device: address resolution (ARP, IPv6 neighbour
 * discovery, {@link io.rdma4j.ip.neighbour.NeighbourTable}) and group memberships (IGMP, MLD).
 *
 * <p>The package has no threads and no clock. All state belongs to the owner of the devices' loop, which passes the
 * time and calls {@code onTimeout} at each deadline. Only the first packet to a destination allocates. The RoCE device
 * and tests call this package.
 */
@NullMarked
package io.rdma4j.ip;

import org.jspecify.annotations.NullMarked;
