// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.device;

/**
 * Properties of a device that tools do not display ({@code priv_flags}): fixed properties of its driver, and its role
 * for other devices. The last three have no counterpart in the kernel.
 */
public enum PrivateFlag {
    /** It is a VLAN device ({@code IFF_802_1Q_VLAN}). */
    VLAN_802_1Q,
    /** It is a bridge ({@code IFF_EBRIDGE}). */
    EBRIDGE,
    /** It is a port of a bridge ({@code IFF_BRIDGE_PORT}). */
    BRIDGE_PORT,
    /** It is a bond, or a port of one ({@code IFF_BONDING}). */
    BONDING,
    /** It is a port of a team ({@code IFF_TEAM_PORT}). */
    TEAM_PORT,
    /** It is the lower device of a macvlan device ({@code IFF_MACVLAN_PORT}). */
    MACVLAN_PORT,
    /** Its link supports a filter of unicast addresses ({@code IFF_UNICAST_FLT}). */
    UNICAST_FLT,
    /** It can send frames that already contain a frame check sequence ({@code IFF_SUPP_NOFCS}). */
    SUPP_NOFCS,
    /** The link address may change while the device is up ({@code IFF_LIVE_ADDR_CHANGE}). */
    LIVE_ADDR_CHANGE,
    /**
     * The driver accepts a buffer with a pending {@link io.rdma4j.packet.PacketOffload}, because the packet stays in
     * the JVM, or because the driver does the offload itself. Other drivers get complete packets, whatever their
     * features, because no adapter computes an ICRC.
     */
    CARRIES_OFFLOADS,
    /**
     * The header of a received packet has the IPv4 identification 0 instead of the value on the wire. A receiver that
     * checks a CRC over the header must reconstruct the value.
     */
    HIDDEN_IDENTIFICATION,
    /** The device carries UDP over IP only. */
    UDP_ONLY
}
