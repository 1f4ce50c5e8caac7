package io.rdma4j.packet;

/** What connection tracking knows of a packet's flow ({@code skb->nfctinfo}). */
public enum FlowState {
    /** Nobody tracks. */
    UNTRACKED,
    /** The packet began the flow ({@code IP_CT_NEW}). */
    NEW,
    /** Packets have gone both ways ({@code IP_CT_ESTABLISHED}). */
    ESTABLISHED,
    /** A flow of its own that belongs to another, as an ICMP error does ({@code IP_CT_RELATED}). */
    RELATED
}
