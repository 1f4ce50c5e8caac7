// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.carrier;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.hca.LinkRate;
import io.rdma4j.hca.PortLink;
import io.rdma4j.ip.IpStack;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.OperState;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.ethtool.LinkSettings;
import io.rdma4j.net.transmit.TransmitQueues;
import io.rdma4j.udp.UdpUnderlayEthtool;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.spi.AddressResolver;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A network device with the IP stack and the loop of its host, as the link of a port. */
public final class DeviceLink implements PortLink {
    /**
     * Ethernet, IPv6, UDP, BTH and extended headers, and ICRC, rounded up. Linux rxe subtracts it from the interface's
     * MTU.
     */
    private static final int HEADER_ALLOWANCE = 80;

    /** Speed that Linux assumes if the driver reports none. */
    private static final int ASSUMED_MBPS = 1000;

    private final NetDevice device;
    private final IpStack stack;
    private final NetLoop loop;
    private final ProgressMode mode;
    private final boolean sharedMemory;

    /**
     * @param mode which threads run the loop
     * @param sharedMemory whether the device may use shared memory
     */
    public DeviceLink(NetDevice device, IpStack stack, NetLoop loop, ProgressMode mode, boolean sharedMemory) {
        this.device = device;
        this.stack = stack;
        this.loop = loop;
        this.mode = mode;
        this.sharedMemory = sharedMemory;
    }

    NetDevice device() {
        return device;
    }

    IpStack stack() {
        return stack;
    }

    @Override
    public String name() {
        return device.name();
    }

    @Override
    public String carrier() {
        return device.ethtool() instanceof UdpUnderlayEthtool udp
                ? udp.driverInfo().driver() + (sharedMemory ? " with" : " without") + " shared memory"
                : device.name() + " without shared memory";
    }

    @Override
    public LinkLayer layer() {
        return LinkLayer.ETHERNET;
    }

    @Override
    public List<Gid> addresses() {
        return device.addresses();
    }

    @Override
    public boolean isUp() {
        return device.isUp();
    }

    @Override
    public boolean isCarrierOk() {
        return device.isCarrierOk();
    }

    @Override
    public boolean isDormant() {
        return device.linkState().operState() == OperState.DORMANT;
    }

    /** {@inheritDoc} The driver reports the speed, which may change. */
    @Override
    public LinkRate rate() {
        try {
            int mbps = device.ethtool().linkSettings().speedMbps();
            return LinkRate.ofMbps(mbps == LinkSettings.UNKNOWN ? ASSUMED_MBPS : mbps);
        } catch (RdmaException e) {
            // The driver does not report a speed.
            return LinkRate.ofMbps(ASSUMED_MBPS);
        }
    }

    @Override
    public int lanes() {
        TransmitQueues queues = device.transmitQueues();
        int classes = queues.classes().count();
        return classes > 0 ? classes : queues.count();
    }

    @Override
    public Mtu activeMtu() {
        return Mtu.largestWithin(device.mtu() - HEADER_ALLOWANCE);
    }

    @Override
    public MemorySegment allocateBuffer(long length, long alignment, Arena arena) {
        return device.driver().ops().allocateBuffer(length, alignment, arena);
    }

    /** {@inheritDoc} The operating system routes the packets of UDP sockets. */
    @Override
    public @Nullable AddressResolver addressResolver() {
        return device.ethtool() instanceof UdpUnderlayEthtool ? null : new StackResolver(device, stack, loop);
    }

    @Override
    public boolean hasLatency() {
        return !device.flags().has(PrivateFlag.UDP_ONLY);
    }

    @Override
    public long measureLatencyNs(Gid peer, Duration timeout) {
        if (mode != ProgressMode.AUTOMATIC) {
            throw new RdmaException(Errno.EOPNOTSUPP, "a port that is driven by hand cannot wait for an answer");
        }
        // The conversion saturates at Long.MAX_VALUE.
        long endNs = Deadline.after(loop.clock().nanoTime(), TimeUnit.NANOSECONDS.convert(timeout));
        try (LatencyProbe probe = new LatencyProbe(loop, stack)) {
            probe.ask(peer);
            long measured = probe.answerNs(peer);
            while (measured == LatencyProbe.NO_ANSWER) {
                if (Deadline.isDue(endNs, loop.clock().nanoTime())) {
                    throw new RdmaException(Errno.ETIMEDOUT, "no echo from " + peer + " within " + timeout);
                }
                loop.poll();
                measured = probe.answerNs(peer);
            }
            return measured;
        }
    }

    @Override
    public long sentPackets() {
        return device.stats().txPackets();
    }

    @Override
    public long sendErrors() {
        return device.stats().txErrors() + device.stats().txDropped();
    }

    @Override
    public void countDropped() {
        device.stats().countTransmitDrop();
    }

    /** {@inheritDoc} It is the link's device or one below it. */
    @Override
    @SuppressWarnings("ReferenceEquality") // one object per device
    public boolean uses(Object other) {
        return other == device
                || other instanceof NetDevice below && device.stack().isAbove(below);
    }
}
