// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.device;

import java.util.Locale;

/**
 * Limits of a device: the {@code max_*} members of {@code struct ibv_device_attr}.
 *
 * <p>The limits are an enum instead of separate accessors, so that tools can list them and generic code can enforce
 * them.
 */
public enum DeviceLimit {
    /** Bytes of the largest memory region. */
    MAX_MR_SIZE,
    /** Queue pairs. */
    MAX_QP,
    /** Work requests outstanding on one queue of a queue pair. */
    MAX_QP_WR,
    /** Scatter/gather elements of a work request. */
    MAX_SGE,
    /** Scatter/gather elements of an RDMA READ. */
    MAX_SGE_RD,
    /** Completion queues. */
    MAX_CQ,
    /** Entries of a completion queue. */
    MAX_CQE,
    /** Memory regions. */
    MAX_MR,
    /** Protection domains. */
    MAX_PD,
    /** RDMA READs and atomics of the peer that a queue pair can process at a time as responder. */
    MAX_QP_RD_ATOM,
    /**
     * RDMA READs and atomics per end-to-end context as responder (reliable datagram). 0 with all current devices, like
     * the other {@code EE} and {@code RDD} limits.
     */
    MAX_EE_RD_ATOM,
    /** RDMA READs and atomics that the device can process at a time as responder, over all queue pairs. */
    MAX_RES_RD_ATOM,
    /** RDMA READs and atomics that a queue pair can have outstanding as requester. */
    MAX_QP_INIT_RD_ATOM,
    /** RDMA READs and atomics that an end-to-end context can have outstanding as requester (reliable datagram). */
    MAX_EE_INIT_RD_ATOM,
    /** End-to-end contexts (reliable datagram). */
    MAX_EE,
    /** Reliable datagram domains. */
    MAX_RDD,
    /** Memory windows. */
    MAX_MW,
    /** Raw IPv6 datagram queue pairs. */
    MAX_RAW_IPV6_QP,
    /** Raw EtherType datagram queue pairs. */
    MAX_RAW_ETHY_QP,
    /** Multicast groups. */
    MAX_MCAST_GRP,
    /** Queue pairs of one multicast group. */
    MAX_MCAST_QP_ATTACH,
    /** Attachments of queue pairs to multicast groups, over all groups. */
    MAX_TOTAL_MCAST_QP_ATTACH,
    /** Address handles. */
    MAX_AH,
    /** Fast memory regions. */
    MAX_FMR,
    /** Maps of a fast memory region before it must be unmapped. */
    MAX_MAP_PER_FMR,
    /** Shared receive queues. */
    MAX_SRQ,
    /** Receive requests of a shared receive queue. */
    MAX_SRQ_WR,
    /** Scatter/gather elements of a shared receive queue's requests. */
    MAX_SRQ_SGE,
    /** Bytes of device memory for {@link io.rdma4j.verbs.Context#allocateDeviceMemory}. */
    MAX_DM_SIZE,
    /** Pages in the page list of one fast registration. */
    MAX_FAST_REG_PAGE_LIST_LEN,
    /** Entries of a port's P_Key table. */
    MAX_PKEYS,
    /** Payload bytes of a TSO send request, without its header; a member of {@code struct ibv_tso_caps}. */
    MAX_TSO,
    /** Receive queues for indirection tables; a member of {@code struct ibv_device_attr_ex}. */
    MAX_WQ_TYPE_RQ,
    /** Indirection tables of receive queues; a member of {@code struct ibv_rss_caps}, like the next limit. */
    MAX_RWQ_INDIRECTION_TABLES,
    /** Entries of an indirection table. */
    MAX_RWQ_INDIRECTION_TABLE_SIZE;

    private final String label = name().toLowerCase(Locale.ROOT);

    /** {@return the name of the C member, as {@code ibv_devinfo} prints it: {@code max_qp_wr}} */
    public String label() {
        return label;
    }
}
