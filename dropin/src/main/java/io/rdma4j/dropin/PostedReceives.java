// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.wr.ReceiveBatch;
import org.jspecify.annotations.Nullable;

/** Posts lists of {@code struct ibv_recv_wr}, with the rule of {@link PostedSends} for wrong requests. */
final class PostedReceives {
    private PostedReceives() {}

    /** Parameters as those of {@link PostedSends#post}. */
    static void postToQp(long pointer, long first, long bad) {
        post(ObjectTable.get(CMemory.getInt(pointer + 48), PostingQp.class).qp(), null, first, bad);
    }

    /** @param pointer address of the {@code struct ibv_srq} */
    static void postToSrq(long pointer, long first, long bad) {
        post(null, ObjectTable.get(CMemory.getInt(pointer + 24), SharedReceiveQueue.class), first, bad);
    }

    private static void post(@Nullable QueuePair qp, @Nullable SharedReceiveQueue srq, long first, long bad) {
        try {
            post(start(qp, srq), first, 0);
        } catch (RdmaException e) {
            long failed = first;
            if (CMemory.getLong(first + 8) != 0) {
                failed = postOneByOne(qp, srq, first);
                if (failed == 0) {
                    return; // the device has taken requests meanwhile
                }
            }
            CMemory.putLong(bad, failed);
            throw e;
        }
    }

    private static long postOneByOne(@Nullable QueuePair qp, @Nullable SharedReceiveQueue srq, long first) {
        for (long wr = first; wr != 0; wr = CMemory.getLong(wr + 8)) {
            try {
                post(start(qp, srq), wr, CMemory.getLong(wr + 8));
            } catch (RdmaException e) {
                return wr;
            }
        }
        return 0;
    }

    private static ReceiveBatch start(@Nullable QueuePair qp, @Nullable SharedReceiveQueue srq) {
        if (qp != null) {
            return qp.startReceive();
        }
        if (srq != null) {
            return srq.startReceive();
        }
        throw new IllegalArgumentException("neither a queue pair nor a shared receive queue");
    }

    private static void post(ReceiveBatch batch, long first, long end) {
        for (long wr = first; wr != end; wr = CMemory.getLong(wr + 8)) {
            batch.receive(CMemory.getLong(wr));
            long sge = CMemory.getLong(wr + 16);
            for (int i = CMemory.getInt(wr + 24); i > 0; i--, sge += 16) {
                batch.sge(CMemory.getInt(sge + 12), CMemory.getLong(sge), CMemory.getInt(sge + 8));
            }
        }
        batch.complete();
    }
}
