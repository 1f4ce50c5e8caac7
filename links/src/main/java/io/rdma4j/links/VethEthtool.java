// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ethtool.ChannelCounts;
import io.rdma4j.net.ethtool.DriverInfo;
import io.rdma4j.net.ethtool.EthtoolOps;
import io.rdma4j.net.ethtool.LinkSettings;
import io.rdma4j.net.ethtool.LinkSettings.Duplex;
import io.rdma4j.net.ethtool.RingParameters;
import io.rdma4j.net.receive.NetdevRxQueues;
import io.rdma4j.net.transmit.TransmitQueues;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.function.Supplier;

/**
 * Implements {@code ethtool} for one end of a veth pair. The owner of its loop updates the counters; any thread may
 * read slightly stale values.
 */
final class VethEthtool implements EthtoolOps {
    /** The nominal speed that Linux reports for veth as well; it limits nothing. A link with a rate has that speed. */
    private static final int SPEED_MBPS = 10_000;

    private static final long BITS_PER_MBPS = 1_000_000;

    private final Supplier<NetDevice> own;
    private final Supplier<NetDevice> peer;
    private final int queueLength;

    /** Frames sent while the other end was down, or longer than it accepts. */
    long txUnwanted;

    /** Frames dropped because the pair had no free buffer or the queue of the other end was full. */
    long txNoRoom;

    /** Frames dropped because the memory of a fragment was no longer valid. */
    long txMemoryGone;

    VethEthtool(Supplier<NetDevice> own, Supplier<NetDevice> peer, int queueLength) {
        this.own = own;
        this.peer = peer;
        this.queueLength = queueLength;
    }

    @Override
    public DriverInfo driverInfo() {
        return new DriverInfo("veth", "1", "");
    }

    @Override
    public LinkSettings linkSettings() {
        FaultyLink link = FaultyLink.on(own.get());
        long rate = link == null ? 0 : link.send().profile().bitsPerSecond();
        int speed = rate == 0 ? SPEED_MBPS : Math.clamp(rate / BITS_PER_MBPS, 1, Integer.MAX_VALUE);
        return new LinkSettings(speed, Duplex.FULL, false);
    }

    /** Changes the rate of the link in both directions, if it has properties that can be changed. */
    @Override
    public void setLinkSettings(LinkSettings wanted) {
        FaultyLink link = FaultyLink.on(own.get());
        if (link == null) {
            throw new RdmaException(
                    Errno.EOPNOTSUPP,
                    "the link has no rate to change: give it one in the topology, as \"rate 10gbit\"");
        }
        if (wanted.speedMbps() < 1 || wanted.duplex() != Duplex.FULL || wanted.autonegotiation()) {
            throw new RdmaException(
                    Errno.EINVAL, "a link has a speed of 1 Mb/s or more, full duplex and no auto-negotiation");
        }
        setRate(link, wanted);
        FaultyLink back = FaultyLink.on(peer.get());
        if (back != null) {
            setRate(back, wanted);
        }
    }

    private static void setRate(FaultyLink link, LinkSettings wanted) {
        LinkProfile profile = link.send().profile();
        link.send().profile(profile.withBandwidth(wanted.speedMbps() * BITS_PER_MBPS, profile.queuePackets()));
    }

    @Override
    public RingParameters ring() {
        return new RingParameters(queueLength, 0, queueLength, 0);
    }

    @Override
    public ChannelCounts channels() {
        TransmitQueues tx = own.get().transmitQueues();
        NetdevRxQueues rx = own.get().receiveQueues();
        return new ChannelCounts(rx.count(), tx.count(), rx.realCount(), tx.realCount());
    }

    /** {@code veth_set_channels}. */
    @Override
    public void setChannels(ChannelCounts wanted) {
        ChannelCounts now = channels();
        if (wanted.rx() < 1 || wanted.rx() > now.rxMax() || wanted.tx() < 1 || wanted.tx() > now.txMax()) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "rx " + wanted.rx() + " and tx " + wanted.tx() + ": the device was made with 1.." + now.rxMax()
                            + " receive and 1.." + now.txMax() + " transmit queues");
        }
        own.get().receiveQueues().realCount(wanted.rx());
        own.get().transmitQueues().realCount(wanted.tx());
    }

    @Override
    public SequencedMap<String, Long> statistics() {
        SequencedMap<String, Long> counters = new LinkedHashMap<>();
        counters.put("peer_ifindex", (long) peer.get().ifindex());
        counters.put("tx_unwanted", txUnwanted);
        counters.put("tx_no_room", txNoRoom);
        counters.put("tx_memory_gone", txMemoryGone);
        return counters;
    }
}
