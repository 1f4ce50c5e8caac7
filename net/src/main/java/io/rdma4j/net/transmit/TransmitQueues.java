// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.transmit;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.DeviceCore;
import io.rdma4j.net.device.StateBits;
import io.rdma4j.net.feature.DeviceFeatures;
import io.rdma4j.net.receive.LoopLink;
import io.rdma4j.net.sched.PfifoFast;
import io.rdma4j.packet.PacketMeta;
import io.rdma4j.packet.SkBuff;
import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The transmit queues of a device ({@code dev->_tx}), the choice of a packet's queue, and the watchdog.
 *
 * <p>Packets wait only if the driver has a queue length ({@code NetDeviceOps.queueLength}). A virtual device has none
 * and gets packets directly. Only the loop's owner calls it, except where noted.
 */
public final class TransmitQueues {
    /** Default queue length of an Ethernet device, packets ({@code DEFAULT_TX_QUEUE_LEN}). */
    public static final int ETHERNET_LENGTH = 1000;

    /** Default queue length of an FDDI device, packets. */
    public static final int FDDI_LENGTH = 100;

    /** Default queue length of a virtual device: no packet waits. */
    public static final int VIRTUAL_LENGTH = 0;

    private static final long DEFAULT_WATCHDOG_NS = TimeUnit.SECONDS.toNanos(5);

    private static final System.Logger LOGGER = System.getLogger(TransmitQueues.class.getName());

    private final DeviceCore core;
    private final TransmitDriver driver;
    private final TransmitFixup fixup;
    private final LoopLink link;
    private final NetdevQueue[] queues;
    private final TrafficClasses classes;
    /** Priorities by number of the group ({@code priomap}); the array is immutable. */
    private volatile int[] groupPriorities = {};

    private volatile int realCount;
    private volatile int length;
    private volatile long watchdogTimeoNs = DEFAULT_WATCHDOG_NS;
    private boolean active;
    private boolean kept;
    private boolean warned;

    /** Creates the queues ({@code netif_alloc_netdev_queues}). */
    TransmitQueues(
            DeviceCore core,
            DeviceFeatures features,
            TransmitDriver driver,
            TransmitFixup fixup,
            LoopLink link,
            QueueSize size) {
        this.core = core;
        this.driver = driver;
        this.fixup = fixup;
        this.link = link;
        this.queues = new NetdevQueue[size.queues()];
        for (int i = 0; i < queues.length; i++) {
            queues[i] = new NetdevQueue(core, features, this, i);
        }
        this.classes = new TrafficClasses(queues.length);
        this.realCount = queues.length;
        this.length = size.length();
    }

    // Number of queues

    /** {@return number of queues ({@code num_tx_queues}); constant} */
    public int count() {
        return queues.length;
    }

    /** {@return number of queues in use ({@code real_num_tx_queues})} Any thread may call it. */
    public int realCount() {
        return realCount;
    }

    /**
     * Sets the number of queues in use ({@code netif_set_real_num_tx_queues}). Packets that wait in the others are
     * dropped.
     *
     * @param inUse 1 to {@link #count}
     * @throws RdmaException EINVAL if not 1..{@link #count}
     */
    public void realCount(int inUse) {
        if (inUse < 1 || inUse > queues.length) {
            throw new RdmaException(
                    Errno.EINVAL,
                    core.name() + ": " + inUse + " transmit queues in use are not in 1.." + queues.length);
        }
        realCount = inUse;
        for (int i = inUse; i < queues.length; i++) {
            queues[i].drop(_ -> true);
        }
    }

    /**
     * {@return the queue with a number ({@code netdev_get_tx_queue})}
     *
     * @param index from 0
     * @throws RdmaException EINVAL if there is none
     */
    public NetdevQueue queue(int index) {
        if (index < 0 || index >= queues.length) {
            throw new RdmaException(
                    Errno.EINVAL, core.name() + ": transmit queue " + index + " is not in 0.." + (queues.length - 1));
        }
        return queues[index];
    }

