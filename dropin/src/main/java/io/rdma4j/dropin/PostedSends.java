// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.wr.FlushLevel;
import io.rdma4j.verbs.wr.SendBatch;

/**
 * Posts lists of {@code struct ibv_send_wr}. In C all requests before a wrong one are posted; a {@link SendBatch} posts
 * all or nothing. Therefore a list that fails as one batch is posted again, one by one.
 */
final class PostedSends {
    private static final int FENCE = 1;
    private static final int SIGNALED = 2;
    private static final int SOLICITED = 4;
    private static final int INLINE = 8;
    private static final int IP_CSUM = 16;

    private PostedSends() {}

    /**
     * Posts a list.
     *
     * @param pointer address of the {@code struct ibv_qp}
     * @param first address of the first request
     * @param bad where the address of the first request goes that was not posted
     */
    static void post(long pointer, long first, long bad) {
        PostingQp qp = ObjectTable.get(CMemory.getInt(pointer + 48), PostingQp.class);
        try {
            post(qp, first, 0);
        } catch (RdmaException e) {
            long failed = first;
            if (CMemory.getLong(first + 8) != 0) {
                failed = postOneByOne(qp, first);
                if (failed == 0) {
                    return; // another thread's completions have made room meanwhile
                }
            }
            CMemory.putLong(bad, failed);
            throw e;
        }
    }

    /** Returns the address of the first request that was not posted, 0 if all were. */
    private static long postOneByOne(PostingQp qp, long first) {
        for (long wr = first; wr != 0; wr = CMemory.getLong(wr + 8)) {
            try {
                post(qp, wr, CMemory.getLong(wr + 8));
            } catch (RdmaException e) {
                return wr;
            }
        }
        return 0;
    }

    /** Posts the requests from {@code first} up to {@code end}, which is not posted, as one batch. */
    private static void post(PostingQp qp, long first, long end) {
        SendBatch batch = qp.qp().startSend();
        try {
            for (long wr = first; wr != end; wr = CMemory.getLong(wr + 8)) {
                add(batch, qp, wr);
            }
        } catch (RdmaException e) {
            batch.abort();
            throw e;
        }
        batch.complete();
    }

    private static void add(SendBatch batch, PostingQp qp, long wr) {
        int flags = CMemory.getInt(wr + 32);
        batch.wrId(CMemory.getLong(wr));
        if ((flags & FENCE) != 0) {
            batch.fenced();
        }
        if ((flags & SIGNALED) != 0) {
            batch.signaled();
        }
        if ((flags & SOLICITED) != 0) {
            batch.solicited();
        }
        if ((flags & IP_CSUM) != 0) {
            batch.ipChecksum();
        }
        addOperation(batch, wr);
        if (qp.hasDestinations()) {
            AddressHandle ah = ObjectTable.get(CMemory.getInt(CMemory.getLong(wr + 40) + 16), AddressHandle.class);
            batch.destination(ah, CMemory.getInt(wr + 48) & 0xFF_FFFF, CMemory.getInt(wr + 52));
        } else if (qp.isXrc()) {
            batch.xrcSrq(CMemory.getInt(wr + 72));
        }
        if ((flags & INLINE) != 0) {
            addInline(batch, qp, wr);
        } else {
            long sge = CMemory.getLong(wr + 16);
            for (int i = CMemory.getInt(wr + 24); i > 0; i--, sge += 16) {
                batch.sge(CMemory.getInt(sge + 12), CMemory.getLong(sge), CMemory.getInt(sge + 8));
            }
        }
    }

    /** The numbers are those of {@code enum ibv_wr_opcode}. Immediate data are big-endian in C. */
    private static void addOperation(SendBatch batch, long wr) {
        long remote = CMemory.getLong(wr + 40);
        int rkey = CMemory.getInt(wr + 48);
        int data = CMemory.getInt(wr + 36);
        int opcode = CMemory.getInt(wr + 28);
        switch (opcode) {
            case 0 -> batch.rdmaWrite(rkey, remote);
            case 1 -> batch.rdmaWriteImm(rkey, remote, Integer.reverseBytes(data));
            case 2 -> batch.send();
            case 3 -> batch.sendImm(Integer.reverseBytes(data));
            case 4 -> batch.rdmaRead(rkey, remote);
            case 5 ->
                batch.atomicCompareSwap(
                        CMemory.getInt(wr + 64), remote, CMemory.getLong(wr + 48), CMemory.getLong(wr + 56));
            case 6 -> batch.atomicFetchAdd(CMemory.getInt(wr + 64), remote, CMemory.getLong(wr + 48));
            case 7 -> batch.localInvalidate(data);
            case 8 -> addBind(batch, wr);
            case 9 -> batch.sendInvalidate(data);
            case 10 ->
                batch.sendSegmented(
                        CMemory.segment(CMemory.getLong(wr + 80), CMemory.getShort(wr + 88)),
                        CMemory.getShort(wr + 90));
            case 14 -> {
                long types = CMemory.getLong(wr + 56);
                FlushLevel level = (types >> Byte.SIZE) == 0 ? FlushLevel.RANGE : FlushLevel.MR;
                batch.flush(CMemory.getInt(wr + 64), remote, CMemory.getLong(wr + 48), (int) types & 0xFF, level);
            }
            case 15 -> batch.atomicWrite(CMemory.getInt(wr + 64), remote, CMemory.getLong(wr + 48));
            default -> throw new RdmaException(Errno.EINVAL, "opcode " + opcode + " of a work request is unknown");
        }
    }

    private static void addBind(SendBatch batch, long wr) {
        MemoryWindow window = ObjectTable.get(CMemory.getInt(CMemory.getLong(wr + 80) + 20), MemoryWindow.class);
        long mr = CMemory.getLong(wr + 96);
        MemoryRegion region = mr == 0 ? null : ObjectTable.get(CMemory.getInt(mr + 32), MemoryRegion.class);
        long address = CMemory.getLong(wr + 104);
        long length = CMemory.getLong(wr + 112);
        int access = CMemory.getInt(wr + 120) & MemoryVerbs.WINDOW_ACCESS;
        batch.bindWindow(window, CMemory.getInt(wr + 88), region, address, length, access);
    }

    private static void addInline(SendBatch batch, PostingQp qp, long wr) {
        long sge = CMemory.getLong(wr + 16);
        int count = CMemory.getInt(wr + 24);
        if (count == 1) {
            batch.inline(CMemory.segment(CMemory.getLong(sge), length(sge)));
            return;
        }
        long total = 0;
        long room = qp.staging().byteSize();
        for (int i = 0; i < count; i++, sge += 16) {
            long length = length(sge);
            if (length > room - total) {
                throw new RdmaException(Errno.EINVAL, "inline data exceed max_inline_data, " + room + " bytes");
            }
            CMemory.copy(CMemory.getLong(sge), qp.staging(), total, length);
            total += length;
        }
        batch.inline(qp.staging().asSlice(0, total));
    }

    private static long length(long sge) {
        return Integer.toUnsignedLong(CMemory.getInt(sge + 8));
    }
}
