// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.XrcDomain;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.AlternatePath;
import io.rdma4j.verbs.values.Flags;
import io.rdma4j.verbs.values.MigrationState;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SignalType;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import io.rdma4j.verbs.wr.WrOpcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Queue pairs, their paths and multicast groups. */
final class QpVerbs {
    private static final int INIT_CREATE_FLAGS = 4;
    private static final int INIT_SEND_OPS = 64;

    /** The operations of the bits of {@code send_ops_flags}, from bit 0. */
    private static final WrOpcode[] SEND_OPERATIONS = {
        WrOpcode.RDMA_WRITE,
        WrOpcode.RDMA_WRITE_WITH_IMM,
        WrOpcode.SEND,
        WrOpcode.SEND_WITH_IMM,
        WrOpcode.RDMA_READ,
        WrOpcode.ATOMIC_CMP_AND_SWP,
        WrOpcode.ATOMIC_FETCH_AND_ADD,
        WrOpcode.LOCAL_INV,
        WrOpcode.BIND_MW,
        WrOpcode.SEND_WITH_INV,
        WrOpcode.TSO,
        WrOpcode.FLUSH,
        WrOpcode.ATOMIC_WRITE
    };

    private static final int GRH_BYTES = 40;

    /** Bits of packet sequence and queue pair numbers; programs leave garbage in the upper 8. */
    private static final int LOW_24 = 0xFF_FFFF;

    private QpVerbs() {}

    /** The attributes have the layout of {@code struct ibv_qp_init_attr_ex}; the actual sizes are written back. */
    static int create(CallArguments a) {
        Context context = a.object(0, Context.class);
        XrcDomain domain = ObjectTable.find(a.small(2), XrcDomain.class);
        ProtectionDomain pd = ObjectTable.find(a.small(1), ProtectionDomain.class);
        long init = a.number(3);
        long pointer = a.number(4);
        QpType type = type(CMemory.getInt(init + 52));
        long srq = CMemory.getLong(init + 24);
        QpInitAttributes.Builder attributes = QpInitAttributes.builder(
                        queue(CMemory.getLong(init + 8)), queue(CMemory.getLong(init + 16)))
                .type(type)
                .xrcDomain(domain)
                .srq(srq == 0 ? null : ObjectTable.get(CMemory.getInt(srq + 24), SharedReceiveQueue.class))
                .signalType(CMemory.getInt(init + 56) != 0 ? SignalType.ALL_WR : SignalType.REQ_WR)
                .capabilities(capabilities(init + 32, srq != 0))
                .userContext(pointer);
        if ((CMemory.getInt(init + 60) & INIT_CREATE_FLAGS) != 0) {
            attributes.createFlags(createFlags(CMemory.getInt(init + 80)));
        }
        if ((CMemory.getInt(init + 60) & INIT_SEND_OPS) != 0) {
            attributes.sendOperations(sendOperations(CMemory.getLong(init + 128)));
        }
        PostingQp qp =
                pd != null ? new PostingQp(pd.createQp(attributes.build())) : createTarget(context, attributes.build());
        putCapabilities(init + 32, qp.qp().initAttributes().capabilities());
        CMemory.putInt(pointer + 52, qp.qp().qpn());
        return ObjectTable.add(qp, context);
    }

    /** XRC targets have no protection domain in C: each gets one of its own. */
    private static PostingQp createTarget(Context context, QpInitAttributes attributes) {
        if (attributes.type() != QpType.XRC_TGT) {
            throw new RdmaException(Errno.EINVAL, attributes.type() + " queue pairs need a protection domain");
        }
        ProtectionDomain pd = context.allocatePd();
        try {
            return new PostingQp(pd.createQp(attributes), pd);
        } catch (RdmaException e) {
            pd.close();
            throw e;
        }
    }

    private static @Nullable CompletionQueue queue(long pointer) {
        return pointer == 0 ? null : PolledCompletions.queue(pointer);
    }

    private static QpType type(int code) {
        for (QpType type : QpType.values()) {
            if (type.code() == code) {
                return type;
            }
        }
        throw new RdmaException(Errno.EINVAL, "queue pair type " + code + " is unknown");
    }

    private static QpCreateFlag[] createFlags(int mask) {
        QpCreateFlag[] flags =
                Flags.of(QpCreateFlag.class, mask, QpCreateFlag::bit).toArray(QpCreateFlag[]::new);
        if (QpCreateFlag.mask(Set.of(flags)) != mask) {
            throw new RdmaException(Errno.EOPNOTSUPP, String.format("create_flags 0x%x are not supported", mask));
        }
        return flags;
    }