    /** {@return the assignment of priorities to queues} */
    public TrafficClasses classes() {
        return classes;
    }

    /** {@return maximum number of packets in each queue ({@code tx_queue_len})} Any thread may call it. */
    public int length() {
        return length;
    }

    /**
     * Sets the maximum number of packets in each queue ({@code dev_change_tx_queue_len}). Present qdiscs stay and get
     * the new limit. A queue without qdisc gets the default one when the device next comes up, if the length is not 0.
     *
     * @param packets at least 0; with 0 no packet waits
     * @throws RdmaException EINVAL if it is negative
     */
    public void length(int packets) {
        if (packets < 0) {
            throw new RdmaException(Errno.EINVAL, core.name() + ": a queue of " + packets + " packets");
        }
        length = packets;
        for (NetdevQueue queue : queues) {
            var qdisc = queue.qdisc();
            if (qdisc != null) {
                qdisc.limit(packets);
            }
        }
    }

    // Sending

    /** {@code __dev_queue_xmit}. */
    NetdevTx transmit(SkBuff skb) {
        updatePriority(skb);
        NetdevTx result = pick(skb).transmit(skb);
        if (fixup.isPending()) {
            activate();
        }
        return result;
    }

    /** {@code skb_update_prio}: the group's priority applies to packets without a priority. */
    private void updatePriority(SkBuff skb) {
        int[] map = groupPriorities;
        if (map.length > 0 && skb.meta().priority() == 0) {
            ClientGroup group = ClientGroup.of(skb);
            if (group != null && group.prioidx() < map.length) {
                skb.meta().priority(map[group.prioidx()]);
            }
        }
    }

    /** Returns the priority for packets of a group that have none. Any thread may call it. */
    int groupPriority(ClientGroup group) {
        int[] map = groupPriorities;
        return group.prioidx() < map.length ? map[group.prioidx()] : 0;
    }

    /** Sets the priority for packets of a group that have none. Any thread may call it. */
    synchronized void groupPriority(ClientGroup group, int priority) {
        int[] map = Arrays.copyOf(groupPriorities, Math.max(groupPriorities.length, group.prioidx() + 1));
        map[group.prioidx()] = priority;
        groupPriorities = map;
    }

    /**
     * {@code netdev_core_pick_tx}: the choice is the driver's, else the flow's queue, else by traffic class, with the
     * recorded receive queue or the hash.
     */
    private NetdevQueue pick(SkBuff skb) {
        int real = realCount;
        int chosen = 0;
        if (real > 1) {
            chosen = driver.selectQueue(skb);
            if (chosen == TransmitDriver.NO_QUEUE_CHOSEN) {
                chosen = keepOrPick(skb, real);
            } else if (chosen < 0 || chosen >= real) {
                chosen = refuse(chosen, real);
            }
        }
        skb.meta().queueMapping(chosen);
        return queues[chosen];
    }

    /** {@code netdev_cap_txqueue}. */
    private int refuse(int chosen, int real) {
        if (!warned) {
            warned = true;
            LOGGER.log(Level.WARNING, "{0} selects transmit queue {1}, but has {2} in use", core.name(), chosen, real);
        }
        return 0;
    }

    /**
     * {@code __netdev_pick_tx}: a flow keeps its queue while that queue is in use. A packet with {@link
     * PacketMeta#oooOkay} may change the queue, because no earlier packet of the flow is in flight.
     */
    private int keepOrPick(SkBuff skb, int real) {
        if (!(skb.meta().owner() instanceof FlowOwner owner)) {
            return pickDefault(skb, real);
        }
        FlowQueue flow = owner.flowQueue();
        int kept = flow.on(core.device());
        if (kept == FlowQueue.NONE || kept >= real || skb.meta().oooOkay()) {
            kept = pickDefault(skb, real);
            flow.keep(core.device(), kept);
        }
        return kept;
    }

