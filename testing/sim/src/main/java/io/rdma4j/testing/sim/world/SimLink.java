// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.links.ImpairedPath;
import io.rdma4j.links.LinkEvent;
import io.rdma4j.links.LinkProfile;
import io.rdma4j.links.LinkStats;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/** One direction between two devices: an {@link ImpairedPath} whose packets travel through the simulated network. */
public final class SimLink implements ImpairedPath.Carrier {
    private final SimNetwork network;
    private final SimLinkDevice from;
    private final SimLinkDevice to;
    private final ImpairedPath path;
    private @Nullable PacketHook hook;

    SimLink(SimNetwork network, SimLinkDevice from, SimLinkDevice to, LinkProfile profile, long seed) {
        this.network = network;
        this.from = from;
        this.to = to;
        this.path = new ImpairedPath(this, LinkType.IP, profile, seed);
    }

    /** Numbers of its delivered, lost and changed packets. */
    public LinkStats stats() {
        return path.stats();
    }

    /** Sets its impairments from now on. */
    public void profile(LinkProfile next) {
        path.profile(next);
    }

    /** Sets the hook that inspects each packet from now on; null for none. */
    public void hook(@Nullable PacketHook next) {
        hook = next;
    }

    /** Sends a finished packet; the caller keeps the buffer. */
    void send(SkBuff packet, long nowNs) {
        path.send(packet, nowNs);
    }

    /** Bytes that wait in the queue or are being sent, computed from their transmission time. */
    public long waitingBytes(long nowNs) {
        return path.waitingBytes(nowNs);
    }

    /** Delivers a packet at its arrival time. */
    void arrive(SkBuff packet) {
        path.arrived(packet);
        to.arrive(packet);
    }

    @Override
    public @Nullable SkBuff copy(SkBuff packet) {
        return network.copy(packet);
    }

    @Override
    public void schedule(long timeNs, SkBuff copy) {
        network.schedule(timeNs, this, copy);
    }

    @Override
    public boolean admits(SkBuff copy) {
        PacketHook look = hook;
        return look == null || look.pass(copy.memory().asSlice(copy.data(), copy.len()));
    }

    @Override
    public void saw(LinkEvent event, SkBuff packet) {
        network.trace().packet(TraceKind.of(event), from.index(), to.index(), packet);
    }
}
