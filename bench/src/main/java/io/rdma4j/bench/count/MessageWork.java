// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.count;

import io.rdma4j.base.Mtu;
import io.rdma4j.bench.verbs.VerbsEnd;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.values.AccessFlag;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Messages from one queue pair to another and back. One thread runs both ends, so that the order is always the same.
 */
final class MessageWork implements Work {
    private static final int BYTES = 64;
    private static final int REGION_BYTES = 4096;
    private static final int DEPTH = 15;
    private static final int CQ_ENTRIES = 63;

    /** The ACK timeout, 17 s, is longer than a message takes step by step. */
    private static final LinkSetup LONG_TIMEOUTS = new LinkSetup(Mtu.MTU_1024, 0x123456, 22, 7, 7, 12, 1);

    private final CountedOperation post;
    private final @Nullable CountedOperation take;
    private final @Nullable CountedOperation store;
    private final @Nullable CountedOperation emptyPoll;
    private final Runnable closer;
    private final Side a;
    private final Side b;

    /**
     * @param take null: not counted
     * @param store null: no WRITE is posted
     * @param emptyPoll null: not counted
     * @param closer closes the devices
     */
    MessageWork(
            Context first,
            Context second,
            CountedOperation post,
            @Nullable CountedOperation take,
            @Nullable CountedOperation store,
            @Nullable CountedOperation emptyPoll,
            Runnable closer) {
        this.post = post;
        this.take = take;
        this.store = store;
        this.emptyPoll = emptyPoll;
        this.closer = closer;
        a = new Side(first);
        b = new Side(second);
        a.end.connectTo(b.end, LONG_TIMEOUTS);
        b.end.connectTo(a.end, LONG_TIMEOUTS);
    }

    private static final class Side implements AutoCloseable {
        final ProtectionDomain pd;
        final CompletionQueue sends;
        final CompletionQueue receives;
        final VerbsEnd end;
        final MemoryRegion region;

        Side(Context context) {
            pd = context.allocatePd();
            sends = context.createCq(CQ_ENTRIES);
            receives = context.createCq(CQ_ENTRIES);
            end = new VerbsEnd(context, pd, sends, receives, DEPTH);
            region = pd.allocateMemory(REGION_BYTES, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
        }

        @Override
        public void close() {
            end.close();
            sends.close();
            receives.close();
            region.close();
            pd.close();
        }
    }

    @Override
    public void once(OperationMarks marks) {
        marks.nothing();
        message(marks, a, b);
        message(marks, b, a);
        if (store != null) {
            write(marks, store);
        }
    }

    private void write(OperationMarks marks, CountedOperation operation) {
        marks.begin();
        a.end.postWrite(a.region.lkey(), a.region.address(), BYTES, b.region.rkey(), b.region.address() + 2 * BYTES);
        marks.end(operation);
        while (VerbsEnd.poll(a.sends) == 0) {
            // the first ones go through the ring
            VerbsEnd.poll(b.receives);
        }
    }

    private void message(OperationMarks marks, Side from, Side to) {
        to.end.postReceive(to.region.lkey(), to.region.address() + BYTES, BYTES);
        marks.begin();
        from.end.postSend(from.region.lkey(), from.region.address(), BYTES);
        marks.end(post);
        while (!counted(marks, to.receives, take, null)) {
            // the system has not delivered the packet yet
        }
        while (VerbsEnd.poll(from.sends) == 0) {
            // the acknowledgement may wait for the receiver's next poll
            VerbsEnd.poll(to.receives);
        }
        counted(marks, to.receives, null, emptyPoll);
    }

    /** Returns true if the poll has found a completion. */
    private static boolean counted(
            OperationMarks marks,
            CompletionQueue cq,
            @Nullable CountedOperation successful,
            @Nullable CountedOperation vain) {
        marks.begin();
        boolean found = VerbsEnd.poll(cq) > 0;
        CountedOperation operation = found ? successful : vain;
        if (operation == null) {
            marks.discard();
        } else {
            marks.end(operation);
        }
        return found;
    }

    @Override
    public void close() {
        a.close();
        b.close();
        closer.run();
    }
}
