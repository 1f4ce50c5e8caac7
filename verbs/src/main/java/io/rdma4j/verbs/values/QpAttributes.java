// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

import io.rdma4j.base.Mtu;
import io.rdma4j.base.Psn;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Attributes of a queue pair, for modify and as the result of query; immutable. Corresponds to
 * {@code struct ibv_qp_attr} together with its mask.
 *
 * <p>The mask contains the attributes that were set in the builder, so mask and values always agree. The accessor of an
 * attribute that is not in the mask returns its zero value: 0, false, the first constant, or null for a path.
 *
 * {@snippet :
 * qp.modify(QpAttributes.builder().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(Set.of()).build());
 * }
 */
public final class QpAttributes {
    private static final Set<QpAttribute> OF_RESPONDERS =
            EnumSet.of(QpAttribute.MAX_DEST_RD_ATOMIC, QpAttribute.MIN_RNR_TIMER);
    private static final Set<QpAttribute> OF_REQUESTERS =
            EnumSet.of(QpAttribute.MAX_QP_RD_ATOMIC, QpAttribute.RETRY_CNT, QpAttribute.RNR_RETRY);
    private static final QpCapabilities NO_CAPABILITIES = new QpCapabilities(0, 0, 0, 0, 0);

    private static final QpAttribute[] ALL = QpAttribute.values();

    /** The attributes that are set: a bit for each ordinal. */
    private final int present;

    /** Their values, in the order of the ordinals: a device keeps those of each queue pair. */
    private final Object[] values;

    private final boolean sqDraining;

    private QpAttributes(Map<QpAttribute, Object> map, boolean sqDraining) {
        int bits = 0;
        for (QpAttribute attribute : map.keySet()) {
            bits |= bit(attribute);
        }
        this.present = bits;
        this.values = map.values().toArray();
        this.sqDraining = sqDraining;
    }

    private static int bit(QpAttribute attribute) {
        return 1 << attribute.ordinal();
    }

    private void addTo(Map<QpAttribute, Object> map) {
        int next = 0;
        for (int left = present; left != 0; left &= left - 1) {
            map.put(ALL[Integer.numberOfTrailingZeros(left)], values[next++]);
        }
    }

    private @Nullable Object value(QpAttribute attribute) {
        int bit = bit(attribute);
        return (present & bit) == 0 ? null : values[Integer.bitCount(present & bit - 1)];
    }

    /** {@return a builder without attributes} */
    public static Builder builder() {
        return new Builder();
    }

    /** {@return a builder with these attributes} */
    public Builder toBuilder() {
        Builder builder = new Builder();
        addTo(builder.values);
        builder.sqDraining = sqDraining;
        return builder;
    }

    /**
     * {@return these attributes, replaced by those in {@code changes}}
     *
     * @param changes attributes with new values
     */
    public QpAttributes with(QpAttributes changes) {
        Builder builder = toBuilder();
        changes.addTo(builder.values);
        builder.sqDraining = changes.sqDraining;
        return builder.build();
    }

    /**
     * {@return the attributes without those of the half that an XRC queue pair does not have} Applications set them as
     * for RC, and the kernel ignores them. Corresponds to {@code modify_qp_mask}.
     *
     * @param type of the queue pair
     */
    public QpAttributes relevant(QpType type) {
        return switch (type) {
            case XRC_INI -> without(OF_RESPONDERS);
            case XRC_TGT -> without(OF_REQUESTERS);
            default -> this;
        };
    }

    /**
     * {@return only the given ones of these attributes}
     *
     * @param attributes to keep
     */
    public QpAttributes only(Set<QpAttribute> attributes) {
        Builder builder = toBuilder();
        builder.values.keySet().retainAll(attributes);
        return builder.build();
    }

    /**
     * {@return these attributes without the given ones}
     *
     * @param attributes to leave out
     */
    public QpAttributes without(Set<QpAttribute> attributes) {
        Builder builder = toBuilder();
        builder.values.keySet().removeAll(attributes);
        return builder.build();
    }

    /** {@return the attributes that are set} */
    public Set<QpAttribute> mask() {
        Set<QpAttribute> set = EnumSet.noneOf(QpAttribute.class);
        for (int left = present; left != 0; left &= left - 1) {
            set.add(ALL[Integer.numberOfTrailingZeros(left)]);
        }
        return Collections.unmodifiableSet(set);
    }

