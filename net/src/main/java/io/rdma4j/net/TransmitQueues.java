package io.rdma4j.net;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.sched.PfifoFast;
import io.rdma4j.packet.SkBuff;
import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The transmit queues of a device ({@code dev->_tx}), which of them a packet goes to, and what watches over them.
 *
 * <p>Packets wait only if the driver says how many may ({@link NetDeviceOps#queueLength}): a virtual device has none and is sent to
 * directly. Belongs to the owner of the loop, but for what says otherwise.
 */
public final class TransmitQueues {
    /** Packets that may wait for an Ethernet device ({@code DEFAULT_TX_QUEUE_LEN}). */
    public static final int ETHERNET_LENGTH = 1000;

    /** The same for FDDI. */
    public static final int FDDI_LENGTH = 100;

    /** The same for a device without a link of its own: none. */
    public static final int VIRTUAL_LENGTH = 0;

    private static final long DEFAULT_WATCHDOG_NS = TimeUnit.SECONDS.toNanos(5);

    private static final System.Logger LOGGER = System.getLogger(TransmitQueues.class.getName());

    private final NetDevice device;
    private final TransmitFixup fixup;
    private final LoopLink link;
    private final NetdevQueue[] queues;
    private final TrafficClasses classes = new TrafficClasses(this);
    /** By number of the group ({@code priomap}); never changed. */
    private volatile int[] groupPriorities = {};

    private volatile int realCount;
    private volatile int length;
    private volatile long watchdogTimeoNs = DEFAULT_WATCHDOG_NS;
    private boolean active;
    private boolean kept;
    private boolean warned;

    /** Makes {@code count} queues, in each of which {@code length} packets may wait ({@code netif_alloc_netdev_queues}). */
    TransmitQueues(NetDevice device, int count, int length, TransmitFixup fixup, LoopLink link) {
        this.device = device;
        this.fixup = fixup;
        this.link = link;
        this.queues = new NetdevQueue[count];
        for (int i = 0; i < queues.length; i++) {
            queues[i] = new NetdevQueue(device, this, i);
        }
        this.realCount = queues.length;
        this.length = length;
    }

    // How many

    /** {@return how many there are ({@code num_tx_queues}); constant} */
    public int count() {
        return queues.length;
    }

    /** {@return how many are in use ({@code real_num_tx_queues}); any thread} */
    public int realCount() {
        return realCount;
    }

    /**
     * Sets how many are in use ({@code netif_set_real_num_tx_queues}); what waits in the others is dropped.
     *
     * @param inUse 1 to {@link #count}
     * @throws RdmaException EINVAL if not 1..{@link #count}
     */
    public void realCount(int inUse) {
        if (inUse < 1 || inUse > queues.length) {
            throw new RdmaException(
                    Errno.EINVAL,
                    device.name() + ": " + inUse + " transmit queues in use are not in 1.." + queues.length);
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
                    Errno.EINVAL, device.name() + ": transmit queue " + index + " is not in 0.." + (queues.length - 1));
        }
        return queues[index];
    }

    /** {@return which priorities go to which queues} */
    public TrafficClasses classes() {
        return classes;
    }

    /** {@return packets that may wait in each queue ({@code tx_queue_len}); any thread} */
    public int length() {
        return length;
    }

    /**
     * Changes it ({@code dev_change_tx_queue_len}). A device that has let none wait, or has let some, goes over to the other when it
     * next goes up.
     *
     * @param packets in each queue; 0: none waits
     * @throws RdmaException EINVAL if it is negative
     */
    public void length(int packets) {
        if (packets < 0) {
            throw new RdmaException(Errno.EINVAL, device.name() + ": a queue of " + packets + " packets");
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
            active = true;
        }
        return result;
    }

    /** {@code skb_update_prio}: the group's priority is for packets that have none. */
    private void updatePriority(SkBuff skb) {
        int[] map = groupPriorities;
        if (map.length > 0 && skb.priority() == 0) {
            ClientGroup group = ClientGroup.of(skb);
            if (group != null && group.prioidx() < map.length) {
                skb.priority(map[group.prioidx()]);
            }
        }
    }

    /** The priority of a group's packets that have none; any thread. */
    int groupPriority(ClientGroup group) {
        int[] map = groupPriorities;
        return group.prioidx() < map.length ? map[group.prioidx()] : 0;
    }

    /** Changes it; any thread. */
    synchronized void groupPriority(ClientGroup group, int priority) {
        int[] map = Arrays.copyOf(groupPriorities, Math.max(groupPriorities.length, group.prioidx() + 1));
        map[group.prioidx()] = priority;
        groupPriorities = map;
    }

    /** {@code netdev_core_pick_tx}: the driver chooses if it does so, else the flow, then the classes, then what was recorded on arrival, then the hash. */
    private NetdevQueue pick(SkBuff skb) {
        int real = realCount;
        int chosen = 0;
        if (real > 1) {
            chosen = device.driver().ops().selectQueue(skb, device);
            if (chosen == NetDeviceOps.NO_QUEUE_CHOSEN) {
                chosen = keepOrPick(skb, real);
            } else if (chosen < 0 || chosen >= real) {
                chosen = refuse(chosen, real);
            }
        }
        skb.queueMapping(chosen);
        return queues[chosen];
    }

    /** {@code netdev_cap_txqueue}. */
    private int refuse(int chosen, int real) {
        if (!warned) {
            warned = true;
            LOGGER.log(
                    Level.WARNING, "{0} selects transmit queue {1}, but has {2} in use", device.name(), chosen, real);
        }
        return 0;
    }

    /**
     * {@code __netdev_pick_tx}: a flow keeps its queue, unless that is in use no more, or the packet says that none of the flow is under
     * way that it could overtake ({@link SkBuff#oooOkay}).
     */
    private int keepOrPick(SkBuff skb, int real) {
        if (!(skb.owner() instanceof FlowOwner owner)) {
            return pickDefault(skb, real);
        }
        FlowQueue flow = owner.flowQueue();
        int kept = flow.on(device);
        if (kept == FlowQueue.NONE || kept >= real || skb.oooOkay()) {
            kept = pickDefault(skb, real);
            flow.keep(device, kept);
        }
        return kept;
    }

    /** {@code skb_tx_hash}. */
    private int pickDefault(SkBuff skb, int real) {
        int first = 0;
        int count = real;
        if (classes.count() > 0) {
            int trafficClass = classes.classOf(skb.priority());
            if (classes.queueCount(trafficClass) > 0) {
                first = classes.firstQueue(trafficClass);
                count = classes.queueCount(trafficClass);
            }
        }
        int recorded = skb.queueMapping();
        int offset = recorded != 0
                ? (recorded - 1) % count
                : (int) (Integer.toUnsignedLong(link.flowHash(skb)) * count >>> Integer.SIZE);
        return first + offset;
    }

    /** For drivers, in {@link NetDeviceOps#startXmit}: {@link NetDeviceOps#flush} is to be called when there is nothing more to send. */
    public void expectFlush() {
        kept = true;
        active = true;
    }

    /** Goes on with what waits, if anything does; false if what the driver took, or a part of it, does so still. */
    boolean flush() {
        if (!active) {
            return true;
        }
        active = !fixup.resume();
        for (NetdevQueue queue : queues) {
            queue.run();
            active |= queue.isStopped();
        }
        kept = kept && !device.driver().ops().flush(device);
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

    /** {@link NetDevice#dropWaiting}: what waits here, at the driver or for a worker. */
    int dropWaiting(Predicate<? super SkBuff> condition) {
        int dropped = drop(condition) + device.driver().ops().dropWaiting(condition) + link.drop(device, condition);
        for (int i = 0; i < dropped; i++) {
            device.stats().countTransmitDrop();
        }
        return dropped;
    }

    /** The device goes up ({@code dev_activate}). */
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

    void isActive(boolean value) {
        active = value;
    }

    /** {@return true if something waits or is stopped: the loop calls {@link NetDevice#flush} in each round} */
    public boolean isActive() {
        return active;
    }

    /** {@return true if a queueing discipline decides when packets leave} */
    boolean hasQdisc() {
        for (NetdevQueue queue : queues) {
            if (queue.qdisc() != null) {
                return true;
            }
        }
        return false;
    }

    /** {@return true if something waits that only another try can set going} */
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

    /** {@return when {@link #onDeadline} is to be called, or {@link Deadline#NEVER}} */
    public long nextDeadlineNs() {
        long next = Deadline.NEVER;
        if (!device.isUp() || !device.isCarrierOk()) {
            return next;
        }
        for (NetdevQueue queue : queues) {
            next = Deadline.earlier(next, queue.nextDeadlineNs());
        }
        return next;
    }

    /**
     * Time lets something go, or the driver has taken nothing for too long ({@code dev_watchdog}).
     *
     * @param nowNs of the loop's clock
     */
    public void onDeadline(long nowNs) {
        for (NetdevQueue queue : queues) {
            if (queue.hasStalled(nowNs)) {
                device.driver().ops().txTimeout(device, queue.index());
            }
        }
        device.flush();
    }

    /** {@return how long a driver may refuse everything, nanoseconds ({@code watchdog_timeo}); any thread} */
    public long watchdogTimeoNs() {
        return watchdogTimeoNs;
    }

    /**
     * Changes it; 0 for the usual five seconds.
     *
     * @param nanoseconds how long a queue may be stopped
     */
    public void watchdogTimeoNs(long nanoseconds) {
        watchdogTimeoNs = nanoseconds <= 0 ? DEFAULT_WATCHDOG_NS : nanoseconds;
    }
}
