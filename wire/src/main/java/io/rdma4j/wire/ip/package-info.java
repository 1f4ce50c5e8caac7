// SPDX-License-Identifier: Apache-2.0
/**
 * Headers of links and of the Internet protocols: Ethernet, VLAN, VXLAN, ARP, IP, ICMP, IGMP, MLD, UDP, TCP.
 *
 * <p>The accessors follow the rules of {@link io.rdma4j.wire}.
 */
@NullMarked
package io.rdma4j.wire.ip;

import org.jspecify.annotations.NullMarked;
