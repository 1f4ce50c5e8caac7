package io.rdma4j.uverbs.abi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressVector;
import io.rdma4j.verbs.AlternatePath;
import io.rdma4j.verbs.MigrationState;
import io.rdma4j.verbs.QpAttribute;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.QpState;
import org.jspecify.annotations.Nullable;

/** Attributes of queue pairs as arguments of commands: those of the mask and no others. */
public final class QpAttributeCodec {
    private QpAttributeCodec() {}

    /**
     * Sets mask and values.
     *
     * @param message of a command that has them
     * @param attributes those that are set travel
     * @return the same message
     */
    public static Message put(Message message, QpAttributes attributes) {
        message.put(Attribute.QP_MASK, QpAttribute.mask(attributes.mask()));
        attributes.mask().forEach(attribute -> put(message, attributes, attribute));
        return message.put(Attribute.QP_SQ_DRAINING, attributes.sqDraining() ? 1 : 0);
    }

    private static void put(Message to, QpAttributes from, QpAttribute attribute) {
        switch (attribute) {
            case STATE -> to.put(Attribute.QP_STATE, from.state().code());
            case CUR_STATE -> to.put(Attribute.QP_CUR_STATE, from.currentState().code());
            case EN_SQD_ASYNC_NOTIFY -> to.put(Attribute.QP_SQD_ASYNC_NOTIFY, from.sqdAsyncNotify() ? 1 : 0);
            case ACCESS_FLAGS -> to.put(Attribute.QP_ACCESS_FLAGS, AccessFlag.mask(from.accessFlags()));
            case PKEY_INDEX -> to.put(Attribute.QP_PKEY_INDEX, from.pkeyIndex());
            case PORT -> to.put(Attribute.QP_PORT, from.port());
            case QKEY -> to.put(Attribute.QP_QKEY, from.qkey());
            case AV -> to.putRecord(Attribute.QP_AV, given(from.addressVector()));
            case PATH_MTU -> to.put(Attribute.QP_PATH_MTU, from.pathMtu().code());
            case TIMEOUT -> to.put(Attribute.QP_TIMEOUT, from.timeout());
            case RETRY_CNT -> to.put(Attribute.QP_RETRY_CNT, from.retryCount());
            case RNR_RETRY -> to.put(Attribute.QP_RNR_RETRY, from.rnrRetry());
            case RQ_PSN -> to.put(Attribute.QP_RQ_PSN, from.rqPsn());
            case MAX_QP_RD_ATOMIC -> to.put(Attribute.QP_MAX_RD_ATOMIC, from.maxRdAtomic());
            case ALT_PATH -> to.putRecord(Attribute.QP_ALT_PATH, given(from.alternatePath()));
            case MIN_RNR_TIMER -> to.put(Attribute.QP_MIN_RNR_TIMER, from.minRnrTimer());
            case SQ_PSN -> to.put(Attribute.QP_SQ_PSN, from.sqPsn());
            case MAX_DEST_RD_ATOMIC -> to.put(Attribute.QP_MAX_DEST_RD_ATOMIC, from.maxDestRdAtomic());
            case PATH_MIG_STATE ->
                to.put(Attribute.QP_PATH_MIG_STATE, from.migrationState().code());
            case CAP -> to.putRecord(Attribute.QP_CAP, from.capabilities());
            case DEST_QPN -> to.put(Attribute.QP_DEST_QPN, from.destinationQpn());
            case RATE_LIMIT -> to.put(Attribute.QP_RATE_LIMIT, from.rateLimit());
        }
    }

    private static <T> T given(@Nullable T path) {
        if (path == null) {
            throw new RdmaException(Errno.EINVAL, "a path that is to be changed must be given");
        }
        return path;
    }

    /**
     * {@return what the mask has}
     *
     * @param message of a command that has them
     * @throws RdmaException EINVAL for values that cannot be
     */
    public static QpAttributes get(Message message) {
        QpAttributes.Builder to = QpAttributes.builder();
        QpAttribute.ofMask(message.get(Attribute.QP_MASK)).forEach(attribute -> get(message, to, attribute));
        return to.sqDraining(message.get(Attribute.QP_SQ_DRAINING) != 0).build();
    }

    private static void get(Message from, QpAttributes.Builder to, QpAttribute attribute) {
        switch (attribute) {
            case STATE -> to.state(QpState.ofCode(from.get(Attribute.QP_STATE)));
            case CUR_STATE -> to.currentState(QpState.ofCode(from.get(Attribute.QP_CUR_STATE)));
            case EN_SQD_ASYNC_NOTIFY -> to.sqdAsyncNotify(from.get(Attribute.QP_SQD_ASYNC_NOTIFY) != 0);
            case ACCESS_FLAGS -> to.accessFlags(AccessFlag.ofMask(from.get(Attribute.QP_ACCESS_FLAGS)));
            case PKEY_INDEX -> to.pkeyIndex(from.get(Attribute.QP_PKEY_INDEX));
            case PORT -> to.port(from.get(Attribute.QP_PORT));
            case QKEY -> to.qkey(from.get(Attribute.QP_QKEY));
            case AV -> to.addressVector(from.getRecord(Attribute.QP_AV, AddressVector.class));
            case PATH_MTU -> to.pathMtu(Mtu.ofCode(from.get(Attribute.QP_PATH_MTU)));
            case TIMEOUT -> to.timeout(from.get(Attribute.QP_TIMEOUT));
            case RETRY_CNT -> to.retryCount(from.get(Attribute.QP_RETRY_CNT));
            case RNR_RETRY -> to.rnrRetry(from.get(Attribute.QP_RNR_RETRY));
            case RQ_PSN -> to.rqPsn(from.get(Attribute.QP_RQ_PSN));
            case MAX_QP_RD_ATOMIC -> to.maxRdAtomic(from.get(Attribute.QP_MAX_RD_ATOMIC));
            case ALT_PATH -> to.alternatePath(from.getRecord(Attribute.QP_ALT_PATH, AlternatePath.class));
            case MIN_RNR_TIMER -> to.minRnrTimer(from.get(Attribute.QP_MIN_RNR_TIMER));
            case SQ_PSN -> to.sqPsn(from.get(Attribute.QP_SQ_PSN));
            case MAX_DEST_RD_ATOMIC -> to.maxDestRdAtomic(from.get(Attribute.QP_MAX_DEST_RD_ATOMIC));
            case PATH_MIG_STATE ->
                to.migrationState(RecordCodec.byCode(
                        MigrationState.values(), MigrationState::code, from.get(Attribute.QP_PATH_MIG_STATE)));
            case CAP -> to.capabilities(from.getRecord(Attribute.QP_CAP, QpCapabilities.class));
            case DEST_QPN -> to.destinationQpn(from.get(Attribute.QP_DEST_QPN));
            case RATE_LIMIT -> to.rateLimit(from.get(Attribute.QP_RATE_LIMIT));
        }
    }
}
