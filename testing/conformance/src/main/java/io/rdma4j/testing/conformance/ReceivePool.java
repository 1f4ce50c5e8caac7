package io.rdma4j.testing.conformance;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.SrqInitAttributes;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** A shared receive queue with a protection domain and memory of its own. */
final class ReceivePool implements AutoCloseable {
    static final int BYTES = 1 << 17;
    private static final int ALIGNMENT = 64;

    final Context context;
    final ProtectionDomain pd;
    final MemorySegment memory;
    final MemoryRegion mr;
    final SharedReceiveQueue srq;

    ReceivePool(ConformanceTarget target, Context context, SrqInitAttributes attributes) {
        this.context = context;
        pd = context.allocatePd();
        memory = target.allocate(BYTES, ALIGNMENT);
        mr = pd.registerMemory(
                memory,
                Set.of(
                        AccessFlag.LOCAL_WRITE,
                        AccessFlag.REMOTE_WRITE,
                        AccessFlag.REMOTE_READ,
                        AccessFlag.REMOTE_ATOMIC));
        srq = pd.createSrq(attributes);
    }

    void post(long wrId, long offset, int length) {
        srq.startReceive()
                .receive(wrId)
                .sge(mr.lkey(), memory.address() + offset, length)
                .complete();
    }

    /** {@code count} requests of {@code length} bytes each, one behind the other, numbered from 0. */
    void post(int count, int length) {
        for (int i = 0; i < count; i++) {
            post(i, (long) i * length, length);
        }
    }

    @Override
    public void close() {
        srq.close();
        mr.close();
        pd.close();
    }
}
