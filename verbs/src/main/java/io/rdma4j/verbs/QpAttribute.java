package io.rdma4j.verbs;

import java.util.Set;

/** Names of the attributes that a modify sets. Answers to {@code enum ibv_qp_attr_mask}. */
public enum QpAttribute {
    /** Next state. */
    STATE(0),
    /** State the caller believes the QP to be in; may be given in RTR, RTS, SQD and SQE only. */
    CUR_STATE(1),
    /** Raise {@link EventType#SQ_DRAINED} once the send queue is drained. */
    EN_SQD_ASYNC_NOTIFY(2),
    /** Remote operations the QP admits. */
    ACCESS_FLAGS(3),
    /** {@link QpAttributes#pkeyIndex}. */
    PKEY_INDEX(4),
    /** {@link QpAttributes#port}. */
    PORT(5),
    /** {@link QpAttributes#qkey}. */
    QKEY(6),
    /** Primary path. */
    AV(7),
    /** {@link QpAttributes#pathMtu}. */
    PATH_MTU(8),
    /** Local ACK timeout. */
    TIMEOUT(9),
    /** {@link QpAttributes#retryCount}. */
    RETRY_CNT(10),
    /** {@link QpAttributes#rnrRetry}. */
    RNR_RETRY(11),
    /** First PSN expected. */
    RQ_PSN(12),
    /** Reads and atomics outstanding as initiator. */
    MAX_QP_RD_ATOMIC(13),
    /** Alternate path. */
    ALT_PATH(14),
    /** {@link QpAttributes#minRnrTimer}. */
    MIN_RNR_TIMER(15),
    /** First PSN sent. */
    SQ_PSN(16),
    /** Reads and atomics taken as target. */
    MAX_DEST_RD_ATOMIC(17),
    /** {@link QpAttributes#migrationState}. */
    PATH_MIG_STATE(18),
    /** Queue sizes. */
    CAP(19),
    /** {@link QpAttributes#destinationQpn}. */
    DEST_QPN(20),
    /** Packet pacing, kbit/s. */
    RATE_LIMIT(25);

    private final int shift;

    QpAttribute(int shift) {
        this.shift = shift;
    }

    /** {@return the bit in C} */
    public int bit() {
        return 1 << shift;
    }

    /**
     * {@return C's mask of a set}
     *
     * @param flags any set, also an empty one
     */
    public static int mask(Set<QpAttribute> flags) {
        return (int) Flags.mask(flags, QpAttribute::bit);
    }

    /**
     * {@return the set of C's mask; unknown bits are left out}
     *
     * @param mask as C has it
     */
    public static Set<QpAttribute> ofMask(int mask) {
        return Flags.of(QpAttribute.class, mask, QpAttribute::bit);
    }
}
