package io.rdma4j.net.skb;

/** Where on its way a packet is shown to the filters of {@link PacketHooks} ({@code enum nf_inet_hooks}). */
public enum HookPoint {
    /** A device received it, behind its link header ({@code NF_NETDEV_INGRESS}). */
    INGRESS,
    /** An IP packet arrived, before it is routed ({@code NF_INET_PRE_ROUTING}). */
    PREROUTING,
    /** It is for this host ({@code NF_INET_LOCAL_IN}). */
    INPUT,
    /** It is for another one ({@code NF_INET_FORWARD}). */
    FORWARD,
    /** This host made it ({@code NF_INET_LOCAL_OUT}). */
    OUTPUT,
    /** It is about to leave, its device and its next hop are known ({@code NF_INET_POST_ROUTING}). */
    POSTROUTING,
    /** A device is to send it, link header and all ({@code NF_NETDEV_EGRESS}). */
    EGRESS
}
