// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.abi;

import org.jspecify.annotations.Nullable;

/** One argument of commands, of a fixed type. Corresponds to {@code enum uverbs_attrs_*}; frames carry {@link #id}. */
public enum CommandAttribute {
    /** Handle of the object that the command uses or creates. */
    HANDLE(0x0001, Type.U32),
    /** The client's number of the object; the server puts it into events. */
    USER_HANDLE(0x0002, Type.U64),

    // The context
    /** Process id of the client that opens the device. */
    PID(0x0101, Type.U64),
    /** Name of the client process (its {@code comm}), UTF-8. */
    COMM(0x0102, Type.BYTES),
    /** {@code num_comp_vectors}. */
    COMP_VECTORS(0x0103, Type.U32),
    /** Bit mask of optional features of the core: {@link #OPTIONAL_MR_ACCESS}. */
    CORE_SUPPORT(0x0104, Type.U64),
    /** Answer to {@link CommandType#QUERY_DEVICE}: {@link io.rdma4j.verbs.device.DeviceAttributes}. */
    DEVICE(0x0105, Type.BYTES),
    /** {@code port_num}, from 1; 0 in events of the device. */
    PORT(0x0106, Type.U32),
    /** Index into a table, from 0. */
    INDEX(0x0107, Type.U32),
    /** Answer to {@link CommandType#QUERY_PORT}: {@link io.rdma4j.verbs.device.PortAttributes}. */
    PORT_ATTRIBUTES(0x0108, Type.BYTES),
    /** {@link io.rdma4j.verbs.device.GidEntry}; absent if the slot is empty. */
    GID_ENTRY(0x0109, Type.BYTES),
    /** 16 bits. */
    PKEY(0x010A, Type.U32),
    /** Counters by name: {@link RecordCodec#encode(java.util.Map)}. */
    COUNTERS(0x010B, Type.BYTES),
    /** Network interfaces: {@link InterfaceCodec}. */
    INTERFACES(0x010C, Type.BYTES),

    /** Live objects of the device: {@link ResourceCodec}. */
    RESOURCES(0x0180, Type.BYTES),

    // Memory that both processes map
    /** Path of the file that both processes map, UTF-8. */
    FILE(0x0201, Type.BYTES),
    /** Offset of the memory in the file, bytes; for a queue pair, of the send queue. */
    OFFSET(0x0202, Type.U64),
    /** Size of the memory, bytes. */
    SIZE(0x0203, Type.U64),
    /** Offset of the receive queue in the file, bytes. */
    RECEIVE_OFFSET(0x0204, Type.U64),
    /** Size of the receive queue, bytes. */
    RECEIVE_SIZE(0x0205, Type.U64),
    /** Directory in which the client may create its own files, UTF-8. */
    FOLDER(0x0206, Type.BYTES),
    /** List of {@link MemoryPiece}. */
    PIECES(0x0207, Type.BYTES),

    // Regions and address handles
    /** Handle of the protection domain. */
    PD(0x0301, Type.U32),
    /** {@code hca_va}: address of the region's first byte in work requests. */
    IOVA(0x0302, Type.U64),
    /** {@code access_flags}. */
    ACCESS(0x0303, Type.U32),
    /** {@code lkey}. */
    LKEY(0x0304, Type.U32),
    /** {@code rkey}. */
    RKEY(0x0305, Type.U32),
    /** {@link io.rdma4j.verbs.values.AddressVector}. */
    ADDRESS_VECTOR(0x0306, Type.BYTES),
    /** Number of the address handle in work requests. */
    AH_NUMBER(0x0307, Type.U32),
    /** Number of a memory window or fast region in work requests. */
    NUMBER(0x0308, Type.U32),
    /** {@code mw_type}: 1 or 2. */
    MW_TYPE(0x0309, Type.U32),
    /** {@code max_num_sg}: maximum number of pages of a fast region. */
    MAX_PAGES(0x030A, Type.U32),
    /** {@link io.rdma4j.verbs.values.FmrAttributes}. */
    FMR_ATTRIBUTES(0x030B, Type.BYTES),
    /** Handle of device memory. */
    DM(0x030C, Type.U32),
    /** {@code log_align_req}. */
    LOG_ALIGNMENT(0x030D, Type.U32),
    /** Content of device memory, bytes. */
    DATA(0x030E, Type.BYTES),
    /** Number of {@link io.rdma4j.verbs.values.DmaDirection}, as in {@code enum dma_data_direction}. */
    DMA_DIRECTION(0x030F, Type.U32),
    /** Bits of {@link io.rdma4j.verbs.values.DmaAttribute}: 1 shifted by the position in the list. */
    DMA_ATTRIBUTES(0x0310, Type.U32),
    /** Address of mapped memory for the device. */
    DMA_ADDRESS(0x0311, Type.U64),
    /** 1 to synchronize mapped memory for the device, 0 for the CPU. */
    TO_DEVICE(0x0312, Type.U32),

