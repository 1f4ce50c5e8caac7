// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.fuzz;

import io.rdma4j.testing.sim.fuzz.PacketForge.Aim;
import io.rdma4j.testing.sim.program.GuardedMemory;
import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.verbs.FastMemoryRegion;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.WindowBinding;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.MemoryKeys;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.WindowType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Memory that a queue pair under attack has registered: regions with all and with some rights, windows and
 * fast-registered regions, valid and invalidated.
 */
final class FuzzVictim {
    private static final int BYTES = 2 * SimEndpoint.PAGE_BYTES;
    private static final Set<AccessFlag> READ = Set.of(AccessFlag.REMOTE_READ);
    private static final Set<AccessFlag> WRITE = Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC);
    private static final Set<AccessFlag> LOCAL = Set.of(AccessFlag.LOCAL_WRITE);
    private static final Set<AccessFlag> BELOW_WINDOWS = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);

    private final SimEndpoint end;
    private final GuardedMemory memory;
    private final List<Aim> aims = new ArrayList<>();
    private final MemoryRegion open;
    private final MemoryRegion landing;

    FuzzVictim(SimEndpoint end, GuardedMemory memory, PacketForge forge) {
        this.end = end;
        this.memory = memory;
        open = region(SimEndpoint.REMOTE_RIGHTS, true, true);
        region(READ, false, true);
        region(Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE), true, false);
        region(LOCAL, false, false);
        landing = region(LOCAL, true, true);
        forge.aimAt(end.queuePairs(), aims);
    }

    /** The region that the peer may access. */
    MemoryRegion open() {
        return open;
    }

    /** The region for received messages and responses; the peer has no right to it. */
    MemoryRegion landing() {
        return landing;
    }

    private MemoryRegion region(Set<AccessFlag> rights, boolean changes, boolean seen) {
        MemorySegment part = memory.take(BYTES);
        MemoryRegion region = end.register(part, rights);
        if (changes) {
            memory.mayChange(part);
        }
        if (seen) {
            memory.maySee(part);
        }
        aims.add(new Aim(region.rkey(), region.iova(), BYTES));
        return region;
    }

    /** Binds windows and registers fast regions. The queue pair is in RTS, and no request is outstanding. */
    void openAccesses() {
        MemorySegment below = memory.take(BYTES);
        MemoryRegion region = end.register(below, BELOW_WINDOWS);
        memory.mayChange(below.asSlice(0, BYTES / 4));
        memory.maySee(below.asSlice(BYTES / 2, BYTES / 4));
        QueuePair qp = end.qp();
        MemoryWindow writes = end.closing(end.protectionDomain().allocateWindow(WindowType.TYPE_1));
        int key = writes.bind(
                qp, 0, Set.of(SendFlag.SIGNALED), WindowBinding.of(region, region.iova(), BYTES / 4, WRITE));
        aims.add(new Aim(key, region.iova(), BYTES / 4));
        MemoryWindow reads = end.closing(end.protectionDomain().allocateWindow(WindowType.TYPE_2));
        int readKey = MemoryKeys.next(reads.rkey());
        long middle = region.iova() + BYTES / 2;
        qp.startSend()
                .signaled()
                .bindWindow(reads, readKey, region, middle, BYTES / 4, AccessFlag.mask(READ))
                .complete();
        aims.add(new Aim(readKey, middle, BYTES / 4));
        fastRegion(qp, true);
        fastRegion(qp, false);
        foreignRegion();
    }

    /** @param stays false: it is invalidated immediately */
    private void fastRegion(QueuePair qp, boolean stays) {
        MemorySegment part = memory.take(BYTES);
        FastMemoryRegion fast = end.closing(end.protectionDomain().allocateFastRegion(2));
        fast.map(List.of(part));
        int key = MemoryKeys.next(fast.key());
        qp.startSend()
                .signaled()
                .registerMemory(fast, key, AccessFlag.mask(SimEndpoint.REMOTE_RIGHTS))
                .complete();
        aims.add(new Aim(key, fast.iova(), BYTES));
        if (stays) {
            memory.mayChange(part);
            memory.maySee(part);
        } else {
            qp.startSend().signaled().localInvalidate(key).complete();
        }
    }

    /** Registers a region with all rights in a protection domain that no queue pair uses. */
    private void foreignRegion() {
        MemorySegment part = memory.take(BYTES);
        ProtectionDomain other = end.closing(end.host().context().allocatePd());
        MemoryRegion region = end.closing(other.registerMemory(part, 1L << 40, SimEndpoint.REMOTE_RIGHTS));
        aims.add(new Aim(region.rkey(), region.iova(), BYTES));
    }
}