    private static WrOpcode[] sendOperations(long mask) {
        if (mask >>> SEND_OPERATIONS.length != 0) {
            throw new RdmaException(Errno.EOPNOTSUPP, String.format("send_ops_flags 0x%x has unknown bits", mask));
        }
        List<WrOpcode> operations = new ArrayList<>();
        for (int bit = 0; bit < SEND_OPERATIONS.length; bit++) {
            if ((mask & 1L << bit) != 0) {
                operations.add(SEND_OPERATIONS[bit]);
            }
        }
        return operations.toArray(WrOpcode[]::new);
    }

    /** Reads {@code struct ibv_qp_cap}; the receive sizes of a queue pair with a shared receive queue are garbage. */
    private static QpCapabilities capabilities(long cap, boolean hasSrq) {
        return new QpCapabilities(
                CMemory.getInt(cap),
                hasSrq ? 0 : CMemory.getInt(cap + 4),
                CMemory.getInt(cap + 8),
                hasSrq ? 0 : CMemory.getInt(cap + 12),
                CMemory.getInt(cap + 16));
    }

    private static void putCapabilities(long cap, QpCapabilities capabilities) {
        CMemory.putInt(cap, capabilities.maxSendWr());
        CMemory.putInt(cap + 4, capabilities.maxReceiveWr());
        CMemory.putInt(cap + 8, capabilities.maxSendSge());
        CMemory.putInt(cap + 12, capabilities.maxReceiveSge());
        CMemory.putInt(cap + 16, capabilities.maxInlineData());
    }

    static int open(CallArguments a) {
        XrcDomain domain = a.object(0, XrcDomain.class);
        long pointer = a.number(2);
        QueuePair qp = domain.openQp(a.small(1) & LOW_24, pointer, null);
        CMemory.putInt(pointer + 52, qp.qpn());
        return ObjectTable.add(new PostingQp(qp), domain.context());
    }

    /** The attributes have the layout of {@code struct ibv_qp_attr}. */
    static int modify(CallArguments a) {
        long in = a.number(1);
        QpAttributes.Builder attributes = QpAttributes.builder();
        int mask = a.small(2);
        if (QpAttribute.mask(QpAttribute.ofMask(mask)) != mask) {
            throw new RdmaException(Errno.EINVAL, String.format("attr_mask 0x%x has unknown bits", mask));
        }
        for (QpAttribute attribute : QpAttribute.ofMask(mask)) {
            read(attribute, in, attributes);
        }
        a.object(0, PostingQp.class).qp().modify(attributes.build());
        return 0;
    }

    private static void read(QpAttribute attribute, long in, QpAttributes.Builder to) {
        switch (attribute) {
            case STATE -> to.state(QpState.ofCode(CMemory.getInt(in)));
            case CUR_STATE -> to.currentState(QpState.ofCode(CMemory.getInt(in + 4)));
            case PATH_MTU -> to.pathMtu(Mtu.ofCode(CMemory.getInt(in + 8)));
            case PATH_MIG_STATE -> to.migrationState(migrationState(CMemory.getInt(in + 12)));
            case QKEY -> to.qkey(CMemory.getInt(in + 16));
            case RQ_PSN -> to.rqPsn(CMemory.getInt(in + 20) & LOW_24);
            case SQ_PSN -> to.sqPsn(CMemory.getInt(in + 24) & LOW_24);
            case DEST_QPN -> to.destinationQpn(CMemory.getInt(in + 28) & LOW_24);
            case ACCESS_FLAGS -> to.accessFlags(AccessFlag.ofMask(CMemory.getInt(in + 32)));
            case CAP -> to.capabilities(capabilities(in + 36, false));
            case AV -> to.addressVector(PathFormat.get(in + 56));
            case ALT_PATH ->
                to.alternatePath(new AlternatePath(
                        PathFormat.get(in + 88),
                        CMemory.getShort(in + 122),
                        CMemory.getByte(in + 133),
                        CMemory.getByte(in + 134)));
            case PKEY_INDEX -> to.pkeyIndex(CMemory.getShort(in + 120));
            case EN_SQD_ASYNC_NOTIFY -> to.sqdAsyncNotify(CMemory.getByte(in + 124) != 0);
            case MAX_QP_RD_ATOMIC -> to.maxRdAtomic(CMemory.getByte(in + 126));
            case MAX_DEST_RD_ATOMIC -> to.maxDestRdAtomic(CMemory.getByte(in + 127));
            case MIN_RNR_TIMER -> to.minRnrTimer(CMemory.getByte(in + 128));
            case PORT -> to.port(CMemory.getByte(in + 129));
            case TIMEOUT -> to.timeout(CMemory.getByte(in + 130));
            case RETRY_CNT -> to.retryCount(CMemory.getByte(in + 131));
            case RNR_RETRY -> to.rnrRetry(CMemory.getByte(in + 132));
            case RATE_LIMIT -> to.rateLimit(CMemory.getInt(in + 136));
        }
    }

