// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Driver that simulates a faulty link on top of the driver of any device. Sent and received packets each pass through
 * an {@link ImpairedPath}, as with {@code tc qdisc add … netem} on Linux. So an application can be tested on a bad
 * network, with real traffic, on a given clock, and repeatably with the same seed.
 *
 * <p>Packets are copied, so that no caller's memory is corrupted and the buffer returns to the sender at once. Copies
 * in flight are lost when the device goes down. Injected faults are counted here and not in the statistics of the
 * device, which cannot detect them.
 */
public final class FaultyLink implements NetDeviceOps {
    /** Maximum number of lost or late packets that one poll takes from the driver. */
    private static final int RECEIVE_PER_POLL = 256;

    private final NetDevice device;
    private final NetDeviceOps driver;
    private final NanoClock clock;
    private final PacketCopies copies;
    private final Direction out;
    private final Direction in;
    private final boolean carriedOffloads;
    private final FeatureSet switchedOff;
    private final int packets;

    /** Memory of sent packets that wait for {@link #takeSent}; null: they go to the driver at their time. */
    private @Nullable PacketCopies held;

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
        this.packets = packets;
        this.copies = new PacketCopies(packets, device.maxFrameBytes());
        this.out = new Direction(send, seed);
        this.in = new Direction(receive, ~seed);
        this.carriedOffloads = device.flags().has(PrivateFlag.CARRIES_OFFLOADS);
        this.switchedOff = device.features().active().and(device.features().hw());
    }

    /**
     * Inserts faults between a device, which is down, and its driver. While they are installed, the device passes only
     * complete packets to the driver, without offloads.
     *
     * @param device its interface to applications does not change
     * @param send faults of packets that the device sends
     * @param receive faults of packets that the device receives
     * @param seed of all random decisions
     * @param clock measures delays
     * @param packets maximum number of packets in flight, both directions together; further packets are lost
     * @return the faults, until {@link #remove}
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
     * {@return the faults on a device; null if there are none, or another driver is installed above them} Thread-safe.
     *
     * @param device any
     */
    public static @Nullable FaultyLink on(NetDevice device) {
        return device.driver().ops() instanceof FaultyLink link ? link : null;
    }

    /**
     * Removes the faults and restores the features of the device.
     *
     * @throws RdmaException EBUSY if the device is up, or another driver was installed above this one since
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

    /** {@return the path of packets that the device sends; its profile may be changed at any time} */
    public ImpairedPath send() {
        return out.path;
    }

    /** {@return the path of packets that the device receives; its profile may be changed at any time} */
    public ImpairedPath receive() {
        return in.path;
    }

    /** {@return the number of copies that are in flight or not yet freed by their receiver} */
    public int inUse() {
        PacketCopies own = held;
        return copies.inUse() + (own == null ? 0 : own.inUse());
    }

    /** The driver below. */
    NetDeviceOps driver() {
        return driver;
    }

    /** Lets sent packets wait for {@link #takeSent} from now on. Another machine frees them. */
    void holdSent() {
        // The limit is on those that wait: how many the other machine has depends on the threads.
        held = new PacketCopies(Short.MAX_VALUE, device.maxFrameBytes());
    }

    /** Time of the first packet that has been sent and not collected, or {@link Deadline#NEVER}. */
    long firstSentNs() {
        return out.underWay.firstNs();
    }

    /** Removes and counts the first packet that has been sent, if it is due; else returns null. */
    @Nullable
    SkBuff takeSent(long nowNs) {
        SkBuff due = out.underWay.due(nowNs);
        if (due != null) {
            out.arrive(due);
            device.stats().countTransmitted(1, due.len());
        }
        return due;
    }

    /** Packets in flight in one direction. */
    private final class Direction implements ImpairedPath.Carrier {
        final ImpairedPath path;
        final TimedPackets underWay = new TimedPackets();

        Direction(LinkProfile profile, long seed) {
            this.path = new ImpairedPath(this, device.linkType(), profile, seed);
        }

        @Override
        public @Nullable SkBuff copy(SkBuff packet) {
            PacketCopies own = held;
            if (own == null) {
                return copies.copy(packet);
            }
            return underWay.count() < packets ? own.copyContent(packet) : null;
        }

        @Override
        public void schedule(long timeNs, SkBuff copy) {
            underWay.add(timeNs, copy);
        }

        /** Removes the first packet, which is due. */
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
        if (held == null) {
            sendDue(nowNs);
            pollWhenDue();
        }
        return NetdevTx.OK;
    }

    /** Passes due packets to the driver until it is busy. */
    private void sendDue(long nowNs) {
        for (SkBuff due = out.underWay.due(nowNs); due != null; due = out.underWay.due(nowNs)) {
            // The driver frees the packet; this reference keeps it until it is counted.
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
        if (held == null) {
            sendDue(nowNs);
        }
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
            if (in.path.passes(skb)) {
                return skb;
            }
            in.path.send(skb, nowNs);
            skb.free();
        }
        pollWhenDue();
        return null;
    }

    /** Schedules a poll for the next due packet; no other event would wake the loop up. */
    private void pollWhenDue() {
        long sentNs = held == null ? out.underWay.firstNs() : Deadline.NEVER;
        long timeNs = Deadline.earlier(sentNs, in.underWay.firstNs());
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
        // The packets in flight here are copies and need not be dropped.
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
        PacketCopies own = held;
        if (own != null) {
            own.close();
        }
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
    public boolean isSignalled() {
        return driver.isSignalled();
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
