package io.rdma4j.net;

/**
 * What the core knows of a device and no tool shows ({@code priv_flags}): what its driver is by nature, and what part it plays
 * in another device. The last three are ours alone.
 */
public enum PrivateFlag {
    /** It is a VLAN device ({@code IFF_802_1Q_VLAN}). */
    VLAN_802_1Q,
    /** It is a bridge ({@code IFF_EBRIDGE}). */
    EBRIDGE,
    /** It is a port of a bridge ({@code IFF_BRIDGE_PORT}). */
    BRIDGE_PORT,
    /** It is a bond, or a slave of one ({@code IFF_BONDING}). */
    BONDING,
    /** It is a port of a team ({@code IFF_TEAM_PORT}). */
    TEAM_PORT,
    /** A macvlan device stands on it ({@code IFF_MACVLAN_PORT}). */
    MACVLAN_PORT,
    /** Its link can be told which single stations it is to receive for ({@code IFF_UNICAST_FLT}). */
    UNICAST_FLT,
    /** It can send frames that bring their own check sequence ({@code IFF_SUPP_NOFCS}). */
    SUPP_NOFCS,
    /** The link address may change while the device is up ({@code IFF_LIVE_ADDR_CHANGE}). */
    LIVE_ADDR_CHANGE,
    /**
     * Takes a buffer whose {@link io.rdma4j.packet.PacketOffload} is still to be done, because none of it leaves the JVM, or
     * because the driver itself sees to it. Every other driver gets finished packets, whatever its features: no adapter makes an
     * ICRC.
     */
    CARRIES_OFFLOADS,
    /**
     * The IPv4 identification that a packet had on the wire is not in the header it is received with; there it is 0. Who
     * checks a CRC over it must find it out.
     */
    HIDDEN_IDENTIFICATION,
    /** Carries UDP in IP and nothing else. */
    UDP_ONLY
}
