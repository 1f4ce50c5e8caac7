package io.rdma4j.uverbs.abi;

import org.jspecify.annotations.Nullable;

/** Arguments of commands, each of one type. Answers to {@code enum uverbs_attrs_*}; {@link #id} is what travels. */
public enum Attribute {
    /** The object that the command is about, or made. */
    HANDLE(0x0001, Type.U32),
    /** The program's own number of the object, which comes back in events. */
    USER_HANDLE(0x0002, Type.U64),

    // The context
    PID(0x0101, Type.U64),
    COMM(0x0102, Type.BYTES),
    COMP_VECTORS(0x0103, Type.U32),
    /** Bits of what the core can do besides; none are defined that both ends would have to know. */
    CORE_SUPPORT(0x0104, Type.U64),
    DEVICE(0x0105, Type.BYTES),
    PORT(0x0106, Type.U32),
    INDEX(0x0107, Type.U32),
    PORT_ATTRIBUTES(0x0108, Type.BYTES),
    GID_ENTRY(0x0109, Type.BYTES),
    PKEY(0x010A, Type.U32),
    COUNTERS(0x010B, Type.BYTES),

    // Memory that both processes map
    FILE(0x0201, Type.BYTES),
    OFFSET(0x0202, Type.U64),
    SIZE(0x0203, Type.U64),
    RECEIVE_OFFSET(0x0204, Type.U64),
    RECEIVE_SIZE(0x0205, Type.U64),

    // Regions and address handles
    PD(0x0301, Type.U32),
    IOVA(0x0302, Type.U64),
    ACCESS(0x0303, Type.U32),
    LKEY(0x0304, Type.U32),
    RKEY(0x0305, Type.U32),
    ADDRESS_VECTOR(0x0306, Type.BYTES),
    AH_NUMBER(0x0307, Type.U32),

    // Completion queues
    CQE(0x0401, Type.U32),
    COMP_VECTOR(0x0402, Type.U32),
    WC_FLAGS(0x0403, Type.U32),
    CQ_FLAGS(0x0404, Type.U32),
    SOLICITED_ONLY(0x0405, Type.U32),
    WAITING(0x0406, Type.U32),

    // Queue pairs
    SEND_CQ(0x0501, Type.U32),
    RECV_CQ(0x0502, Type.U32),
    QP_TYPE(0x0503, Type.U32),
    CAPABILITIES(0x0504, Type.BYTES),
    SQ_SIG_ALL(0x0505, Type.U32),
    QPN(0x0506, Type.U32),
    GID(0x0507, Type.BYTES),
    LID(0x0508, Type.U32),

    // Attributes of queue pairs, in the order of enum ibv_qp_attr_mask
    QP_MASK(0x0600, Type.U32),
    QP_STATE(0x0601, Type.U32),
    QP_CUR_STATE(0x0602, Type.U32),
    QP_SQD_ASYNC_NOTIFY(0x0603, Type.U32),
    QP_ACCESS_FLAGS(0x0604, Type.U32),
    QP_PKEY_INDEX(0x0605, Type.U32),
    QP_PORT(0x0606, Type.U32),
    QP_QKEY(0x0607, Type.U32),
    QP_AV(0x0608, Type.BYTES),
    QP_PATH_MTU(0x0609, Type.U32),
    QP_TIMEOUT(0x060A, Type.U32),
    QP_RETRY_CNT(0x060B, Type.U32),
    QP_RNR_RETRY(0x060C, Type.U32),
    QP_RQ_PSN(0x060D, Type.U32),
    QP_MAX_RD_ATOMIC(0x060E, Type.U32),
    QP_ALT_PATH(0x060F, Type.BYTES),
    QP_MIN_RNR_TIMER(0x0610, Type.U32),
    QP_SQ_PSN(0x0611, Type.U32),
    QP_MAX_DEST_RD_ATOMIC(0x0612, Type.U32),
    QP_PATH_MIG_STATE(0x0613, Type.U32),
    QP_CAP(0x0614, Type.BYTES),
    QP_DEST_QPN(0x0615, Type.U32),
    QP_RATE_LIMIT(0x0616, Type.U32),
    QP_SQ_DRAINING(0x0617, Type.U32),

    // Events and refusals
    EVENT_TYPE(0x0701, Type.U32),
    /** Why a command was refused, for people. */
    REASON(0x0702, Type.BYTES);

    /** What a value is. */
    enum Type {
        /** 32 bits. */
        U32,
        /** 64 bits. */
        U64,
        /** As many bytes as there are: text in UTF-8, or a structure. */
        BYTES
    }

    private final int id;
    private final Type type;

    Attribute(int id, Type type) {
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

    static @Nullable Attribute ofId(int id) {
        for (Attribute attribute : values()) {
            if (attribute.id == id) {
                return attribute;
            }
        }
        return null;
    }
}
