// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

/** State of a packet's flow in connection tracking ({@code skb->nfctinfo}). */
public enum FlowState {
    /** The packet is not tracked. */
    UNTRACKED,
    /** First packet of the flow ({@code IP_CT_NEW}). */
    NEW,
    /** The flow has packets in both directions ({@code IP_CT_ESTABLISHED}). */
    ESTABLISHED,
    /** A separate flow that belongs to another one, such as an ICMP error ({@code IP_CT_RELATED}). */
    RELATED
}
