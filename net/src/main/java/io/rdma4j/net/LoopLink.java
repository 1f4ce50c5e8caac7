package io.rdma4j.net;

import io.rdma4j.packet.SkBuff;
import java.util.function.Predicate;
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

    /** The hash of a packet's flow; without a loop, what was written on it. By the owner. */
    int flowHash(SkBuff skb) {
        PollLoop driving = loop;
        return driving == null ? skb.hash() : driving.softnet().flowHash(skb);
    }

    /** Drops what of a device waits for a worker; returns how many there were. By the owner. */
    @SuppressWarnings("ReferenceEquality") // a device is itself
    int drop(NetDevice device, Predicate<? super SkBuff> condition) {
        PollLoop driving = loop;
        return driving == null ? 0 : driving.softnet().drop(skb -> skb.device() == device && condition.test(skb));
    }

    /** When the visit to the loop began; 0 without a loop. By the owner. */
    long nowNs() {
        PollLoop driving = loop;
        return driving == null ? 0 : driving.nowNs();
    }
}
