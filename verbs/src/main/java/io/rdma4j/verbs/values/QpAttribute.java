// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

import java.util.Set;

/** Names of the attributes that a modify sets. Corresponds to {@code enum ibv_qp_attr_mask}. */
public enum QpAttribute {
    /** Next state. */
    STATE(0),
    /** Present state as assumed by the caller; allowed only in RTR, RTS, SQD and SQE. */
    CUR_STATE(1),
    /** Raise {@link EventType#SQ_DRAINED} once the send queue is drained. */
    EN_SQD_ASYNC_NOTIFY(2),
    /** Remote operations that the queue pair allows. */
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
    /** PSN of the first packet to receive. */
    RQ_PSN(12),
    /** Outstanding READs and atomics as requester. */
    MAX_QP_RD_ATOMIC(13),
    /** Alternate path. */
    ALT_PATH(14),
    /** {@link QpAttributes#minRnrTimer}. */
    MIN_RNR_TIMER(15),
    /** PSN of the first packet to send. */
    SQ_PSN(16),
    /** Outstanding READs and atomics as responder. */
    MAX_DEST_RD_ATOMIC(17),
    /** {@link QpAttributes#migrationState}. */
    PATH_MIG_STATE(18),
    /** Queue sizes. */
    CAP(19),
    /** {@link QpAttributes#destinationQpn}. */
    DEST_QPN(20),
    /** Packet pacing in kbit/s. */
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
     * {@return the mask in C of a set}
     *
     * @param flags may be empty
     */
    public static int mask(Set<QpAttribute> flags) {
        return (int) Flags.mask(flags, QpAttribute::bit);
    }

    /**
     * {@return the set of a mask in C; unknown bits are ignored}
     *
     * @param mask {@code attr_mask}
     */
    public static Set<QpAttribute> ofMask(int mask) {
        return Flags.of(QpAttribute.class, mask, QpAttribute::bit);
    }
}
