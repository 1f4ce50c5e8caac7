package io.rdma4j.links;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetdevRxQueues;
import io.rdma4j.net.TransmitQueues;
import io.rdma4j.net.ethtool.ChannelCounts;
import io.rdma4j.net.ethtool.DriverInfo;
import io.rdma4j.net.ethtool.EthtoolOps;
import io.rdma4j.net.ethtool.LinkSettings;
import io.rdma4j.net.ethtool.LinkSettings.Duplex;
import io.rdma4j.net.ethtool.RingParameters;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.function.Supplier;

/**
 * Implements {@code ethtool} for one end of a veth pair. The owner of its loop updates the counters; any thread may
 * read slightly stale values.
 */
final class VethEthtool implements EthtoolOps {
    /** The nominal speed that Linux reports for veth as well; it limits nothing. */
    private static final int SPEED_MBPS = 10_000;

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
        return new LinkSettings(SPEED_MBPS, Duplex.FULL, false);
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