    private static MigrationState migrationState(int code) {
        for (MigrationState state : MigrationState.values()) {
            if (state.code() == code) {
                return state;
            }
        }
        throw new RdmaException(Errno.EINVAL, "path_mig_state " + code + " is unknown");
    }

    /** Writes {@code struct ibv_qp_attr} and the sizes and the signal type of {@code struct ibv_qp_init_attr}. */
    static int query(CallArguments a) {
        QueuePair qp = a.object(0, PostingQp.class).qp();
        QpAttributes attributes = qp.query();
        long out = a.number(1);
        CMemory.clear(out, 144);
        CMemory.putInt(out, attributes.state().code());
        CMemory.putInt(out + 4, attributes.state().code());
        CMemory.putInt(out + 8, attributes.pathMtu().code());
        CMemory.putInt(out + 12, attributes.migrationState().code());
        CMemory.putInt(out + 16, attributes.qkey());
        CMemory.putInt(out + 20, attributes.rqPsn());
        CMemory.putInt(out + 24, attributes.sqPsn());
        CMemory.putInt(out + 28, attributes.destinationQpn());
        CMemory.putInt(out + 32, AccessFlag.mask(attributes.accessFlags()));
        PathFormat.put(out + 56, attributes.addressVector());
        CMemory.putShort(out + 120, attributes.pkeyIndex());
        CMemory.putByte(out + 125, attributes.sqDraining() ? 1 : 0);
        CMemory.putByte(out + 126, attributes.maxRdAtomic());
        CMemory.putByte(out + 127, attributes.maxDestRdAtomic());
        CMemory.putByte(out + 128, attributes.minRnrTimer());
        CMemory.putByte(out + 129, attributes.port());
        CMemory.putByte(out + 130, attributes.timeout());
        CMemory.putByte(out + 131, attributes.retryCount());
        CMemory.putByte(out + 132, attributes.rnrRetry());
        CMemory.putInt(out + 136, attributes.rateLimit());
        putAlternatePath(out, attributes.alternatePath());
        QpCapabilities capabilities = qp.initAttributes().capabilities();
        putCapabilities(out + 36, capabilities);
        putCapabilities(a.number(2) + 32, capabilities);
        CMemory.putInt(a.number(2) + 56, qp.initAttributes().signalType() == SignalType.ALL_WR ? 1 : 0);
        return 0;
    }

    private static void putAlternatePath(long out, @Nullable AlternatePath path) {
        if (path != null) {
            PathFormat.put(out + 88, path.addressVector());
            CMemory.putShort(out + 122, path.pkeyIndex());
            CMemory.putByte(out + 133, path.port());
            CMemory.putByte(out + 134, path.timeout());
        }
    }

    static int attachMulticast(CallArguments a) {
        a.object(0, PostingQp.class).qp().attachMulticast(CMemory.getGid(a.number(1)), a.small(2));
        return 0;
    }

    static int detachMulticast(CallArguments a) {
        a.object(0, PostingQp.class).qp().detachMulticast(CMemory.getGid(a.number(1)), a.small(2));
        return 0;
    }

    static int createAddressHandle(CallArguments a) {
        ProtectionDomain pd = a.object(0, ProtectionDomain.class);
        return ObjectTable.add(pd.createAddressHandle(PathFormat.get(a.number(1))), pd.context());
    }

    /** {@code ibv_init_ah_from_wc}. */
    static int replyPath(CallArguments a) {
        long wc = a.number(2);
        WorkCompletion completion = new WorkCompletion(
                CMemory.getLong(wc),
                WcStatus.ofCode(CMemory.getInt(wc + 8)),
                WcOpcode.ofCode(CMemory.getInt(wc + 12)),
                0,
                CMemory.getInt(wc + 20),
                CMemory.getInt(wc + 28),
                0,
                CMemory.getInt(wc + 32),
                Flags.of(WcFlag.class, CMemory.getInt(wc + 36), WcFlag::bit),
                CMemory.getShort(wc + 40),
                CMemory.getShort(wc + 42),
                CMemory.getByte(wc + 44),
                CMemory.getByte(wc + 45),
                a.small(1));
        AddressVector path =
                a.object(0, Context.class).replyPath(a.small(1), completion, CMemory.segment(a.number(3), GRH_BYTES));
        CMemory.clear(a.number(4), 32);
        PathFormat.put(a.number(4), path);
        return 0;
    }
}
