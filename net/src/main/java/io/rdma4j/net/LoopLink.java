package io.rdma4j.net;

import io.rdma4j.packet.SkBuff;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The loop that drives a device, if any. The parts of the device share it. */
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

    /** Returns the hash of a packet's flow; without a loop, the hash in the packet. Called by the loop's owner. */
    int flowHash(SkBuff skb) {
        PollLoop driving = loop;
        return driving == null ? skb.meta().hash() : driving.softnet().flowHash(skb);
    }

    /**
     * Drops matching packets of a device in the workers' backlogs and returns their number. Called by the loop's owner.
     */
    @SuppressWarnings("ReferenceEquality") // identity is intended
    int drop(NetDevice device, Predicate<? super SkBuff> condition) {
        PollLoop driving = loop;
        return driving == null
                ? 0
                : driving.softnet().drop(skb -> skb.meta().device() == device && condition.test(skb));
    }

    /** Returns the start time of the present run of the loop, ns; 0 without a loop. Called by the loop's owner. */
    long nowNs() {
        PollLoop driving = loop;
        return driving == null ? 0 : driving.nowNs();
    }
}
