// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

/** The protocol that segments a train ({@code gso_type}). */
public enum GsoType {
    /** No train, or a train that its {@link PacketOffload} segments. */
    NONE,
    /** TCP over IPv4 ({@code SKB_GSO_TCPV4}). */
    TCPV4,
    /** TCP over IPv6 ({@code SKB_GSO_TCPV6}). */
    TCPV6,
    /** UDP datagrams of one size ({@code SKB_GSO_UDP_L4}). */
    UDP_L4
}
