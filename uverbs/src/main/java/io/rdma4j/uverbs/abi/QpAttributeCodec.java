// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.abi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.AlternatePath;
import io.rdma4j.verbs.values.MigrationState;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import org.jspecify.annotations.Nullable;

/** Converts queue pair attributes to command arguments and back; only the attributes in the mask. */
public final class QpAttributeCodec {
    private QpAttributeCodec() {}

    /**
     * Sets the mask and the attributes in it.
     *
     * @param message message of a command with queue pair attributes
     * @param attributes attributes to set
     * @return the same message
     */
    public static Message put(Message message, QpAttributes attributes) {
        message.put(CommandAttribute.QP_MASK, QpAttribute.mask(attributes.mask()));
        attributes.mask().forEach(attribute -> put(message, attributes, attribute));
        return message.put(CommandAttribute.QP_SQ_DRAINING, attributes.sqDraining() ? 1 : 0);
    }

    private static void put(Message to, QpAttributes from, QpAttribute attribute) {
        switch (attribute) {
            case STATE -> to.put(CommandAttribute.QP_STATE, from.state().code());
            case CUR_STATE ->
                to.put(CommandAttribute.QP_CUR_STATE, from.currentState().code());
            case EN_SQD_ASYNC_NOTIFY -> to.put(CommandAttribute.QP_SQD_ASYNC_NOTIFY, from.sqdAsyncNotify() ? 1 : 0);
            case ACCESS_FLAGS -> to.put(CommandAttribute.QP_ACCESS_FLAGS, AccessFlag.mask(from.accessFlags()));
            case PKEY_INDEX -> to.put(CommandAttribute.QP_PKEY_INDEX, from.pkeyIndex());
            case PORT -> to.put(CommandAttribute.QP_PORT, from.port());
            case QKEY -> to.put(CommandAttribute.QP_QKEY, from.qkey());
            case AV -> to.putRecord(CommandAttribute.QP_AV, given(from.addressVector()));
            case PATH_MTU -> to.put(CommandAttribute.QP_PATH_MTU, from.pathMtu().code());
            case TIMEOUT -> to.put(CommandAttribute.QP_TIMEOUT, from.timeout());
            case RETRY_CNT -> to.put(CommandAttribute.QP_RETRY_CNT, from.retryCount());
            case RNR_RETRY -> to.put(CommandAttribute.QP_RNR_RETRY, from.rnrRetry());
            case RQ_PSN -> to.put(CommandAttribute.QP_RQ_PSN, from.rqPsn());
            case MAX_QP_RD_ATOMIC -> to.put(CommandAttribute.QP_MAX_RD_ATOMIC, from.maxRdAtomic());
            case ALT_PATH -> to.putRecord(CommandAttribute.QP_ALT_PATH, given(from.alternatePath()));
            case MIN_RNR_TIMER -> to.put(CommandAttribute.QP_MIN_RNR_TIMER, from.minRnrTimer());
            case SQ_PSN -> to.put(CommandAttribute.QP_SQ_PSN, from.sqPsn());
            case MAX_DEST_RD_ATOMIC -> to.put(CommandAttribute.QP_MAX_DEST_RD_ATOMIC, from.maxDestRdAtomic());
            case PATH_MIG_STATE ->
                to.put(CommandAttribute.QP_PATH_MIG_STATE, from.migrationState().code());
            case CAP -> to.putRecord(CommandAttribute.QP_CAP, from.capabilities());
            case DEST_QPN -> to.put(CommandAttribute.QP_DEST_QPN, from.destinationQpn());
            case RATE_LIMIT -> to.put(CommandAttribute.QP_RATE_LIMIT, from.rateLimit());
        }
    }

    private static <T> T given(@Nullable T path) {
        if (path == null) {
            throw new RdmaException(Errno.EINVAL, "a path that is to be changed must be given");
        }
        return path;
    }

    /**
     * {@return the attributes in the message's mask}
     *
     * @param message message of a command with queue pair attributes
     * @throws RdmaException EINVAL for an invalid value
     */
    public static QpAttributes get(Message message) {
        QpAttributes.Builder to = QpAttributes.builder();
        QpAttribute.ofMask(message.get(CommandAttribute.QP_MASK)).forEach(attribute -> get(message, to, attribute));
        return to.sqDraining(message.get(CommandAttribute.QP_SQ_DRAINING) != 0).build();
    }

    private static void get(Message from, QpAttributes.Builder to, QpAttribute attribute) {
        switch (attribute) {
            case STATE -> to.state(QpState.ofCode(from.get(CommandAttribute.QP_STATE)));
            case CUR_STATE -> to.currentState(QpState.ofCode(from.get(CommandAttribute.QP_CUR_STATE)));
            case EN_SQD_ASYNC_NOTIFY -> to.sqdAsyncNotify(from.get(CommandAttribute.QP_SQD_ASYNC_NOTIFY) != 0);
            case ACCESS_FLAGS -> to.accessFlags(AccessFlag.ofMask(from.get(CommandAttribute.QP_ACCESS_FLAGS)));
            case PKEY_INDEX -> to.pkeyIndex(from.get(CommandAttribute.QP_PKEY_INDEX));
            case PORT -> to.port(from.get(CommandAttribute.QP_PORT));
            case QKEY -> to.qkey(from.get(CommandAttribute.QP_QKEY));
            case AV -> to.addressVector(from.getRecord(CommandAttribute.QP_AV, AddressVector.class));
            case PATH_MTU -> to.pathMtu(Mtu.ofCode(from.get(CommandAttribute.QP_PATH_MTU)));
            case TIMEOUT -> to.timeout(from.get(CommandAttribute.QP_TIMEOUT));
            case RETRY_CNT -> to.retryCount(from.get(CommandAttribute.QP_RETRY_CNT));
            case RNR_RETRY -> to.rnrRetry(from.get(CommandAttribute.QP_RNR_RETRY));
            case RQ_PSN -> to.rqPsn(from.get(CommandAttribute.QP_RQ_PSN));
            case MAX_QP_RD_ATOMIC -> to.maxRdAtomic(from.get(CommandAttribute.QP_MAX_RD_ATOMIC));
            case ALT_PATH -> to.alternatePath(from.getRecord(CommandAttribute.QP_ALT_PATH, AlternatePath.class));
            case MIN_RNR_TIMER -> to.minRnrTimer(from.get(CommandAttribute.QP_MIN_RNR_TIMER));
            case SQ_PSN -> to.sqPsn(from.get(CommandAttribute.QP_SQ_PSN));
            case MAX_DEST_RD_ATOMIC -> to.maxDestRdAtomic(from.get(CommandAttribute.QP_MAX_DEST_RD_ATOMIC));
            case PATH_MIG_STATE ->
                to.migrationState(RecordCodec.byCode(
                        MigrationState.values(), MigrationState::code, from.get(CommandAttribute.QP_PATH_MIG_STATE)));
            case CAP -> to.capabilities(from.getRecord(CommandAttribute.QP_CAP, QpCapabilities.class));
            case DEST_QPN -> to.destinationQpn(from.get(CommandAttribute.QP_DEST_QPN));
            case RATE_LIMIT -> to.rateLimit(from.get(CommandAttribute.QP_RATE_LIMIT));
        }
    }
}