    // Completion queues
    /** {@code cqe}: the requested capacity; in the answer, the actual one. */
    CQE(0x0401, Type.U32),
    /** {@code comp_vector}. */
    COMP_VECTOR(0x0402, Type.U32),
    /** {@code wc_flags}: bits of {@link io.rdma4j.verbs.wr.CompletionField}. */
    WC_FLAGS(0x0403, Type.U32),
    /** {@code flags}: bits of {@link io.rdma4j.verbs.values.CqCreateFlag}. */
    CQ_FLAGS(0x0404, Type.U32),
    /**
     * {@code comp_mask} of {@code ib_req_ncomp_notif}: number of completions before the event; 0 for an event at the
     * next one.
     */
    COMPLETIONS(0x0407, Type.U32),
    /** {@code cq_count} of moderation. */
    CQ_COUNT(0x0408, Type.U32),
    /** {@code cq_period} of moderation, microseconds. */
    CQ_PERIOD(0x0409, Type.U32),

    // Queue pairs
    /** {@code send_cq_handle}. */
    SEND_CQ(0x0501, Type.U32),
    /** {@code recv_cq_handle}. */
    RECV_CQ(0x0502, Type.U32),
    /** {@code qp_type}. */
    QP_TYPE(0x0503, Type.U32),
    /** {@link io.rdma4j.verbs.values.QpCapabilities}: the requested values; in the answer, the actual ones. */
    CAPABILITIES(0x0504, Type.BYTES),
    /** {@code sq_sig_all}: 1 or 0. */
    SQ_SIG_ALL(0x0505, Type.U32),
    /** {@code qpn}: 24 bits. */
    QPN(0x0506, Type.U32),
    /** GID of the multicast group, 16 bytes. */
    GID(0x0507, Type.BYTES),
    /** {@code mlid}. */
    LID(0x0508, Type.U32),
    /** {@code srq_handle}; 0 for none. */
    SRQ(0x0509, Type.U32),
    /** {@code xrcd_handle}; 0 for none. */
    XRCD(0x050A, Type.U32),
    /** {@code create_flags}: bits of {@link io.rdma4j.verbs.values.QpCreateFlag}. */
    QP_FLAGS(0x050B, Type.U32),
    /** {@code create_flags}: bits of {@link io.rdma4j.verbs.values.QpCreateFlag}. */
    SEND_OPERATIONS(0x050C, Type.U64),
    /** EtherType of a raw packet queue pair. */
    ETHER_TYPE(0x050D, Type.U32),
    /** {@link io.rdma4j.verbs.values.SrqAttributes}: the requested values; in the answer, the actual ones. */
    SRQ_ATTRIBUTES(0x050E, Type.BYTES),
    /** {@code attr_mask} of a shared receive queue: 1 for the size, 2 for the limit. */
    SRQ_MASK(0x050F, Type.U32),
    /** {@code srqn}: 24 bits. */
    SRQ_NUMBER(0x0510, Type.U32),
    /** {@code oflags} of an XRC domain: 1 to create it if it does not exist, 2 to fail if it exists. */
    OPEN_FLAGS(0x0511, Type.U32),
    /** Index of the queue pair's doorbell on the {@link DoorbellPage}. */
    DOORBELL(0x0512, Type.U32),

