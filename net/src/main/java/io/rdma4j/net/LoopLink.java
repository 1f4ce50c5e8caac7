package io.rdma4j.net;

import org.jspecify.annotations.Nullable;

/** Which loop drives a device, if one does; its parts share this. */
final class LoopLink {
    private volatile @Nullable PollLoop loop;
    private volatile int irq;

    int irq() {
        return irq;
    }

    void irq(int number) {
        irq = number;
    }

    @Nullable
    PollLoop loop() {
        return loop;
    }

    void loop(@Nullable PollLoop driving) {
        loop = driving;
    }

    /** When the visit to the loop began; 0 without a loop. By the owner. */
    long nowNs() {
        PollLoop driving = loop;
        return driving == null ? 0 : driving.nowNs();
    }
}
