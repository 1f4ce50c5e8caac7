package io.rdma4j.net.link;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.FeatureSet;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetdevTx;
import io.rdma4j.net.PrivateFlag;
import io.rdma4j.packet.SkBuff;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A driver whose link has faults, put over the driver of any device: what the device sends and what it receives meets an {@link ImpairedPath}
 * each, as {@code tc qdisc add … netem} has it on Linux. So everything may be tried on a bad network, with real traffic, in given time, and
 * again with the same seed.
 *
 * <p>Packets are copied, so that nobody's memory is spoiled and the sender has its buffer back at once. Copies under way are lost when the device goes down. What
 * chance does is counted here and not in the statistics of the device, which has no way to know.
 */
public final class FaultyLink implements NetDeviceOps {
    /** How many packets that are lost or late one poll takes from the driver. */
    private static final int RECEIVE_PER_POLL = 256;

    private final NetDevice device;
    private final NetDeviceOps driver;
    private final NanoClock clock;
    private final PacketCopies copies;
    private final Direction out;
    private final Direction in;
    private final boolean carriedOffloads;
    private final FeatureSet switchedOff;

    private FaultyLink(
            NetDevice device,
            NetDeviceOps driver,
            LinkProfile send,
            LinkProfile receive,
            long seed,
            NanoClock clock,
            int packets) {
        this.device = device;
        this.driver = driver;
        this.clock = clock;
        this.copies = new PacketCopies(packets, device.maxFrameBytes());
        this.out = new Direction(send, seed, packets);
        this.in = new Direction(receive, ~seed, packets);
        this.carriedOffloads = device.flags().has(PrivateFlag.CARRIES_OFFLOADS);
        this.switchedOff = device.features().active().and(device.features().hw());
    }

    /**
     * Puts faults between a device, which is down, and its driver. As long as they are there, the device hands down finished packets only.
     *
     * @param device stays as it is for all who use it
     * @param send what happens to packets that the device sends
     * @param receive what happens to packets that it receives
     * @param seed of all that chance does
     * @param clock the time of delays
     * @param packets how many are under way at most, both directions together; more are lost
     * @return the faults, until they are closed
     * @throws RdmaException EBUSY if the device is up
     */
    public static FaultyLink install(
            NetDevice device, LinkProfile send, LinkProfile receive, long seed, NanoClock clock, int packets) {
        FaultyLink[] made = new FaultyLink[1];
        device.driver()
                .interpose(driver -> made[0] = new FaultyLink(device, driver, send, receive, seed, clock, packets));
        device.features().request(FeatureSet.NONE, made[0].switchedOff);
        device.flags().set(PrivateFlag.CARRIES_OFFLOADS, false);
        return made[0];
    }

    /**
     * {@return the faults that were put over a device last; null if there are none, or something else is over them} Any
     * thread.
     *
     * @param device any
     */
    public static @Nullable FaultyLink on(NetDevice device) {
        return device.driver().ops() instanceof FaultyLink link ? link : null;
    }

    /**
     * Takes the faults away again. The device has the features that it had.
     *
     * @throws RdmaException EBUSY if the device is up, or something else was put over this since
     */
    public void remove() {
        device.driver().interpose(this::driverBelow);
        device.features().request(switchedOff, switchedOff);
        device.flags().set(PrivateFlag.CARRIES_OFFLOADS, carriedOffloads);
        copies.close();
    }

    @SuppressWarnings("ReferenceEquality") // a link is itself
    private NetDeviceOps driverBelow(NetDeviceOps top) {
        if (top != this) {
            throw new RdmaException(Errno.EBUSY, device.name() + " has something over this link: remove that first");
        }
        return driver;
    }

    /** {@return what happens to packets that the device sends; may be changed at any time} */
    public ImpairedPath send() {
        return out.path;
    }

    /** {@return what happens to packets that it receives; may be changed at any time} */
    public ImpairedPath receive() {
        return in.path;
    }

    /** {@return how many copies are under way, or with whoever received them} */
    public int inUse() {
        return copies.inUse();
    }

    /** Packets under way in one direction. */
    private final class Direction implements ImpairedPath.Carrier {
        final ImpairedPath path;
        final TimedPackets underWay;