    // Attributes of queue pairs, in the order of enum ibv_qp_attr_mask
    /** {@code attr_mask}: bits of {@link io.rdma4j.verbs.values.QpAttribute}. */
    QP_MASK(0x0600, Type.U32),
    /** {@code qp_state}. */
    QP_STATE(0x0601, Type.U32),
    /** {@code cur_qp_state}. */
    QP_CUR_STATE(0x0602, Type.U32),
    /** {@code en_sqd_async_notify}: 1 or 0. */
    QP_SQD_ASYNC_NOTIFY(0x0603, Type.U32),
    /** {@code qp_access_flags}. */
    QP_ACCESS_FLAGS(0x0604, Type.U32),
    /** {@code pkey_index}. */
    QP_PKEY_INDEX(0x0605, Type.U32),
    /** {@code port_num}. */
    QP_PORT(0x0606, Type.U32),
    /** {@code qkey}. */
    QP_QKEY(0x0607, Type.U32),
    /** {@code ah_attr}: {@link io.rdma4j.verbs.values.AddressVector}. */
    QP_AV(0x0608, Type.BYTES),
    /** {@code path_mtu}: code of {@link io.rdma4j.base.Mtu}. */
    QP_PATH_MTU(0x0609, Type.U32),
    /** {@code timeout}. */
    QP_TIMEOUT(0x060A, Type.U32),
    /** {@code retry_cnt}. */
    QP_RETRY_CNT(0x060B, Type.U32),
    /** {@code rnr_retry}. */
    QP_RNR_RETRY(0x060C, Type.U32),
    /** {@code rq_psn}. */
    QP_RQ_PSN(0x060D, Type.U32),
    /** {@code max_rd_atomic}. */
    QP_MAX_RD_ATOMIC(0x060E, Type.U32),
    /** {@code alt_ah_attr} and its companions: {@link io.rdma4j.verbs.values.AlternatePath}. */
    QP_ALT_PATH(0x060F, Type.BYTES),
    /** {@code min_rnr_timer}. */
    QP_MIN_RNR_TIMER(0x0610, Type.U32),
    /** {@code sq_psn}. */
    QP_SQ_PSN(0x0611, Type.U32),
    /** {@code max_dest_rd_atomic}. */
    QP_MAX_DEST_RD_ATOMIC(0x0612, Type.U32),
    /** {@code path_mig_state}. */
    QP_PATH_MIG_STATE(0x0613, Type.U32),
    /** {@code cap}: {@link io.rdma4j.verbs.values.QpCapabilities}. */
    QP_CAP(0x0614, Type.BYTES),
    /** {@code dest_qp_num}. */
    QP_DEST_QPN(0x0615, Type.U32),
    /** {@code rate_limit}: kbit/s. */
    QP_RATE_LIMIT(0x0616, Type.U32),
    /** {@code sq_draining}: 1 or 0; only in answers. */
    QP_SQ_DRAINING(0x0617, Type.U32),

    // Events and errors
    /** Number of {@link io.rdma4j.verbs.values.EventType}. */
    EVENT_TYPE(0x0701, Type.U32),
    /** Error message of a failed command, UTF-8. */
    REASON(0x0702, Type.BYTES),

    // Management datagrams
    /** {@code mgmt_class}; 0 for an agent that only sends. */
    MGMT_CLASS(0x0801, Type.U32),
    /** {@code mgmt_class_version}. */
    CLASS_VERSION(0x0802, Type.U32),
    /** {@code oui}. */
    OUI(0x0803, Type.U32),
    /** {@code method_mask}: one byte for each method. */
    METHODS(0x0804, Type.BYTES),
    /** {@code rmpp_version}. */
    RMPP_VERSION(0x0805, Type.U32),
    /** Fields of a record that count. */
    COMPONENT_MASK(0x0806, Type.U64),
    /** Total time of a query, milliseconds. */
    TIMEOUT_MS(0x0807, Type.U32),
    /** Attribute ID of a record of the subnet administrator. */
    SA_ATTRIBUTE(0x0808, Type.U32),
    /** The errno of a result; 0 for success. */
    RESULT_ERRNO(0x0809, Type.U32),

    // Communication managers
    /** The lowest communication ID of a manager. */
    CM_FIRST_ID(0x0901, Type.U32),
    /** Number of lower bits in which the communication IDs of a manager differ. */
    CM_ID_BITS(0x0902, Type.U32),
    /** {@code service_id}. */
    SERVICE_ID(0x0903, Type.U64),
    /** {@code service_mask}. */
    SERVICE_MASK(0x0904, Type.U64),
    /** {@code RDMA_OPTION_ID_REUSEADDR}: 1 or 0. */
    REUSE_ADDRESS(0x0905, Type.U32);

    /** Type of a value. */
    enum Type {
        /** 32 bits. */
        U32,
        /** 64 bits. */
        U64,
        /** Bytes of any number: UTF-8 text or an encoded structure. */
        BYTES
    }

    /** {@code IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS}: the device takes optional rights of memory regions. */
    public static final long OPTIONAL_MR_ACCESS = 1;

    private final int id;
    private final Type type;

    CommandAttribute(int id, Type type) {
        this.id = id;
        this.type = type;
    }

    /** 16 bits. */
    int id() {
        return id;
    }

    Type type() {
        return type;
    }

    static @Nullable CommandAttribute ofId(int id) {
        for (CommandAttribute attribute : values()) {
            if (attribute.id == id) {
                return attribute;
            }
        }
        return null;
    }
}
