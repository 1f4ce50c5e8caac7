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
 * <pre>{@code
 * qp.modify(QpAttributes.builder().state(INIT).pkeyIndex(0).port(1).accessFlags(Set.of()).build());
 * }</pre>
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

    /** Nothing set. */
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

    /** These attributes overridden by those set in {@code changes}. */
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
        Builder builder = toBuilder();
        if (type == QpType.XRC_INI) {
            builder.values.keySet().removeAll(OF_RESPONDERS);
        } else if (type == QpType.XRC_TGT) {
            builder.values.keySet().removeAll(OF_REQUESTERS);
        }
        return builder.build();
    }

    /** {@return the attributes that are set} */
    public Set<QpAttribute> mask() {
        return Collections.unmodifiableSet(values.keySet());
    }

    /** {@return true if {@code attribute} is set} */
    public boolean has(QpAttribute attribute) {
        return values.containsKey(attribute);
    }

    /** {@code qp_state}. */
    public QpState state() {
        return value(QpAttribute.STATE, QpState.RESET);
    }

    /** {@code cur_qp_state}. */
    public QpState currentState() {
        return value(QpAttribute.CUR_STATE, QpState.RESET);
    }

    /** {@code en_sqd_async_notify}. */
    public boolean sqdAsyncNotify() {
        return value(QpAttribute.EN_SQD_ASYNC_NOTIFY, false);
    }

    /** {@return only in the result of a query, no bit of the mask stands for it} Answers to {@code sq_draining}. */
    public boolean sqDraining() {
        return sqDraining;
    }

    /** {@code qp_access_flags}. */
    public Set<AccessFlag> accessFlags() {
        return AccessFlag.ofMask(value(QpAttribute.ACCESS_FLAGS, 0));
    }

    /** {@code pkey_index}. */
    public int pkeyIndex() {
        return value(QpAttribute.PKEY_INDEX, 0);
    }

    /** {@return from 1} Answers to {@code port_num}. */
    public int port() {
        return value(QpAttribute.PORT, 0);
    }

    /** {@return 32 bits} Answers to {@code qkey}. */
    public int qkey() {
        return value(QpAttribute.QKEY, 0);
    }

    /** {@code ah_attr}. */
    public @Nullable AddressVector addressVector() {
        return (AddressVector) values.get(QpAttribute.AV);
    }

    /** {@code path_mtu}. */
    public Mtu pathMtu() {
        return value(QpAttribute.PATH_MTU, Mtu.MTU_256);
    }

    /** {@return an ACK is awaited for 4.096 µs · 2^value; 5 bits, 0 for ever} Answers to {@code timeout}. */
    public int timeout() {
        return value(QpAttribute.TIMEOUT, 0);
    }

    /** {@return 3 bits} Answers to {@code retry_cnt}. */
    public int retryCount() {
        return value(QpAttribute.RETRY_CNT, 0);
    }

    /** {@return 3 bits, 7 for ever} Answers to {@code rnr_retry}. */
    public int rnrRetry() {
        return value(QpAttribute.RNR_RETRY, 0);
    }

    /** {@return 24 bits} Answers to {@code rq_psn}. */
    public int rqPsn() {
        return value(QpAttribute.RQ_PSN, 0);
    }

    /** {@return reads and atomics outstanding as initiator} Answers to {@code max_rd_atomic}. */
    public int maxRdAtomic() {
        return value(QpAttribute.MAX_QP_RD_ATOMIC, 0);
    }

    /** {@return {@code alt_ah_attr} and its companions} */
    public @Nullable AlternatePath alternatePath() {
        return (AlternatePath) values.get(QpAttribute.ALT_PATH);
    }

    /** {@return code of the delay asked for in RNR NAKs, 5 bits} Answers to {@code min_rnr_timer}. */
    public int minRnrTimer() {
        return value(QpAttribute.MIN_RNR_TIMER, 0);
    }

    /** {@return 24 bits} Answers to {@code sq_psn}. */
    public int sqPsn() {
        return value(QpAttribute.SQ_PSN, 0);
    }

    /** {@return reads and atomics taken as target} Answers to {@code max_dest_rd_atomic}. */
    public int maxDestRdAtomic() {
        return value(QpAttribute.MAX_DEST_RD_ATOMIC, 0);
    }

    /** {@code path_mig_state}. */
    public MigrationState migrationState() {
        return value(QpAttribute.PATH_MIG_STATE, MigrationState.MIGRATED);
    }

    /** {@code cap}. */
    public QpCapabilities capabilities() {
        return value(QpAttribute.CAP, NO_CAPABILITIES);
    }

    /** {@return 24 bits} Answers to {@code dest_qp_num}. */
    public int destinationQpn() {
        return value(QpAttribute.DEST_QPN, 0);
    }

    /** {@return kbit/s} Answers to {@code rate_limit}. */
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

        public Builder state(QpState state) {
            return put(QpAttribute.STATE, state);
        }

        public Builder currentState(QpState state) {
            return put(QpAttribute.CUR_STATE, state);
        }

        public Builder sqdAsyncNotify(boolean notify) {
            return put(QpAttribute.EN_SQD_ASYNC_NOTIFY, notify);
        }

        /**
         * For providers that answer a query.
         *
         * @return this builder
         */
        public Builder sqDraining(boolean draining) {
            sqDraining = draining;
            return this;
        }

        public Builder accessFlags(Set<AccessFlag> flags) {
            return put(QpAttribute.ACCESS_FLAGS, AccessFlag.mask(flags));
        }

        public Builder pkeyIndex(int index) {
            return put(QpAttribute.PKEY_INDEX, index);
        }

        public Builder port(int port) {
            return put(QpAttribute.PORT, port);
        }

        public Builder qkey(int qkey) {
            return put(QpAttribute.QKEY, qkey);
        }

        public Builder addressVector(AddressVector vector) {
            return put(QpAttribute.AV, vector);
        }

        public Builder pathMtu(Mtu mtu) {
            return put(QpAttribute.PATH_MTU, mtu);
        }

        public Builder timeout(int timeout) {
            return put(QpAttribute.TIMEOUT, timeout);
        }

        public Builder retryCount(int count) {
            return put(QpAttribute.RETRY_CNT, count);
        }

        public Builder rnrRetry(int count) {
            return put(QpAttribute.RNR_RETRY, count);
        }

        /**
         * Cut to 24 bits, as the kernel does.
         *
         * @return this builder
         */
        public Builder rqPsn(int psn) {
            return put(QpAttribute.RQ_PSN, Psn.of(psn));
        }

        public Builder maxRdAtomic(int count) {
            return put(QpAttribute.MAX_QP_RD_ATOMIC, count);
        }

        public Builder alternatePath(AlternatePath path) {
            return put(QpAttribute.ALT_PATH, path);
        }

        public Builder minRnrTimer(int code) {
            return put(QpAttribute.MIN_RNR_TIMER, code);
        }

        /**
         * Cut to 24 bits, as the kernel does.
         *
         * @return this builder
         */
        public Builder sqPsn(int psn) {
            return put(QpAttribute.SQ_PSN, Psn.of(psn));
        }

        public Builder maxDestRdAtomic(int count) {
            return put(QpAttribute.MAX_DEST_RD_ATOMIC, count);
        }

        public Builder migrationState(MigrationState state) {
            return put(QpAttribute.PATH_MIG_STATE, state);
        }

        public Builder capabilities(QpCapabilities capabilities) {
            return put(QpAttribute.CAP, capabilities);
        }

        public Builder destinationQpn(int qpn) {
            return put(QpAttribute.DEST_QPN, qpn);
        }

        public Builder rateLimit(int kbitPerSecond) {
            return put(QpAttribute.RATE_LIMIT, kbitPerSecond);
        }

        public QpAttributes build() {
            return new QpAttributes(values, sqDraining);
        }
    }
}
