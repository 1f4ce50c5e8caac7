// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.device.LinkSpeed;
import io.rdma4j.verbs.device.LinkWidth;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;

/** An InfiniBand link without addresses of its own: the GID table has the default GID only. */
record LidLink(String name) implements PortLink {
    @Override
    public String carrier() {
        return "LIDs in memory";
    }

    @Override
    public LinkLayer layer() {
        return LinkLayer.INFINIBAND;
    }

    @Override
    public List<Gid> addresses() {
        return List.of();
    }

    @Override
    public boolean isUp() {
        return true;
    }

    @Override
    public boolean isCarrierOk() {
        return true;
    }

    @Override
    public boolean isDormant() {
        return false;
    }

    @Override
    public LinkRate rate() {
        return new LinkRate(LinkWidth.X4, LinkSpeed.SDR);
    }

    @Override
    public int lanes() {
        return 1;
    }

    @Override
    public Mtu activeMtu() {
        return Mtu.MTU_2048;
    }

    @Override
    public MemorySegment allocateBuffer(long length, long alignment, Arena arena) {
        return arena.allocate(length, alignment);
    }

    @Override
    public boolean uses(Object device) {
        return false;
    }

    @Override
    public long sentPackets() {
        return 0;
    }

    @Override
    public long sendErrors() {
        return 0;
    }

    @Override
    public void countDropped() {}

    @Override
    public boolean hasLatency() {
        return false;
    }

    @Override
    public long measureLatencyNs(Gid peer, Duration timeout) {
        throw new RdmaException(Errno.EOPNOTSUPP, "the link measures no latency");
    }
}