    /**
     * {@return true if {@code attribute} is set}
     *
     * @param attribute the attribute
     */
    public boolean has(QpAttribute attribute) {
        return (present & bit(attribute)) != 0;
    }

    /** {@return the present state, or the next state in a modify} Corresponds to {@code qp_state}. */
    public QpState state() {
        return value(QpAttribute.STATE, QpState.RESET);
    }

    /** {@return the present state as assumed by the caller} Corresponds to {@code cur_qp_state}. */
    public QpState currentState() {
        return value(QpAttribute.CUR_STATE, QpState.RESET);
    }

    /** {@return true to raise {@link EventType#SQ_DRAINED}} Corresponds to {@code en_sqd_async_notify}. */
    public boolean sqdAsyncNotify() {
        return value(QpAttribute.EN_SQD_ASYNC_NOTIFY, false);
    }

    /**
     * {@return true while requests are in flight in SQD; only in the result of a query, without a mask bit} Corresponds
     * to {@code sq_draining}.
     */
    public boolean sqDraining() {
        return sqDraining;
    }

    /** {@return the remote operations that the queue pair allows} Corresponds to {@code qp_access_flags}. */
    public Set<AccessFlag> accessFlags() {
        return AccessFlag.ofMask(value(QpAttribute.ACCESS_FLAGS, 0));
    }

    /** {@return the index of the port's P_Key table, from 0} Corresponds to {@code pkey_index}. */
    public int pkeyIndex() {
        return value(QpAttribute.PKEY_INDEX, 0);
    }

    /** {@return the port of the primary path, from 1} Corresponds to {@code port_num}. */
    public int port() {
        return value(QpAttribute.PORT, 0);
    }

    /** {@return the Q_Key that received datagrams must have: 32 bits} Corresponds to {@code qkey}. */
    public int qkey() {
        return value(QpAttribute.QKEY, 0);
    }

    /** {@return the path to the peer} Corresponds to {@code ah_attr}. */
    public @Nullable AddressVector addressVector() {
        return (AddressVector) value(QpAttribute.AV);
    }

    /** {@return the maximum payload of a packet on the path} Corresponds to {@code path_mtu}. */
    public Mtu pathMtu() {
        return value(QpAttribute.PATH_MTU, Mtu.MTU_256);
    }

    /** {@return the ACK timeout: 4.096 µs · 2^value; 5 bits, 0 for no timeout} Corresponds to {@code timeout}. */
    public int timeout() {
        return value(QpAttribute.TIMEOUT, 0);
    }

    /** {@return the number of retries without an answer: 3 bits} Corresponds to {@code retry_cnt}. */
    public int retryCount() {
        return value(QpAttribute.RETRY_CNT, 0);
    }

    /**
     * {@return the number of retries while the peer has no receive request posted: 3 bits, 7 for unlimited} Corresponds
     * to {@code rnr_retry}.
     */
    public int rnrRetry() {
        return value(QpAttribute.RNR_RETRY, 0);
    }

    /** {@return the PSN of the first packet to receive: 24 bits} Corresponds to {@code rq_psn}. */
    public int rqPsn() {
        return value(QpAttribute.RQ_PSN, 0);
    }

    /** {@return the maximum of outstanding READs and atomics as requester} Corresponds to {@code max_rd_atomic}. */
    public int maxRdAtomic() {
        return value(QpAttribute.MAX_QP_RD_ATOMIC, 0);
    }

    /**
     * {@return the alternate path with its port, timeout and P_Key index} Corresponds to {@code alt_ah_attr},
     * {@code alt_port_num}, {@code alt_timeout} and {@code alt_pkey_index}.
     */
    public @Nullable AlternatePath alternatePath() {
        return (AlternatePath) value(QpAttribute.ALT_PATH);
    }

    /** {@return the code of the delay in RNR NAKs: 5 bits} Corresponds to {@code min_rnr_timer}. */
    public int minRnrTimer() {
        return value(QpAttribute.MIN_RNR_TIMER, 0);
    }

    /** {@return the PSN of the first packet to send: 24 bits} Corresponds to {@code sq_psn}. */
    public int sqPsn() {
        return value(QpAttribute.SQ_PSN, 0);
    }

    /**
     * {@return the maximum of outstanding READs and atomics as responder} Corresponds to {@code max_dest_rd_atomic}.
     */
    public int maxDestRdAtomic() {
        return value(QpAttribute.MAX_DEST_RD_ATOMIC, 0);
    }

