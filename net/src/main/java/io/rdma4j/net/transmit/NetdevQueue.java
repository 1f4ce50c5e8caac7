// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.transmit;

import io.rdma4j.base.Deadline;
import io.rdma4j.net.device.DeviceCore;
import io.rdma4j.net.feature.DeviceFeatures;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.sched.Qdisc;
import io.rdma4j.packet.SkBuff;
import java.lang.System.Logger.Level;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One transmit queue of a device ({@code struct netdev_queue}): its qdisc, its waiting packets and the driver's stop
 * state. Only the loop's owner uses it.
 */
public final class NetdevQueue {
    private static final System.Logger LOGGER = System.getLogger(NetdevQueue.class.getName());

    private final DeviceCore core;
    private final DeviceFeatures features;
    private final TransmitQueues all;
    private final int index;
    private @Nullable Qdisc qdisc;
    private boolean qdiscChosen;

    /** The packet that the driver did not accept; it is sent before all others ({@code gso_skb}). */
    private @Nullable SkBuff requeued;

    private boolean stopped;
    private boolean locked;
    private boolean running;
    private long transStartNs;
    private long watchedFromNs;
    private long drops;
    private long requeues;
    private long timeouts;
    private long deadLoops;

    NetdevQueue(DeviceCore core, DeviceFeatures features, TransmitQueues all, int index) {
        this.core = core;
        this.features = features;
        this.all = all;
        this.index = index;
    }

    /** {@return its number in the device, from 0} */
    public int index() {
        return index;
    }

    // Waiting packets

    /**
     * {@return the qdisc, which chooses the next packet; null if packets pass directly to the driver ({@code noqueue})}
     */
    public @Nullable Qdisc qdisc() {
        return qdisc;
    }

    /** {@return the name of the qdisc's kind} */
    public String qdiscKind() {
        Qdisc there = qdisc;
        return there == null ? "noqueue" : there.kind();
    }

    /**
     * Replaces the qdisc for the rest of the device's life ({@code dev_graft_qdisc}). Packets in the former one are
     * dropped.
     *
     * @param replacement a qdisc for this queue alone; null for none ({@code noqueue})
     */
    public void qdisc(@Nullable Qdisc replacement) {
        qdiscChosen = true;
        drop(_ -> true);
        qdisc = replacement;
        all.qdiscChanged();
    }

    /** Sets the default qdisc, unless there is one or {@link #qdisc(Qdisc)} was called. */
    void defaultQdisc(@Nullable Qdisc byDefault) {
        if (!qdiscChosen && qdisc == null) {
            qdisc = byDefault;
            all.qdiscChanged();
        }
    }

    /** {@return packets for which the qdisc had no room, or that were dropped from it} */
    public long drops() {
        return drops;
    }

    /** {@return number of times that the driver did not accept a dequeued packet} */
    public long requeues() {
        return requeues;
    }

    // The driver

    /** Stops the queue: the driver accepts no packets for now ({@code netif_tx_stop_queue}). */
    public void stop() {
        stopped = true;
        all.activate();
    }

    /**
     * Wakes the queue: the driver accepts packets again ({@code netif_tx_wake_queue}). The loop continues in the same
     * run.
     */
    public void wake() {
        stopped = false;
    }

    /** {@return true while the driver has stopped the queue ({@code netif_tx_queue_stopped})} */
    public boolean isStopped() {
        return stopped;
    }

    /** {@return time at which the driver last accepted a packet, ns of the loop's clock ({@code trans_start})} */
    public long transStartNs() {
        return transStartNs;
    }

    /** {@return number of watchdog timeouts ({@code trans_timeout})} */
    public long timeouts() {
        return timeouts;
    }

    /** Resets the queue when the device comes up; the watchdog counts from here. */
    void restart(long nowNs) {
        stopped = false;
        transStartNs = nowNs;
        watchedFromNs = nowNs;
    }

    // Sending

