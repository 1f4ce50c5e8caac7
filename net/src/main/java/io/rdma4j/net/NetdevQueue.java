package io.rdma4j.net;

import io.rdma4j.base.Deadline;
import io.rdma4j.net.sched.Qdisc;
import io.rdma4j.packet.SkBuff;
import java.lang.System.Logger.Level;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One transmit queue of a device ({@code struct netdev_queue}): who waits for the driver, and whether it takes anything now.
 * Belongs to the owner of the loop.
 */
public final class NetdevQueue {
    private static final System.Logger LOGGER = System.getLogger(NetdevQueue.class.getName());

    private final NetDevice device;
    private final TransmitQueues all;
    private final int index;
    private @Nullable Qdisc qdisc;
    private boolean qdiscChosen;

    /** What the driver did not take; it goes before anything that waits ({@code gso_skb}). */
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

    NetdevQueue(NetDevice device, TransmitQueues all, int index) {
        this.device = device;
        this.all = all;
        this.index = index;
    }

    /** {@return its number among those of the device, from 0} */
    public int index() {
        return index;
    }

    // Who waits

    /**
     * {@return who decides what leaves next; null if nothing waits: packets go straight to the driver
     * ({@code noqueue})}
     */
    public @Nullable Qdisc qdisc() {
        return qdisc;
    }

    /** {@return what tools call it} */
    public String qdiscKind() {
        Qdisc there = qdisc;
        return there == null ? "noqueue" : there.kind();
    }

    /**
     * Replaces it at run time ({@code dev_graft_qdisc}), for as long as the device lives; what waits in the former one is dropped.
     *
     * @param replacement of this queue alone; null for none ({@code noqueue})
     */
    public void qdisc(@Nullable Qdisc replacement) {
        qdiscChosen = true;
        drop(_ -> true);
        qdisc = replacement;
    }

    /** Installs the default, unless there is one, or somebody chose. */
    void defaultQdisc(@Nullable Qdisc byDefault) {
        if (!qdiscChosen && qdisc == null) {
            qdisc = byDefault;
        }
    }

    /** {@return packets that the qdisc had no room for, or that were dropped from it} */
    public long drops() {
        return drops;
    }

    /** {@return how often the driver did not take what was its turn} */
    public long requeues() {
        return requeues;
    }

    // The driver

    /** The driver takes nothing more for now ({@code netif_tx_stop_queue}). */
    public void stop() {
        stopped = true;
        all.isActive(true);
    }

    /** The driver takes packets again ({@code netif_tx_wake_queue}): the loop goes on in this visit. */
    public void wake() {
        stopped = false;
    }

    /** {@return true while the driver wants no more packets for this queue ({@code netif_tx_queue_stopped})} */
    public boolean isStopped() {
        return stopped;
    }

    /** {@return when the driver last took a packet, nanoseconds of the loop's clock ({@code trans_start})} */
    public long transStartNs() {
        return transStartNs;
    }

    /** {@return how often the driver took nothing for too long ({@code trans_timeout})} */
    public long timeouts() {
        return timeouts;
    }

    /** The device goes up: the watchdog counts from here. */
    void restart(long nowNs) {
        stopped = false;
        transStartNs = nowNs;
        watchedFromNs = nowNs;
    }

    // Sending

    /** {@code __dev_queue_xmit}, behind the choice of the queue. */
    NetdevTx transmit(SkBuff skb) {
        Qdisc there = qdisc;
        if (there == null) {
            return stopped ? NetdevTx.BUSY : hardStart(skb);
        }
        if (there.enqueue(skb)) {
            run();
        } else {
            drops++;
            device.stats().countTransmitDrop();
            skb.free();
        }
        return NetdevTx.OK;
    }

    /** Lets go what waits and may leave ({@code __qdisc_run}). */
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
            all.isActive(true);
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
     * {@code dev_hard_start_xmit} under {@code HARD_TX_LOCK}. As one thread at a time is in the loop, whoever finds the lock taken
     * has taken it: the packet has come back to the device that is sending it. A device without that lock ({@code NETIF_F_LLTX}), as
     * tunnels are, sends what has come back to it wrapped once more.
     */
    private NetdevTx hardStart(SkBuff skb) {
        if (device.features().has(NetDeviceFeature.LLTX)) {
            return handOver(skb);
        }
        if (locked) {
            return endDeadLoop(skb);
        }
        locked = true;
        try {
            return handOver(skb);
        } finally {
            locked = false;
        }
    }

    private NetdevTx handOver(SkBuff skb) {
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
                    device.name());
        }
        device.stats().countTransmitDrop();
        skb.free();
        return NetdevTx.OK;
    }

    // Time

    boolean isWaiting() {
        Qdisc there = qdisc;
        return requeued != null || there != null && there.length() > 0;
    }

    /** Something waits that neither time nor the driver will set going. */
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

    /** {@code dev_watchdog}: true if the driver has taken nothing for too long. Asks again after as long. */
    boolean hasStalled(long nowNs) {
        if (!stopped || !Deadline.isDue(nextDeadlineNs(), nowNs)) {
            return false;
        }
        watchedFromNs = nowNs;
        timeouts++;
        return true;
    }

    /** Drops what waits and {@code condition} holds of; returns how many there were. */
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