    /** {@return the state of path migration} Corresponds to {@code path_mig_state}. */
    public MigrationState migrationState() {
        return value(QpAttribute.PATH_MIG_STATE, MigrationState.MIGRATED);
    }

    /** {@return the sizes of its queues} Corresponds to {@code cap}. */
    public QpCapabilities capabilities() {
        return value(QpAttribute.CAP, NO_CAPABILITIES);
    }

    /** {@return the peer's queue pair, 24 bits} Corresponds to {@code dest_qp_num}. */
    public int destinationQpn() {
        return value(QpAttribute.DEST_QPN, 0);
    }

    /** {@return the packet pacing rate in kbit/s} Corresponds to {@code rate_limit}. */
    public int rateLimit() {
        return value(QpAttribute.RATE_LIMIT, 0);
    }

    // Only the builder's typed setters fill the map, so that each attribute has one type.
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private <T> T value(QpAttribute attribute, T ifAbsent) {
        Object value = value(attribute);
        return value == null ? ifAbsent : (T) value;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof QpAttributes that
                && present == that.present
                && sqDraining == that.sqDraining
                && Arrays.equals(values, that.values);
    }

    @Override
    public int hashCode() {
        return Objects.hash(present, Arrays.hashCode(values), sqDraining);
    }

    @Override
    public String toString() {
        Map<QpAttribute, Object> map = new EnumMap<>(QpAttribute.class);
        addTo(map);
        return "QpAttributes" + map;
    }

    /**
     * Collects attributes. Each setter adds one bit to the mask; the accessor of the same name describes unit and
     * width. One thread.
     */
    public static final class Builder {
        private final Map<QpAttribute, Object> values = new EnumMap<>(QpAttribute.class);
        private boolean sqDraining;

        private Builder() {}

        private Builder put(QpAttribute attribute, Object value) {
            values.put(attribute, value);
            return this;
        }

        /**
         * Sets {@link QpAttribute#STATE}.
         *
         * @param state the next state, or the present one in the result of a query
         * @return this builder
         */
        public Builder state(QpState state) {
            return put(QpAttribute.STATE, state);
        }

        /**
         * Sets {@link QpAttribute#CUR_STATE}: the modify fails if the queue pair is in another state.
         *
         * @param state RTR, RTS, SQD or SQE
         * @return this builder
         */
        public Builder currentState(QpState state) {
            return put(QpAttribute.CUR_STATE, state);
        }

        /**
         * Sets {@link QpAttribute#EN_SQD_ASYNC_NOTIFY}.
         *
         * @param notify true to raise {@link EventType#SQ_DRAINED} when no request is in flight
         * @return this builder
         */
        public Builder sqdAsyncNotify(boolean notify) {
            return put(QpAttribute.EN_SQD_ASYNC_NOTIFY, notify);
        }

        /**
         * Sets {@link QpAttributes#sqDraining}; for providers, in the result of a query.
         *
         * @param draining true while requests are in flight in SQD
         * @return this builder
         */
        public Builder sqDraining(boolean draining) {
            sqDraining = draining;
            return this;
        }

        /**
         * Sets {@link QpAttribute#ACCESS_FLAGS}.
         *
         * @param flags remote access rights and flush rights
         * @return this builder
         */
        public Builder accessFlags(Set<AccessFlag> flags) {
            return put(QpAttribute.ACCESS_FLAGS, AccessFlag.mask(flags));
        }

        /**
         * Sets {@link QpAttribute#PKEY_INDEX}.
         *
         * @param index slot of the port's P_Key table, from 0
         * @return this builder
         */
        public Builder pkeyIndex(int index) {
            return put(QpAttribute.PKEY_INDEX, index);
        }

        /**
         * Sets {@link QpAttribute#PORT}.
         *
         * @param port from 1
         * @return this builder
         */
        public Builder port(int port) {
            return put(QpAttribute.PORT, port);
        }

        /**
         * Sets {@link QpAttribute#QKEY}.
         *
         * @param qkey 32 bits; bit 31 marks a privileged Q_Key
         * @return this builder
         */
        public Builder qkey(int qkey) {
            return put(QpAttribute.QKEY, qkey);
        }

        /**
         * Sets {@link QpAttribute#AV}.
         *
         * @param vector the path to the peer
         * @return this builder
         */
        public Builder addressVector(AddressVector vector) {
            return put(QpAttribute.AV, vector);
        }

