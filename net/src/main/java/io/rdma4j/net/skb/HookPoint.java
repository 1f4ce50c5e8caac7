// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.skb;

/** A point on a packet's path at which the filters of {@link PacketHooks} are called ({@code enum nf_inet_hooks}). */
public enum HookPoint {
    /** A device received the packet; it begins after its link header ({@code NF_NETDEV_INGRESS}). */
    INGRESS,
    /** An IP packet arrived and is not routed yet ({@code NF_INET_PRE_ROUTING}). */
    PREROUTING,
    /** The packet is for this host ({@code NF_INET_LOCAL_IN}). */
    INPUT,
    /** The packet is for another host ({@code NF_INET_FORWARD}). */
    FORWARD,
    /** This host created the packet ({@code NF_INET_LOCAL_OUT}). */
    OUTPUT,
    /** The packet is about to leave; its device and next hop are known ({@code NF_INET_POST_ROUTING}). */
    POSTROUTING,
    /** A device is about to send the packet, which begins with its link header ({@code NF_NETDEV_EGRESS}). */
    EGRESS
}
