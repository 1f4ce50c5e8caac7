// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib.carrier;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.fabric.DropReason;
import io.rdma4j.fabric.IbPort;
import io.rdma4j.fabric.LinkModes;
import io.rdma4j.fabric.PortCount;
import io.rdma4j.hca.LinkRate;
import io.rdma4j.hca.PortLink;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.device.LinkSpeed;
import io.rdma4j.verbs.device.LinkWidth;
import io.rdma4j.verbs.device.PhysicalState;
import io.rdma4j.verbs.device.PortState;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The link of a channel adapter's port. It keeps copies of what the owner of the loop changes, so that any thread may
 * read them.
 */
public final class LidLink implements PortLink {
    private final String name;
    private final IbPort port;
    private final NetLoop loop;
    private final Runnable onCapabilities;
    private volatile PortState state = PortState.DOWN;
    private volatile PhysicalState physicalState = PhysicalState.POLLING;
    private volatile Mtu mtu = Mtu.MTU_4096;
    private volatile int lanes = 1;
    private volatile LinkRate rate = new LinkRate(LinkWidth.X4, LinkSpeed.SDR);
    private volatile int agentCapabilities;
    private volatile List<Gid> gids;
    private long dropped;

    /**
     * @param name of the device
     * @param port with the cable
     * @param loop that runs the fabric
     * @param gid the first GID
     * @param onCapabilities called when programs have changed the capabilities of the port, by any thread
     */
    public LidLink(String name, IbPort port, NetLoop loop, Gid gid, Runnable onCapabilities) {
        this.name = name;
        this.port = port;
        this.loop = loop;
        this.onCapabilities = onCapabilities;
        this.gids = List.of(gid);
    }

    /** Copies states and settings of the port. For the owner of the loop. */
    public void refresh() {
        state = port.state();
        physicalState = port.physicalState();
        mtu = port.neighborMtu();
        lanes = port.lanes();
        LinkModes active = port.active();
        if (active != null) {
            rate = rate(active);
        }
    }

    private static LinkRate rate(LinkModes active) {
        int extended = active.extendedSpeeds();
        int speed = extended == 0 ? active.speeds() : extended * LinkSpeed.FDR.code();
        return new LinkRate(
                LinkWidth.values()[Integer.numberOfTrailingZeros(active.widths())],
                LinkSpeed.values()[Integer.numberOfTrailingZeros(speed)]);
    }

    /** Replaces the GID table. For the owner of the loop. */
    public void gids(List<Gid> table) {
        gids = table;
    }

    @Nullable
    Gid gid(int index) {
        List<Gid> table = gids;
        return index < table.size() ? table.get(index) : null;
    }

    boolean hasGid(long prefix, long interfaceId) {
        List<Gid> table = gids;
        for (int i = 0; i < table.size(); i++) {
            Gid gid = table.get(i);
            if (gid.interfaceId() == interfaceId && gid.prefix() == prefix) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String carrier() {
        return "InfiniBand link";
    }

    @Override
    public LinkLayer layer() {
        return LinkLayer.INFINIBAND;
    }

    @Override
    public List<Gid> addresses() {
        return gids;
    }

    @Override
    public boolean isUp() {
        return physicalState != PhysicalState.DISABLED;
    }

    @Override
    public boolean isCarrierOk() {
        return physicalState == PhysicalState.LINK_UP;
    }

    @Override
    public boolean isDormant() {
        return false;
    }

    @Override
    public PortState managedState() {
        return state;
    }

    @Override
    public boolean disable() {
        loop.exclusively(() -> port.setPhysicalState(PhysicalState.DISABLED));
        return true;
    }

    /** Copies the capabilities of the agents. For the owner of the loop. */
    public void agentCapabilities(int mask) {
        agentCapabilities = mask;
    }

    @Override
    public int agentCapabilities() {
        return agentCapabilities;
    }

    @Override
    public void capabilitiesChanged() {
        onCapabilities.run();
    }

    @Override
    public LinkRate rate() {
        return rate;
    }

    @Override
    public int lanes() {
        return lanes;
    }

    @Override
    public Mtu activeMtu() {
        return mtu;
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
        return port.counts().get(PortCount.XMIT_PKTS);
    }

    @Override
    public long sendErrors() {
        return dropped + port.counts().dropped(DropReason.INACTIVE);
    }

    @Override
    public void countDropped() {
        dropped++;
    }

    @Override
    public boolean hasLatency() {
        return false;
    }

    @Override
    public long measureLatencyNs(Gid peer, Duration timeout) {
        throw new RdmaException(Errno.EOPNOTSUPP, name + ": an InfiniBand link measures no round trip");
    }
}
