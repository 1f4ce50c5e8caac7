// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.verbs;

import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.values.AccessFlag;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Two queue pairs of one device run a ping-pong on one thread. */
public final class SelfPingPong implements AutoCloseable {
    private static final int DEPTH = 15;
    private static final int CQ_ENTRIES = 63;
    private static final int PAGE_BYTES = 4096;

    private final int bytes;
    private final Arena arena = Arena.ofShared();
    private final SelfDevice device = new SelfDevice();
    private final ProtectionDomain pd = device.context().allocatePd();
    private final CompletionQueue cqA = device.context().createCq(CQ_ENTRIES);
    private final CompletionQueue cqB = device.context().createCq(CQ_ENTRIES);
    private final VerbsEnd a = new VerbsEnd(device.context(), pd, cqA, DEPTH);
    private final VerbsEnd b = new VerbsEnd(device.context(), pd, cqB, DEPTH);
    private final MemoryRegion region;
    private final long address;

    /** @param bytes message size */
    public SelfPingPong(int bytes) {
        this.bytes = bytes;
        MemorySegment memory = arena.allocate(2L * bytes, PAGE_BYTES);
        address = memory.address();
        region = pd.registerMemory(memory, Set.of(AccessFlag.LOCAL_WRITE));
        a.connectTo(b);
        b.connectTo(a);
    }

    /** Sends one message in each direction and polls all four completions. */
    public void roundTrip() {
        oneWay(a, cqA, b, cqB);
        oneWay(b, cqB, a, cqA);
    }

    private void oneWay(VerbsEnd from, CompletionQueue sends, VerbsEnd to, CompletionQueue receives) {
        int lkey = region.lkey();
        to.postReceive(lkey, address + bytes, bytes);
        from.postSend(lkey, address, bytes);
        int sent = 0;
        int received = 0;
        while (received == 0 || sent == 0) {
            received += VerbsEnd.poll(receives);
            sent += VerbsEnd.poll(sends);
        }
    }

    @Override
    public void close() {
        a.close();
        b.close();
        cqA.close();
        cqB.close();
        region.close();
        pd.close();
        device.close();
        arena.close();
    }
}
