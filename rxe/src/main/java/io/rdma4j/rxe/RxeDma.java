package io.rdma4j.rxe;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.spi.DmaOps;
import java.lang.foreign.MemorySegment;

/** Memory that is mapped for the device. */
final class RxeDma implements DmaOps {
    private final RxePort port;
    private final MemorySegment memory;
    private final long address;

    RxeDma(RxePort port, MemorySegment memory) {
        this.port = port;
        this.memory = memory;
        this.address =
                port.netLoop().exclusively(() -> port.context().keys().dma().map(memory));
    }

    @Override
    public long address() {
        return address;
    }

    @Override
    public void close() {
        port.netLoop().exclusively(() -> {
            port.context().keys().dma().unmap(address);
            port.output().dropWaiting(this::isSentBy);
        });
    }

    private boolean isSentBy(SkBuff skb) {
        for (int i = 0; i < skb.fragCount(); i++) {
            if (skb.fragMemory(i).equals(memory)) {
                return true;
            }
        }
        return false;
    }
}
