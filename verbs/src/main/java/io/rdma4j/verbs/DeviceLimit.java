package io.rdma4j.verbs;

import java.util.Locale;

/**
 * The limits among a device's attributes: the {@code max_*} members of {@code struct ibv_device_attr}.
 *
 * <p>They are an enum rather than forty accessors, so that tools print them and the core enforces them by table.
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
    /** RDMA READs and atomics that a queue pair takes as target. */
    MAX_QP_RD_ATOM,
    /** Reliable datagram; 0 with every device of today, like the other {@code EE} and {@code RDD} limits. */
    MAX_EE_RD_ATOM,
    /** RDMA READs and atomics that the device takes as target in all. */
    MAX_RES_RD_ATOM,
    /** RDMA READs and atomics that a queue pair may have outstanding as initiator. */
    MAX_QP_INIT_RD_ATOM,
    /** RDMA READs and atomics that an end-to-end context may have outstanding as initiator; reliable datagram. */
    MAX_EE_INIT_RD_ATOM,
    /** End-to-end contexts, which reliable datagrams need. */
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
    /** Attachments to multicast groups in all. */
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
    /** Bytes of memory that the device has itself, for {@link Context#allocateDeviceMemory}. */
    MAX_DM_SIZE,
    /** Pages that one fast registration lists. */
    MAX_FAST_REG_PAGE_LIST_LEN,
    /** Entries of a port's P_Key table. */
    MAX_PKEYS,
    /** Bytes of a large send behind its header; a member of {@code struct ibv_tso_caps}. */
    MAX_TSO,
    /** Receive queues for indirection tables; a member of {@code struct ibv_device_attr_ex}. */
    MAX_WQ_TYPE_RQ,
    /** Indirection tables of receive queues; a member of {@code struct ibv_rss_caps}, like the next. */
    MAX_RWQ_INDIRECTION_TABLES,
    /** Entries of an indirection table. */
    MAX_RWQ_INDIRECTION_TABLE_SIZE;

    private final String label = name().toLowerCase(Locale.ROOT);

    /** {@return the member's name in C, as {@code ibv_devinfo} prints it: {@code max_qp_wr}} */
    public String label() {
        return label;
    }
}
