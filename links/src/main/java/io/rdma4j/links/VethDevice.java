// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.DeviceControl;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.skb.FrameCheck;
import io.rdma4j.net.skb.PacketChecksum;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.PacketMeta;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.packet.SkBuffRing;
import io.rdma4j.wire.ip.Ethernet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One end of a pair of Ethernet devices inside the JVM ({@code drivers/net/veth.c}): each end receives the frames that
 * the other end sends. The ends belong to the loops of two hosts, or of one.
 *
 * <p>On transmit, the device copies the frame into memory of the pair. So the buffer returns to the sender at once, its
 * destructor runs on the sender's thread, and either host may be closed while frames are in flight. Both ends have a
 * carrier while both are up. A frame may carry its check sequence ({@link PacketMeta#noFcs}), which the receiving end
 * verifies and removes. The link may have a clock ({@link Pair#clock}). With {@code rx-checksum}, off by default, an
 * end computes the checksum of received frames. There is no back-pressure: if the queue of the other end is full, the
 * frame is dropped and counted, as on a real network.
 */
public final class VethDevice implements NetDeviceOps, DeviceControl {
    /** Default for the maximum number of frames in flight to one end. */
    public static final int DEFAULT_QUEUE_LENGTH = 1024;

    private static final FeatureSet FEATURES =
            FeatureSet.of(NetDeviceFeature.SG, NetDeviceFeature.HIGHDMA, NetDeviceFeature.FRAGLIST);

    /** Maximum number of bytes that a frame has in addition to its IP packet: header and tag. */
    private static final int LINK_BYTES = 32;

    private final Pair pair;
    private final NetDevice device;
    private final VethEthtool ethtool;

    /** Queue of received frames; the loop of the other end adds to it. */
    private final SkBuffRing arriving;

    /** Buffers into which the loop of this end copies frames; the loop of the other end frees them. */
    private final SkBuffPool frames;

    private final LinkHardware hardware = new LinkHardware();
    private volatile boolean open;

    private VethDevice(Pair pair, NetDeviceSetup setup, int queueLength) {
        this.pair = pair;
        this.arriving = new SkBuffRing(queueLength);
        this.frames = SkBuffPool.growing(queueLength, LINK_BYTES + setup.mtu());
        this.ethtool = new VethEthtool(this::netDevice, () -> peer().device, queueLength);
        this.device = new NetDevice(setup, this);
        device.setEthtool(ethtool);
        device.features().vlan(FEATURES);
        device.features().hwEnc(FEATURES);
        device.setCarrier(false);
        device.features()
                .offer(FEATURES.plus(FeatureSet.of(NetDeviceFeature.RXFCS, NetDeviceFeature.RXCSUM))
                        .minus(FeatureSet.NEVER_CHANGE));
    }

    /**
     * {@return the configuration of one end}
     *
     * @param name or a pattern, as {@code eth%d}
     * @param ifindex its number; 0 for the next that is free
     * @param mtu largest IP packet, bytes
     * @param macAddress 48 bits; 0 selects a random one
     * @param addresses its IP addresses
     */
    public static NetDeviceSetup end(String name, int ifindex, int mtu, long macAddress, List<Gid> addresses) {
        return new NetDeviceSetup(LinkType.ETHERNET, name, ifindex, mtu, macAddress, addresses, FEATURES)
                .withPrivateFlags(PrivateFlag.LIVE_ADDR_CHANGE, PrivateFlag.SUPP_NOFCS);
    }

    /**
     * Creates a pair of devices, down, each on a machine of its own.
     *
     * @param first configuration of one end
     * @param second configuration of the other end
     * @return both ends
     */
    public static Pair pair(NetDeviceSetup first, NetDeviceSetup second) {
        return pair(first, second, DEFAULT_QUEUE_LENGTH);
    }

    /**
     * Creates a pair of devices, down, each on a machine of its own.
     *
     * @param first configuration of one end
     * @param second configuration of the other end
     * @param queueLength maximum number of frames in flight to one end; further frames are dropped
     * @return both ends
     * @throws RdmaException EINVAL if an end is not an Ethernet device
     */
    public static Pair pair(NetDeviceSetup first, NetDeviceSetup second, int queueLength) {
        Pair pair = unregistered(first, second, queueLength);
        NetHost.standalone(pair.first());
        NetHost.standalone(pair.second());
        return pair;
    }

    /**
     * Creates a pair of devices, down; the caller registers them in any namespaces.
     *
     * @param first configuration of one end
     * @param second configuration of the other end
     * @param queueLength maximum number of frames in flight to one end; further frames are dropped
     * @return both ends, not registered
     * @throws RdmaException EINVAL if an end is not an Ethernet device
     */
    public static Pair unregistered(NetDeviceSetup first, NetDeviceSetup second, int queueLength) {
        if (first.link() != LinkType.ETHERNET || second.link() != LinkType.ETHERNET) {
            throw new RdmaException(Errno.EINVAL, "both ends of a veth pair are Ethernet devices");
        }
        return new Pair(first, second, queueLength);
    }

    /** The two ends of a link. */
    public static final class Pair {
        private final VethDevice first;
        private final VethDevice second;
        private int endsLeft = 2;

        private Pair(NetDeviceSetup first, NetDeviceSetup second, int queueLength) {
            this.first = new VethDevice(this, first, queueLength);
            this.second = new VethDevice(this, second, queueLength);
        }

        /** {@return the end of the first configuration} */
        public NetDevice first() {
            return first.device;
        }

        /** {@return the end of the second configuration} */
        public NetDevice second() {
            return second.device;
        }

        /**
         * Sets the clock that timestamps frames at both ends; null removes it.
         *
         * @param time nanoseconds on a time scale of its own, or null
         */
        public void clock(@Nullable NanoClock time) {
            first.hardware.clock(time);
            second.hardware.clock(time);
        }

        private synchronized void carrier() {
            boolean present = first.open && second.open;
            first.device.setCarrier(present);
            second.device.setCarrier(present);
        }

        /** Frees the memory of the frames when the last end is released. */
        private synchronized void release() {
            if (--endsLeft == 0) {
                first.arriving.purge();
                second.arriving.purge();
                first.frames.close();
                second.frames.close();
            }
        }
    }

    private NetDevice netDevice() {
        return device;
    }

    VethDevice peer() {
        return this == pair.first ? pair.second : pair.first;
    }

    @Override
    public NetdevTx startXmit(SkBuff skb, NetDevice from) {
        VethDevice peer = peer();
        int check = skb.meta().noFcs() ? FrameCheck.BYTES : 0;
        if (!peer.open || skb.len() - check > peer.device.maxFrameBytes()) {
            ethtool.txUnwanted++;
            from.stats().countTransmitDrop();
        } else {
            carry(skb, peer, from);
        }
        skb.free();
        return NetdevTx.OK;
    }

    private void carry(SkBuff skb, VethDevice peer, NetDevice from) {
        hardware.accept(skb);
        from.timestamps().transmitting(skb);
        SkBuff frame = frames.allocate();
        if (frame == null) {
            ethtool.txNoRoom++;
            from.stats().countTransmitDrop();
        } else if (!copy(skb, frame)) {
            frame.free();
            ethtool.txMemoryGone++;
            from.stats().countTransmitError();
        } else if (!peer.accept(frame)) {
            frame.free();
            ethtool.txNoRoom++;
            from.stats().countTransmitDrop();
        } else {
            from.stats().countTransmitted(1, skb.len());
            hardware.sent(skb);
        }
    }

    /** False if the memory of a fragment is no longer valid. */
    private static boolean copy(SkBuff skb, SkBuff frame) {
        try {
            int at = frame.put(skb.len());
            skb.copyBits(0, frame.memory(), at, skb.len());
            frame.meta().noFcs(skb.meta().noFcs());
            return true;
        } catch (IllegalStateException closed) {
            return false;
        }
    }

    /** Enqueues a frame. Runs on the loop of the other end. */
    private boolean accept(SkBuff frame) {
        boolean taken = arriving.add(frame);
        device.napi().schedule();
        return taken;
    }

    /** Receives a frame that a {@link DelayLine} delivers, or drops and counts it. Runs on the loop of this end. */
    void arrive(SkBuff frame) {
        if (!open || frame.len() > device.maxFrameBytes() || !accept(frame)) {
            device.stats().countReceiveDrop();
            frame.free();
        }
    }

    @Override
    public @Nullable SkBuff pollReceive(NetDevice to) {
        for (SkBuff frame = arriving.take(); frame != null; frame = arriving.take()) {
            if (hardware.arrive(frame, to)) {
                if (to.features().has(NetDeviceFeature.RXCSUM)) {
                    PacketChecksum.complete(frame, Ethernet.BYTES);
                }
                return frame;
            }
            to.stats().countReceiveError();
            frame.free();
        }
        return null;
    }

    @Override
    public void open(NetDevice opened) {
        // Drops frames that the other end sent while this end was going down.
        arriving.purge();
        open = true;
        pair.carrier();
    }

    @Override
    public void stop(NetDevice stopped) {
        open = false;
        pair.carrier();
        arriving.purge();
    }

    @Override
    public boolean isSignalled() {
        return true;
    }

    /** Returns the other end. */
    @Override
    public NetDevice lower(NetDevice end) {
        return peer().device;
    }

    /** Accepts any MTU that the frame buffers can hold, jumbo frames included. */
    @Override
    public void changeMtu(NetDevice changed, int bytes) {}

    @Override
    public void destructor(NetDevice released) {
        pair.release();
    }
}
