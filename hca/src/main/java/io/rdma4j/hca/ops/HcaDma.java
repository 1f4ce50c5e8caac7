// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.ops;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.memory.DmaSpace;
import io.rdma4j.verbs.spi.DmaOps;
import io.rdma4j.verbs.values.DmaAttribute;
import io.rdma4j.verbs.values.DmaDirection;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** A DMA mapping of memory for the device. */
final class HcaDma implements DmaOps {
    private final DeviceKeys keys;
    private final DmaSpace space;
    private final MemorySegment memory;
    private final long address;

    HcaDma(
            DeviceKeys keys,
            DmaSpace space,
            MemorySegment memory,
            DmaDirection direction,
            Set<DmaAttribute> attributes) {
        this.keys = keys;
        this.space = space;
        this.memory = memory;
        this.address = keys.lock().exclusively(() -> {
            long given = space.map(memory, direction);
            space.hand(given, !attributes.contains(DmaAttribute.SKIP_CPU_SYNC));
            return given;
        });
    }

    @Override
    public long address() {
        return address;
    }

    /** Drops packets that wait to be sent from this memory: the program may change it from now on. */
    @Override
    public void syncForCpu() {
        keys.lock().exclusively(() -> {
            space.hand(address, false);
            keys.dropWaiting(this::isSentBy);
        });
    }

    @Override
    public void syncForDevice() {
        keys.lock().exclusively(() -> space.hand(address, true));
    }

    @Override
    public void close() {
        keys.lock().exclusively(() -> {
            space.unmap(address);
            keys.dropWaiting(this::isSentBy);
        });
    }

    private boolean isSentBy(SkBuff skb) {
        for (int i = 0; i < skb.shinfo().fragCount(); i++) {
            if (skb.shinfo().fragMemory(i).equals(memory)) {
                return true;
            }
        }
        return false;
    }
}
