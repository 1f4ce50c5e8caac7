// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.harness;

import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.values.AccessFlag;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** A shared receive queue with its protection domain and memory. */
public final class ReceivePool implements AutoCloseable {
    static final int BYTES = 1 << 17;
    private static final int ALIGNMENT = 64;

    public final Context context;
    public final ProtectionDomain pd;
    public final MemorySegment memory;
    public final MemoryRegion mr;
    public final SharedReceiveQueue srq;

    public ReceivePool(ConformanceTarget target, Context context, SrqInitAttributes attributes) {
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

    public void post(long wrId, long offset, int length) {
        srq.startReceive()
                .receive(wrId)
                .sge(mr.lkey(), memory.address() + offset, length)
                .complete();
    }

    /** Posts {@code count} requests of {@code length} bytes each, at consecutive addresses, numbered from 0. */
    public void post(int count, int length) {
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
