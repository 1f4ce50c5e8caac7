/**
 * The IP layer of a host, or of one of its namespaces: an {@link io.rdma4j.net.ip.IpStack} over a list of devices, or over those of a
 * namespace as they come and go ({@link io.rdma4j.net.ip.NamespaceIp}).
 *
 * <pre>
 *   device ▶ IpInput ▶ Reassembly ▶ ProtocolTable ▶ UdpInput ▶ UdpEncapHandler │ UdpEndpoint
 *               │                          │
 *               ▼                          └ ▶ IcmpInput ▶ PingEndpoint │ IcmpSender
 *           IpForward ▶ IpOutput ▶ IpFragmenter ▶ Destination ▶ NeighbourTable ▶ device
 * </pre>
 *
 * {@link io.rdma4j.net.ip.RouteTable} says where packets go, {@link io.rdma4j.net.ip.RouteCache} remembers it by destination, together
 * with the MTU of the path. {@link io.rdma4j.net.ip.IpInterface} is IP on one device: who answers to an address (ARP, IPv6 neighbour
 * discovery, {@link io.rdma4j.net.ip.NeighbourTable}), and which groups it is in (IGMP, MLD).
 *
 * <p>No threads and no clock: all belongs to the owner of the loop of the devices, who says what time it is and calls
 * {@code onTimeout} when a deadline has come. Nothing is allocated for a packet but by the first one to a destination. RoCE's device
 * and tests call this package.
 */
@NullMarked
package io.rdma4j.net.ip;

import org.jspecify.annotations.NullMarked;