        /**
         * Sets {@link QpAttribute#PATH_MTU}.
         *
         * @param mtu at most the active MTU of the port
         * @return this builder
         */
        public Builder pathMtu(Mtu mtu) {
            return put(QpAttribute.PATH_MTU, mtu);
        }

        /**
         * Sets {@link QpAttribute#TIMEOUT}.
         *
         * @param timeout 5 bits: 4.096 µs · 2^value; 0 for no timeout
         * @return this builder
         */
        public Builder timeout(int timeout) {
            return put(QpAttribute.TIMEOUT, timeout);
        }

        /**
         * Sets {@link QpAttribute#RETRY_CNT}.
         *
         * @param count 3 bits
         * @return this builder
         */
        public Builder retryCount(int count) {
            return put(QpAttribute.RETRY_CNT, count);
        }

        /**
         * Sets {@link QpAttribute#RNR_RETRY}.
         *
         * @param count 3 bits, 7 for unlimited
         * @return this builder
         */
        public Builder rnrRetry(int count) {
            return put(QpAttribute.RNR_RETRY, count);
        }

        /**
         * Sets {@link QpAttribute#RQ_PSN}.
         *
         * @param psn truncated to 24 bits, as in the kernel
         * @return this builder
         */
        public Builder rqPsn(int psn) {
            return put(QpAttribute.RQ_PSN, Psn.of(psn));
        }

        /**
         * Sets {@link QpAttribute#MAX_QP_RD_ATOMIC}.
         *
         * @param count outstanding READs and atomics as requester, up to {@code max_qp_init_rd_atom}
         * @return this builder
         */
        public Builder maxRdAtomic(int count) {
            return put(QpAttribute.MAX_QP_RD_ATOMIC, count);
        }

        /**
         * Sets {@link QpAttribute#ALT_PATH}.
         *
         * @param path the path after migration
         * @return this builder
         */
        public Builder alternatePath(AlternatePath path) {
            return put(QpAttribute.ALT_PATH, path);
        }

        /**
         * Sets {@link QpAttribute#MIN_RNR_TIMER}.
         *
         * @param code code of the delay in RNR NAKs (IBA 9.7.5.2.8): 5 bits
         * @return this builder
         */
        public Builder minRnrTimer(int code) {
            return put(QpAttribute.MIN_RNR_TIMER, code);
        }

        /**
         * Sets {@link QpAttribute#SQ_PSN}.
         *
         * @param psn truncated to 24 bits, as in the kernel
         * @return this builder
         */
        public Builder sqPsn(int psn) {
            return put(QpAttribute.SQ_PSN, Psn.of(psn));
        }

        /**
         * Sets {@link QpAttribute#MAX_DEST_RD_ATOMIC}.
         *
         * @param count outstanding READs and atomics as responder, up to {@code max_qp_rd_atom}
         * @return this builder
         */
        public Builder maxDestRdAtomic(int count) {
            return put(QpAttribute.MAX_DEST_RD_ATOMIC, count);
        }

        /**
         * Sets {@link QpAttribute#PATH_MIG_STATE}.
         *
         * @param state REARM to arm the alternate path, MIGRATED to migrate now
         * @return this builder
         */
        public Builder migrationState(MigrationState state) {
            return put(QpAttribute.PATH_MIG_STATE, state);
        }

        /**
         * Sets {@link QpAttribute#CAP}: resizes the queues, if the device supports it.
         *
         * @param capabilities requested sizes
         * @return this builder
         */
        public Builder capabilities(QpCapabilities capabilities) {
            return put(QpAttribute.CAP, capabilities);
        }

        /**
         * Sets {@link QpAttribute#DEST_QPN}.
         *
         * @param qpn 24 bits
         * @return this builder
         */
        public Builder destinationQpn(int qpn) {
            return put(QpAttribute.DEST_QPN, qpn);
        }

        /**
         * Sets {@link QpAttribute#RATE_LIMIT}.
         *
         * @param kbitPerSecond 0 for no limit
         * @return this builder
         */
        public Builder rateLimit(int kbitPerSecond) {
            return put(QpAttribute.RATE_LIMIT, kbitPerSecond);
        }

        /** {@return the attributes set so far; the builder remains usable} */
        public QpAttributes build() {
            return new QpAttributes(values, sqDraining);
        }
    }
}
