package io.rdma4j.net.driver;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ethtool.DriverInfo;
import io.rdma4j.net.ethtool.EthtoolOps;
import io.rdma4j.net.ethtool.LinkSettings;
import io.rdma4j.net.ethtool.LinkSettings.Duplex;
import io.rdma4j.net.ethtool.RingParameters;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.function.Supplier;

/** What one end of a veth pair tells of itself. The owner of its loop counts; any thread reads what is a little old. */
final class VethEthtool implements EthtoolOps {
    /** As on Linux, where the number stands for nothing either. */
    private static final int SPEED_MBPS = 10_000;

    private final Supplier<NetDevice> peer;
    private final int queueLength;

    /** Frames sent while the other end was down, or longer than it takes. */
    long txUnwanted;

    /** Frames for which the other end had no room. */
    long txNoRoom;

    /** Frames of which a fragment's memory was gone. */
    long txMemoryGone;

    VethEthtool(Supplier<NetDevice> peer, int queueLength) {
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
    public SequencedMap<String, Long> statistics() {
        SequencedMap<String, Long> counters = new LinkedHashMap<>();
        counters.put("peer_ifindex", (long) peer.get().ifindex());
        counters.put("tx_unwanted", txUnwanted);
        counters.put("tx_no_room", txNoRoom);
        counters.put("tx_memory_gone", txMemoryGone);
        return counters;
    }
}