    /** {@code __dev_queue_xmit}, after the choice of the queue. */
    NetdevTx transmit(SkBuff skb) {
        Qdisc there = qdisc;
        if (there == null) {
            return stopped ? NetdevTx.BUSY : hardStart(skb);
        }
        if (there.enqueue(skb)) {
            run();
        } else {
            drops++;
            core.stats().countTransmitDrop();
            skb.free();
        }
        return NetdevTx.OK;
    }

    /** Sends waiting packets that may leave ({@code __qdisc_run}). */
    void run() {
        Qdisc there = qdisc;
        if (running || there == null) {
            return;
        }
        running = true;
        try {
            boolean taken = true;
            while (taken && !stopped) {
                SkBuff skb = next(there);
                if (skb == null) {
                    break;
                }
                taken = hardStart(skb) == NetdevTx.OK;
                if (!taken) {
                    requeued = skb;
                    requeues++;
                }
            }
        } finally {
            running = false;
        }
        if (isWaiting()) {
            all.activate();
        }
    }

    private @Nullable SkBuff next(Qdisc there) {
        SkBuff first = requeued;
        if (first == null) {
            return there.dequeue(all.nowNs());
        }
        requeued = null;
        return first;
    }

    /**
     * {@code dev_hard_start_xmit} under {@code HARD_TX_LOCK}. Only one thread at a time runs the loop. If the lock is
     * held, that thread holds it: the packet has returned to the device that is sending it. A device without the lock
     * ({@code NETIF_F_LLTX}), such as a tunnel, sends the returned packet, encapsulated once more.
     */
    private NetdevTx hardStart(SkBuff skb) {
        if (features.has(NetDeviceFeature.LLTX)) {
            return sendEager(skb);
        }
        if (locked) {
            return endDeadLoop(skb);
        }
        locked = true;
        try {
            return sendEager(skb);
        } finally {
            locked = false;
        }
    }

    private NetdevTx sendEager(SkBuff skb) {
        NetdevTx result = all.fixup().transmit(skb);
        if (result == NetdevTx.OK) {
            transStartNs = all.nowNs();
            watchedFromNs = transStartNs;
        }
        return result;
    }

    private NetdevTx endDeadLoop(SkBuff skb) {
        if (deadLoops++ == 0) {
            LOGGER.log(
                    Level.ERROR,
                    "{0}: dead loop: what it sends comes back to it to be sent, and is dropped",
                    core.name());
        }
        core.stats().countTransmitDrop();
        skb.free();
        return NetdevTx.OK;
    }

    // Time

    boolean isWaiting() {
        Qdisc there = qdisc;
        return requeued != null || there != null && there.length() > 0;
    }

    /** Returns true if a packet waits and neither the time nor the driver will trigger its transmission. */
    boolean isHeldBack() {
        return isWaiting() && !stopped && nextDeadlineNs() == Deadline.NEVER;
    }

    long nextDeadlineNs() {
        if (stopped) {
            return Deadline.after(watchedFromNs, all.watchdogTimeoNs());
        }
        Qdisc there = qdisc;
        return there == null || requeued != null ? Deadline.NEVER : there.nextDeadlineNs();
    }

    /**
     * {@code dev_watchdog}: returns true if the driver has accepted no packet for the watchdog time. Restarts the time
     * then.
     */
    boolean hasStalled(long nowNs) {
        if (!stopped || !Deadline.isDue(nextDeadlineNs(), nowNs)) {
            return false;
        }
        watchedFromNs = nowNs;
        timeouts++;
        return true;
    }

    /** Drops matching packets that wait and returns their number. */
    int drop(Predicate<? super SkBuff> condition) {
        int dropped = 0;
        SkBuff first = requeued;
        if (first != null && condition.test(first)) {
            requeued = null;
            first.free();
            dropped++;
        }
        Qdisc there = qdisc;
        if (there != null) {
            dropped += there.dropWaiting(condition);
        }
        drops += dropped;
        return dropped;
    }
}