        Direction(LinkProfile profile, long seed, int packets) {
            this.path = new ImpairedPath(this, device.linkType(), profile, seed);
            this.underWay = new TimedPackets(packets);
        }

        @Override
        public @Nullable SkBuff copy(SkBuff packet) {
            return copies.copy(packet);
        }

        @Override
        public void schedule(long timeNs, SkBuff copy) {
            underWay.add(timeNs, copy);
        }

        /** Takes out the first one, which is due. */
        void arrive(SkBuff due) {
            underWay.removeFirst();
            path.arrived(due);
        }
    }

    @Override
    public NetdevTx startXmit(SkBuff skb, NetDevice from) {
        long nowNs = clock.nanoTime();
        out.path.send(skb, nowNs);
        skb.free();
        sendDue(nowNs);
        pollWhenDue();
        return NetdevTx.OK;
    }

    /** Gives the driver what has arrived there, as far as it takes it. */
    private void sendDue(long nowNs) {
        for (SkBuff due = out.underWay.due(nowNs); due != null; due = out.underWay.due(nowNs)) {
            // The driver frees it, so this one holds it until it is counted.
            due.get();
            NetdevTx outcome = driver.startXmit(due, device);
            if (outcome == NetdevTx.OK) {
                out.arrive(due);
            }
            due.free();
            if (outcome == NetdevTx.BUSY) {
                return;
            }
        }
    }

    @Override
    public @Nullable SkBuff pollReceive(NetDevice to) {
        long nowNs = clock.nanoTime();
        sendDue(nowNs);
        for (int i = 0; i < RECEIVE_PER_POLL; i++) {
            SkBuff due = in.underWay.due(nowNs);
            if (due != null) {
                in.arrive(due);
                return due;
            }
            SkBuff skb = driver.pollReceive(device);
            if (skb == null) {
                break;
            }
            in.path.send(skb, nowNs);
            skb.free();
        }
        pollWhenDue();
        return null;
    }

    /** Nobody else tells the loop when packets under way are due. */
    private void pollWhenDue() {
        long timeNs = Deadline.earlier(out.underWay.firstNs(), in.underWay.firstNs());
        if (timeNs != Deadline.NEVER) {
            device.napi().pollAt(timeNs);
        }
    }

    @Override
    public boolean flush(NetDevice of) {
        return driver.flush(of);
    }

    @Override
    public int dropWaiting(Predicate<? super SkBuff> condition) {
        // What is under way here are copies.
        return driver.dropWaiting(condition);
    }

    @Override
    public void open(NetDevice opened) {
        driver.open(opened);
    }

    @Override
    public void stop(NetDevice stopped) {
        out.underWay.purge();
        in.underWay.purge();
        driver.stop(stopped);
    }

    @Override
    public void init(NetDevice registered) {
        driver.init(registered);
    }

    @Override
    public void uninit(NetDevice unregistered) {
        driver.uninit(unregistered);
    }

    @Override
    public void destructor(NetDevice released) {
        driver.destructor(released);
        copies.close();
    }

    @Override
    public void joinMulticast(Gid group, NetDevice joining) {
        driver.joinMulticast(group, joining);
    }

    @Override
    public void leaveMulticast(Gid group, NetDevice leaving) {
        driver.leaveMulticast(group, leaving);
    }

    @Override
    public boolean hasInterrupt() {
        return driver.hasInterrupt();
    }

    @Override
    public int transmitQueues() {
        return driver.transmitQueues();
    }

    @Override
    public int receiveQueues() {
        return driver.receiveQueues();
    }

    @Override
    public int queueLength() {
        return driver.queueLength();
    }

    @Override
    public int selectQueue(SkBuff skb, NetDevice from) {
        return driver.selectQueue(skb, from);
    }

    @Override
    public void txTimeout(NetDevice stalled, int queue) {
        driver.txTimeout(stalled, queue);
    }

    @Override
    public void awaitReadable(long timeoutNs) {
        driver.awaitReadable(timeoutNs);
    }

    @Override
    public void wakeup() {
        driver.wakeup();
    }

    @Override
    public int udpSourcePort() {
        return driver.udpSourcePort();
    }
}
