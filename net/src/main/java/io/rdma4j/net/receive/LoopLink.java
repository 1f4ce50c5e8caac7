// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

import io.rdma4j.packet.PacketDevice;
import io.rdma4j.packet.SkBuff;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The loop that drives a device, if any. The parts of the device share it. */
public final class LoopLink {
    private volatile @Nullable PollLoop loop;
    private volatile int irq;

    /** Creates it without a loop. */
    public LoopLink() {}

    /** {@return number of the interrupt vector that wakes a worker of the loop, 0 if there is none} */
    public int irq() {
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

    /**
     * Runs {@code action} while no thread runs the loop. Waits for the end of a run, unless the caller owns the loop.
     * Without a loop the caller drives the device, so there is nothing to wait for. Any thread may call it.
     *
     * @param action short, because packets wait meanwhile
     */
    public void exclusively(Runnable action) {
        PollLoop driving = loop;
        if (driving == null) {
            action.run();
        } else {
            driving.exclusively(action);
        }
    }

    /**
     * {@return the hash of a packet's flow; without a loop, the hash in the packet} Called by the loop's owner.
     *
     * @param skb the packet; the caller keeps it
     */
    public int flowHash(SkBuff skb) {
        PollLoop driving = loop;
        return driving == null ? skb.meta().hash() : driving.softnet().flowHash(skb);
    }

    /**
     * Drops matching packets of a device in the workers' backlogs. Called by the loop's owner.
     *
     * @param device the device
     * @param condition selects packets; changes nothing
     * @return number of dropped packets
     */
    @SuppressWarnings("ReferenceEquality") // identity is intended
    public int drop(PacketDevice device, Predicate<? super SkBuff> condition) {
        PollLoop driving = loop;
        return driving == null
                ? 0
                : driving.softnet().drop(skb -> skb.meta().device() == device && condition.test(skb));
    }

    /** Notes that the device has packets to send in the next run of the loop. Called by the loop's owner. */
    public void expectFlush() {
        PollLoop driving = loop;
        if (driving != null) {
            driving.expectFlush();
        }
    }

    /** {@return start time of the present run of the loop, ns; 0 without a loop} Called by the loop's owner. */
    public long nowNs() {
        PollLoop driving = loop;
        return driving == null ? 0 : driving.nowNs();
    }
}
