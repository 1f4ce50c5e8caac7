package io.rdma4j.verbs;

import io.rdma4j.base.Mtu;
import io.rdma4j.base.Psn;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Attributes of a queue pair, for modify and as the result of query. Answers to {@code struct ibv_qp_attr} together with
 * its mask; immutable.
 *
 * <p>The mask is what the builder was given, so the two cannot disagree. An accessor of an attribute that is not in the
 * mask answers its zero: 0, false, the first constant, null for the paths.
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

    private final Map<QpAttribute, Object> values;
    private final boolean sqDraining;

    private QpAttributes(Map<QpAttribute, Object> values, boolean sqDraining) {
        this.values = new EnumMap<>(QpAttribute.class);
        this.values.putAll(values);
        this.sqDraining = sqDraining;
    }

    /** {@return a builder with nothing set} */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * A builder that holds everything set here.
     *
     * @return this builder
     */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.values.putAll(values);
        builder.sqDraining = sqDraining;
        return builder;
    }

    /**
     * {@return these attributes overridden by those set in {@code changes}}
     *
     * @param changes what shall be different
     */
    public QpAttributes with(QpAttributes changes) {
        Builder builder = toBuilder();
        builder.values.putAll(changes.values);
        builder.sqDraining = changes.sqDraining;
        return builder.build();
    }

    /**
     * The same without those of the half that an XRC queue pair does not have: programs set them as for a reliable
     * connection, and they are ignored. Answers to {@code modify_qp_mask}.
     */
    QpAttributes relevant(QpType type) {
        return switch (type) {
            case XRC_INI -> without(OF_RESPONDERS);
            case XRC_TGT -> without(OF_REQUESTERS);
            default -> this;
        };
    }

    /** Those of them that are in {@code attributes}. */
    QpAttributes only(Set<QpAttribute> attributes) {
        Builder builder = toBuilder();
        builder.values.keySet().retainAll(attributes);
        return builder.build();
    }

    /** Those of them that are not in {@code attributes}. */
    QpAttributes without(Set<QpAttribute> attributes) {
        Builder builder = toBuilder();
        builder.values.keySet().removeAll(attributes);
        return builder.build();
    }

    /** {@return the attributes that are set} */
    public Set<QpAttribute> mask() {
        return Collections.unmodifiableSet(values.keySet());
    }

    /**
     * {@return true if {@code attribute} is set}
     *
     * @param attribute which one
     */
    public boolean has(QpAttribute attribute) {
        return values.containsKey(attribute);
    }

    /** {@return the state that it is in or shall go to} Answers to {@code qp_state}. */
    public QpState state() {
        return value(QpAttribute.STATE, QpState.RESET);
    }

    /** {@return the state that the program assumes it is in} Answers to {@code cur_qp_state}. */
    public QpState currentState() {
        return value(QpAttribute.CUR_STATE, QpState.RESET);
    }

    /** {@return true if {@link EventType#SQ_DRAINED} shall be raised} Answers to {@code en_sqd_async_notify}. */
    public boolean sqdAsyncNotify() {
        return value(QpAttribute.EN_SQD_ASYNC_NOTIFY, false);
    }

    /** {@return only in the result of a query, no bit of the mask stands for it} Answers to {@code sq_draining}. */
    public boolean sqDraining() {
        return sqDraining;
    }

    /** {@return what peers may do with memory by this queue pair} Answers to {@code qp_access_flags}. */
    public Set<AccessFlag> accessFlags() {
        return AccessFlag.ofMask(value(QpAttribute.ACCESS_FLAGS, 0));
    }

    /** {@return slot of the port's P_Key table, from 0} Answers to {@code pkey_index}. */
    public int pkeyIndex() {
        return value(QpAttribute.PKEY_INDEX, 0);
    }

    /** {@return the port that packets leave by, from 1} Answers to {@code port_num}. */
    public int port() {
        return value(QpAttribute.PORT, 0);
    }

    /** {@return the key that datagrams must have to be received here, 32 bits} Answers to {@code qkey}. */
    public int qkey() {
        return value(QpAttribute.QKEY, 0);
    }

    /** {@return the path to the peer} Answers to {@code ah_attr}. */
    public @Nullable AddressVector addressVector() {
        return (AddressVector) values.get(QpAttribute.AV);
    }

    /** {@return payload bytes of a full packet on the path} Answers to {@code path_mtu}. */
    public Mtu pathMtu() {
        return value(QpAttribute.PATH_MTU, Mtu.MTU_256);
    }

    /** {@return an ACK is awaited for 4.096 µs · 2^value; 5 bits, 0 for ever} Answers to {@code timeout}. */
    public int timeout() {
        return value(QpAttribute.TIMEOUT, 0);
    }

    /** {@return how often it is tried again without an answer, 3 bits} Answers to {@code retry_cnt}. */
    public int retryCount() {
        return value(QpAttribute.RETRY_CNT, 0);
    }

    /**
     * {@return how often it is tried again while the peer has no receive request posted, 3 bits, 7 for ever} Answers to
     * {@code rnr_retry}.
     */
    public int rnrRetry() {
        return value(QpAttribute.RNR_RETRY, 0);
    }

    /** {@return the sequence number that the first packet from the peer has, 24 bits} Answers to {@code rq_psn}. */
    public int rqPsn() {
        return value(QpAttribute.RQ_PSN, 0);
    }

    /** {@return reads and atomics outstanding as initiator} Answers to {@code max_rd_atomic}. */
    public int maxRdAtomic() {
        return value(QpAttribute.MAX_QP_RD_ATOMIC, 0);
    }

    /**
     * {@return the path to migrate to, with its port, timeout and P_Key} Answers to {@code alt_ah_attr} and its
     * companions.
     */
    public @Nullable AlternatePath alternatePath() {
        return (AlternatePath) values.get(QpAttribute.ALT_PATH);
    }

    /** {@return code of the delay asked for in RNR NAKs, 5 bits} Answers to {@code min_rnr_timer}. */
    public int minRnrTimer() {
        return value(QpAttribute.MIN_RNR_TIMER, 0);
    }

    /** {@return the sequence number of the first packet to the peer, 24 bits} Answers to {@code sq_psn}. */
    public int sqPsn() {
        return value(QpAttribute.SQ_PSN, 0);
    }

    /** {@return reads and atomics taken as target} Answers to {@code max_dest_rd_atomic}. */
    public int maxDestRdAtomic() {
        return value(QpAttribute.MAX_DEST_RD_ATOMIC, 0);
    }

    /** {@return whether it may migrate to the alternate path} Answers to {@code path_mig_state}. */
    public MigrationState migrationState() {
        return value(QpAttribute.PATH_MIG_STATE, MigrationState.MIGRATED);
    }

    /** {@return the sizes of its queues} Answers to {@code cap}. */
    public QpCapabilities capabilities() {
        return value(QpAttribute.CAP, NO_CAPABILITIES);
    }

    /** {@return the peer's queue pair, 24 bits} Answers to {@code dest_qp_num}. */
    public int destinationQpn() {
        return value(QpAttribute.DEST_QPN, 0);
    }

    /** {@return the rate that it is held to, in kbit/s} Answers to {@code rate_limit}. */
    public int rateLimit() {
        return value(QpAttribute.RATE_LIMIT, 0);
    }

    // Only the builder's typed setters fill the map, so that each attribute has one type.
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private <T> T value(QpAttribute attribute, T ifAbsent) {
        Object value = values.get(attribute);
        return value == null ? ifAbsent : (T) value;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof QpAttributes that && sqDraining == that.sqDraining && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return Objects.hash(values, sqDraining);
    }

    @Override
    public String toString() {
        return "QpAttributes" + values;
    }

    /**
     * Collects attributes; each setter adds one bit to the mask and has the name of the accessor that tells unit and
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
         * @param state where it shall go, or where it is
         * @return this builder
         */
        public Builder state(QpState state) {
            return put(QpAttribute.STATE, state);
        }

        /**
         * Sets {@link QpAttribute#CUR_STATE}: the change is refused if the queue pair is in another state.
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
         * @param notify true to raise {@link EventType#SQ_DRAINED} when nothing is under way any more
         * @return this builder
         */
        public Builder sqdAsyncNotify(boolean notify) {
            return put(QpAttribute.EN_SQD_ASYNC_NOTIFY, notify);
        }

        /**
         * For providers that answer a query.
         *
         * @param draining true while requests are under way in SQD
         * @return this builder
         */
        public Builder sqDraining(boolean draining) {
            sqDraining = draining;
            return this;
        }

        /**
         * Sets {@link QpAttribute#ACCESS_FLAGS}.
         *
         * @param flags of the three remote rights and {@link AccessFlag}'s flush rights
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
         * @param qkey 32 bits; with bit 31 set a privileged one
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
         * @param mtu no more than that of the port
         * @return this builder
         */
        public Builder pathMtu(Mtu mtu) {
            return put(QpAttribute.PATH_MTU, mtu);
        }

        /**
         * Sets {@link QpAttribute#TIMEOUT}.
         *
         * @param timeout 5 bits: 4.096 µs · 2^value; 0 waits for ever
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
         * @param count 3 bits, 7 for ever
         * @return this builder
         */
        public Builder rnrRetry(int count) {
            return put(QpAttribute.RNR_RETRY, count);
        }

        /**
         * Sets {@link QpAttribute#RQ_PSN}.
         *
         * @param psn cut to 24 bits, as the kernel does
         * @return this builder
         */
        public Builder rqPsn(int psn) {
            return put(QpAttribute.RQ_PSN, Psn.of(psn));
        }

        /**
         * Sets {@link QpAttribute#MAX_QP_RD_ATOMIC}.
         *
         * @param count READs and atomics outstanding as initiator, up to {@code max_qp_init_rd_atom}
         * @return this builder
         */
        public Builder maxRdAtomic(int count) {
            return put(QpAttribute.MAX_QP_RD_ATOMIC, count);
        }

        /**
         * Sets {@link QpAttribute#ALT_PATH}.
         *
         * @param path where to migrate to
         * @return this builder
         */
        public Builder alternatePath(AlternatePath path) {
            return put(QpAttribute.ALT_PATH, path);
        }

        /**
         * Sets {@link QpAttribute#MIN_RNR_TIMER}.
         *
         * @param code of the delay that peers are asked for (IBA 9.7.5.2.8), 5 bits
         * @return this builder
         */
        public Builder minRnrTimer(int code) {
            return put(QpAttribute.MIN_RNR_TIMER, code);
        }

        /**
         * Sets {@link QpAttribute#SQ_PSN}.
         *
         * @param psn cut to 24 bits, as the kernel does
         * @return this builder
         */
        public Builder sqPsn(int psn) {
            return put(QpAttribute.SQ_PSN, Psn.of(psn));
        }

        /**
         * Sets {@link QpAttribute#MAX_DEST_RD_ATOMIC}.
         *
         * @param count READs and atomics taken as target, up to {@code max_qp_rd_atom}
         * @return this builder
         */
        public Builder maxDestRdAtomic(int count) {
            return put(QpAttribute.MAX_DEST_RD_ATOMIC, count);
        }

        /**
         * Sets {@link QpAttribute#PATH_MIG_STATE}.
         *
         * @param state to arm the alternate path, or to migrate now
         * @return this builder
         */
        public Builder migrationState(MigrationState state) {
            return put(QpAttribute.PATH_MIG_STATE, state);
        }

        /**
         * Sets {@link QpAttribute#CAP}: the queues are resized, if the device can.
         *
         * @param capabilities sizes asked for
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

        /** {@return the attributes set so far; the builder can go on} */
        public QpAttributes build() {
            return new QpAttributes(values, sqDraining);
        }
    }
}
