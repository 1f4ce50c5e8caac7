// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.CqInitAttributes;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.XrcDomain;
import io.rdma4j.verbs.values.CqCreateFlag;
import io.rdma4j.verbs.values.Flags;
import io.rdma4j.verbs.values.SrqAttributes;
import io.rdma4j.verbs.values.XrcdInitAttributes;
import io.rdma4j.verbs.wr.CompletionField;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;

/** Completion queues, shared receive queues, XRC domains. */
final class QueueVerbs {
    private static final int CQ_MODERATE = 1;
    private static final int SRQ_MAX_WR = 1;
    private static final int SRQ_LIMIT = 2;
    private static final int SRQ_TYPE = 1;
    private static final int SRQ_TYPE_XRC = 1;
    private static final int XRCD_FD = 1;
    private static final int XRCD_OFLAGS = 2;
    private static final int O_CREAT = 0x40;
    private static final int O_EXCL = 0x80;

    private QueueVerbs() {}

    static int createCq(CallArguments a) {
        Context context = a.object(0, Context.class);
        long fields = a.number(3);
        Set<CompletionField> wanted = Flags.of(CompletionField.class, fields, CompletionField::bit);
        Set<CqCreateFlag> flags = Flags.of(CqCreateFlag.class, a.number(4), CqCreateFlag::bit);
        if (Flags.mask(wanted, CompletionField::bit) != fields || Flags.mask(flags, CqCreateFlag::bit) != a.number(4)) {
            throw new RdmaException(
                    Errno.EOPNOTSUPP, String.format("wc_flags 0x%x, flags 0x%x: unknown bits", fields, a.number(4)));
        }
        long pointer = a.number(6);
        CqInitAttributes attributes = CqInitAttributes.of(a.small(1), null, a.small(2))
                .withUserContext(pointer)
                .withFields(wanted)
                .withFlags(flags.toArray(CqCreateFlag[]::new));
        if (a.flag(5)) {
            attributes = attributes.withCompletionHandler(_ -> CEvents.completionEvent(pointer));
        }
        CompletionQueue queue = context.createCq(attributes);
        putCapacity(pointer, queue);
        return ObjectTable.add(queue, context);
    }

    static int resizeCq(CallArguments a) {
        CompletionQueue queue = a.object(0, CompletionQueue.class);
        queue.resize(a.small(1));
        putCapacity(a.number(2), queue);
        return 0;
    }

    /** The member {@code cqe} of {@code struct ibv_cq}. */
    private static void putCapacity(long pointer, CompletionQueue queue) {
        CMemory.putInt(pointer + 28, queue.capacity());
    }

    /** The attributes have the layout of {@code struct ibv_modify_cq_attr}. */
    static int modifyCq(CallArguments a) {
        long attributes = a.number(1);
        if (CMemory.getInt(attributes) != CQ_MODERATE) {
            throw new RdmaException(Errno.EINVAL, "attr_mask " + CMemory.getInt(attributes) + " is not MODERATE");
        }
        a.object(0, CompletionQueue.class).moderate(CMemory.getShort(attributes + 4), CMemory.getShort(attributes + 6));
        return 0;
    }

    /** The attributes have the layout of {@code struct ibv_srq_init_attr_ex}; the actual sizes are written back. */
    static int createSrq(CallArguments a) {
        long init = a.number(1);
        long attr = init + 8;
        int mask = CMemory.getInt(init + 20);
        int type = (mask & SRQ_TYPE) != 0 ? CMemory.getInt(init + 24) : 0;
        SrqAttributes sizes =
                new SrqAttributes(CMemory.getInt(attr), CMemory.getInt(attr + 4), CMemory.getInt(attr + 8));
        SrqInitAttributes attributes = switch (type) {
            case 0 -> SrqInitAttributes.basic(sizes, null, null);
            case SRQ_TYPE_XRC ->
                SrqInitAttributes.xrc(
                        sizes, a.object(2, XrcDomain.class), PolledCompletions.queue(CMemory.getLong(init + 48)));
            default -> throw new RdmaException(Errno.EOPNOTSUPP, "srq_type " + type + " is not supported");
        };
        ProtectionDomain pd = a.object(0, ProtectionDomain.class);
        SharedReceiveQueue srq = pd.createSrq(attributes.withUserContext(a.number(3)));
        SrqAttributes actual = srq.query();
        CMemory.putInt(attr, actual.maxWr());
        CMemory.putInt(attr + 4, actual.maxSge());
        return ObjectTable.add(srq, pd.context());
    }

    static int modifySrq(CallArguments a) {
        SharedReceiveQueue srq = a.object(0, SharedReceiveQueue.class);
        int mask = a.small(2);
        if ((mask & ~(SRQ_MAX_WR | SRQ_LIMIT)) != 0) {
            throw new RdmaException(Errno.EINVAL, "srq_attr_mask " + mask + " has unknown bits");
        }
        if ((mask & SRQ_MAX_WR) != 0) {
            srq.resize(CMemory.getInt(a.number(1)));
        }
        if ((mask & SRQ_LIMIT) != 0) {
            srq.armLimit(CMemory.getInt(a.number(1) + 8));
        }
        return 0;
    }

    static int querySrq(CallArguments a) {
        SrqAttributes attributes = a.object(0, SharedReceiveQueue.class).query();
        CMemory.putInt(a.number(1), attributes.maxWr());
        CMemory.putInt(a.number(1) + 4, attributes.maxSge());
        CMemory.putInt(a.number(1) + 8, attributes.limit());
        return 0;
    }

    static int srqNumber(CallArguments a) {
        CMemory.putInt(a.number(1), a.object(0, SharedReceiveQueue.class).number());
        return 0;
    }

    /**
     * The attributes have the layout of {@code struct ibv_xrcd_init_attr}. A file descriptor names the file of a shared
     * domain.
     */
    static int openXrcDomain(CallArguments a) {
        Context context = a.object(0, Context.class);
        long attributes = a.number(1);
        int needed = XRCD_FD | XRCD_OFLAGS;
        if (CMemory.getInt(attributes) != needed) {
            throw new RdmaException(Errno.EINVAL, "comp_mask of an XRC domain needs FD and OFLAGS, and nothing else");
        }
        int fd = CMemory.getInt(attributes + 4);
        int oflags = CMemory.getInt(attributes + 8);
        XrcdInitAttributes wanted =
                new XrcdInitAttributes(fd == -1 ? null : fileOf(fd), (oflags & O_CREAT) != 0, (oflags & O_EXCL) != 0);
        return ObjectTable.add(context.openXrcDomain(wanted), context);
    }

    private static Path fileOf(int fd) {
        try {
            return Path.of("/proc/self/fd/" + fd).toRealPath();
        } catch (IOException e) {
            throw new RdmaException(Errno.EINVAL, "file descriptor " + fd + " is not that of a file", e);
        }
    }
}