    /** {@code skb_tx_hash}. */
    private int pickDefault(SkBuff skb, int real) {
        int first = 0;
        int count = real;
        if (classes.count() > 0) {
            int trafficClass = classes.classOf(skb.meta().priority());
            if (classes.queueCount(trafficClass) > 0) {
                first = classes.firstQueue(trafficClass);
                count = classes.queueCount(trafficClass);
            }
        }
        int recorded = skb.meta().queueMapping();
        int offset = recorded != 0
                ? (recorded - 1) % count
                : (int) (Integer.toUnsignedLong(link.flowHash(skb)) * count >>> Integer.SIZE);
        return first + offset;
    }

    /**
     * Requests a call of {@code NetDeviceOps.flush} when there is nothing more to send. A driver calls it in
     * {@code NetDeviceOps.startXmit}.
     */
    public void expectFlush() {
        kept = true;
        activate();
    }

    /**
     * Continues with waiting packets. Returns false if packets remain in the driver, or a train is only partly sent.
     */
    boolean flush() {
        if (!active) {
            return true;
        }
        active = !fixup.resume();
        for (NetdevQueue queue : queues) {
            queue.run();
            active |= queue.isStopped();
        }
        kept = kept && !driver.flush();
        active |= kept || fixup.isPending();
        return !fixup.isPending() && !kept;
    }

    int drop(Predicate<? super SkBuff> condition) {
        int dropped = fixup.purge(condition);
        for (NetdevQueue queue : queues) {
            dropped += queue.drop(condition);
        }
        return dropped;
    }

    /** Starts the queues when the device comes up ({@code dev_activate}). */
    void start() {
        for (NetdevQueue queue : queues) {
            queue.defaultQdisc(length == 0 ? null : new PfifoFast(length));
            queue.restart(nowNs());
        }
    }

    TransmitFixup fixup() {
        return fixup;
    }

    long nowNs() {
        return link.nowNs();
    }

    // For the loop

    /** Lets the loop flush the device in this run, and in each following one until nothing waits. */
    void activate() {
        if (!active) {
            active = true;
            link.expectFlush();
        }
    }

    /** {@return true if packets wait or a queue is stopped; then the loop calls {@code NetDevice.flush} in each run} */
    public boolean isActive() {
        return active;
    }

    /** Updates {@link StateBits#QDISC}. */
    void qdiscChanged() {
        boolean any = Arrays.stream(queues).anyMatch(queue -> queue.qdisc() != null);
        core.state().change(StateBits.QDISC, any);
    }

    /** {@return true if packets wait that only another attempt can send} */
    public boolean isHeldBack() {
        if (kept || fixup.isPending()) {
            return true;
        }
        for (NetdevQueue queue : queues) {
            if (queue.isHeldBack()) {
                return true;
            }
        }
        return false;
    }

    /** {@return time for the next call of {@link #onDeadline}, ns of the loop's clock, or {@link Deadline#NEVER}} */
    public long nextDeadlineNs() {
        long next = Deadline.NEVER;
        if (!core.state().isRunning() || !core.state().isCarrierOk()) {
            return next;
        }
        for (NetdevQueue queue : queues) {
            next = Deadline.earlier(next, queue.nextDeadlineNs());
        }
        return next;
    }

    /**
     * Sends packets whose time has come, and checks the watchdog ({@code dev_watchdog}).
     *
     * @param nowNs time of the loop's clock, ns
     */
    public void onDeadline(long nowNs) {
        for (NetdevQueue queue : queues) {
            if (queue.hasStalled(nowNs)) {
                driver.txTimeout(queue.index());
            }
        }
        if (core.state().isRunning()) {
            flush();
        }
    }

    /**
     * {@return maximum time for which a driver may stop a queue, nanoseconds ({@code watchdog_timeo})} Any thread may
     * call it.
     */
    public long watchdogTimeoNs() {
        return watchdogTimeoNs;
    }

    /**
     * Sets the watchdog time; 0 for the default of five seconds.
     *
     * @param nanoseconds maximum time for which a queue may be stopped
     */
    public void watchdogTimeoNs(long nanoseconds) {
        watchdogTimeoNs = nanoseconds <= 0 ? DEFAULT_WATCHDOG_NS : nanoseconds;
    }
}
