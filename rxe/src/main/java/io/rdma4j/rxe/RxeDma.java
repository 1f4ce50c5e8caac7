package io.rdma4j.rxe;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.memory.DmaSpace;
import io.rdma4j.verbs.DmaAttribute;
import io.rdma4j.verbs.DmaDirection;
import io.rdma4j.verbs.spi.DmaOps;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** A DMA mapping of memory for the device. */
final class RxeDma implements DmaOps {
    private final RxePort port;
    private final DmaSpace space;
    private final MemorySegment memory;
    private final long address;

    RxeDma(RxePort port, DmaSpace space, MemorySegment memory, DmaDirection direction, Set<DmaAttribute> attributes) {
        this.port = port;
        this.space = space;
        this.memory = memory;
        this.address = port.netLoop().exclusively(() -> {
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
        port.netLoop().exclusively(() -> {
            space.hand(address, false);
            port.output().dropWaiting(this::isSentBy);
        });
    }

    @Override
    public void syncForDevice() {
        port.netLoop().exclusively(() -> space.hand(address, true));
    }

    @Override
    public void close() {
        port.netLoop().exclusively(() -> {
            space.unmap(address);
            port.output().dropWaiting(this::isSentBy);
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
