// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.datapath;

import io.rdma4j.base.Gid;
import io.rdma4j.hca.GidTable;
import io.rdma4j.hca.PortFailure;
import io.rdma4j.hca.PortStateMachine;
import io.rdma4j.hca.SendCounters;
import io.rdma4j.hca.WaitingPackets;
import io.rdma4j.ip.Destination;
import io.rdma4j.ip.IpStack;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.transport.port.TransportCounters;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Sends the packets of a port's queue pairs to the network, to the port itself, or both. It owns the packet buffers of
 * the port. Corresponds to {@code rxe_xmit_packet}. For the owner of the port loop only.
 *
 * <p>If the network device does not accept a packet, this class keeps it and sends no other packet before it.
 */
public final class PortOutput implements WaitingPackets, SendCounters {
    /** Space for link, IP and UDP headers in front of the BTH. */
    private static final int HEADROOM = 64;

    /** A buffer holds headers only, because payload is not copied. */
    private static final int BUFFER_BYTES = 256;

    /** Maximum number of packets of all queue pairs that are in flight inside this host. */
    public static final int BUFFERS = 1024;

    private final NetDevice device;
    private final IpStack stack;
    private final PortLoopback loopback;
    private final GidTable gids;
    private final Predicate<SkBuff> hasMembers;
    private final TransportCounters counters;
    private final PortFailure failure;
    private final PortStateMachine states;
    private final SkBuffPool buffers = new SkBuffPool(BUFFERS, BUFFER_BYTES);
    private final RoceOffload offload = new RoceOffload();

    private @Nullable SkBuff stalled;
    private boolean starved;

    /** @param hasMembers returns true for a packet to a multicast group with members on this port */
    public PortOutput(
            DeviceLink link,
            PortLoopback loopback,
            GidTable gids,
            Predicate<SkBuff> hasMembers,
            TransportCounters counters,
            PortStateMachine states) {
        this.device = link.device();
        this.stack = link.stack();
        this.loopback = loopback;
        this.gids = gids;
        this.hasMembers = hasMembers;
        this.counters = counters;
        this.failure = states.failure();
        this.states = states;
    }

    /** The path for packets to the port itself. */
    PortLoopback loopback() {
        return loopback;
    }

    /** Returns true while a packet waits that the network did not accept. */
    boolean isStalled() {
        return stalled != null;
    }

    /** Returns false while the network accepts nothing or all buffers are in use. */
    public boolean accepts() {
        return stalled == null && !starved;
    }

    /**
     * Sends again what the network did not accept.
     *
     * @return true if packets may be sent
     */
    boolean flush() {
        if (failure.isThere()) {
            return true;
        }
        starved = false;
        boolean flushed = device.flush() && stack.flush();
        SkBuff waiting = stalled;
        if (waiting != null && flushed) {
            stalled = null;
            send(waiting);
        }
        return flushed && stalled == null;
    }

    /** Returns an empty buffer with headroom, or null if no packet may be sent now. */
    @Nullable
    SkBuff allocate() {
        if (stalled != null || failure.isThere()) {
            return null;
        }
        SkBuff skb = buffers.allocate();
        if (skb == null) {
            starved = true;
            return null;
        }
        skb.reserve(HEADROOM);
        return skb;
    }

    /** Sends a packet or train that begins with its BTH. Sets a timestamp if timestamps are enabled on the device. */
    void transmit(SkBuff skb, NetworkPath path) {
        if (!states.sends()) {
            drop(skb);
            return;
        }
        counters.sentPackets += skb.shinfo().isGso() ? skb.shinfo().gsoSegs() : 1;
        counters.sentBytes += skb.dataLen();
        skb.shinfo().offload(offload);
        device.timestamps().set(skb);
        path.push(skb, RoceOffload.transportBytes(skb));
        Gid destination = path.destination();
        if (gids.contains(destination)) {
            loopback.transmit(skb);
        } else if (isForOwnMembers(skb, destination)) {
            // Send the clone first: when the original is freed, the memory behind both may be reused.
            SkBuff clone = skb.cloneDescriptor();
            if (clone == null) {
                device.stats().countTransmitDrop();
            } else {
                sendTo(destination, clone);
            }
            loopback.transmit(skb);
        } else {
            sendTo(destination, skb);
        }
    }

    /** Returns the bytes that may be in flight on a path at once, see {@link io.rdma4j.net.LocalPeers#burstBytes}. */
    int burstBytes(NetworkPath path) {
        return device.driver()
                .ops()
                .localPeers()
                .burstBytes(path.source(), path.destination(), path.destinationPort(), device);
    }

    /** Returns true if the peer on such a path reads the payload of a packet in place. */
    boolean readsInPlace(SkBuff skb, NetworkPath path) {
        return device.driver()
                .ops()
                .localPeers()
                .readsInPlace(skb, path.source(), path.destination(), path.destinationPort());
    }

    /**
     * Returns true if queue pairs of this port are members of the destination group ({@code ip_mc_output}). On links of
     * IP packets the link delivers to local members itself.
     */
    private boolean isForOwnMembers(SkBuff skb, Gid destination) {
        return device.linkType() == LinkType.ETHERNET && destination.isMulticast() && hasMembers.test(skb);
    }

    private void sendTo(Gid destination, SkBuff skb) {
        Destination to = stack.destinations().find(destination, device);
        if (to.out() == null) {
            drop(skb);
        } else if (to.resolve(skb)) {
            send(skb);
        }
    }

    /** Sends a packet of a raw queue pair without changes. */
    void transmitRaw(SkBuff skb) {
        if (!states.sends()) {
            drop(skb);
            return;
        }
        counters.sentPackets++;
        counters.sentBytes += skb.len();
        send(skb);
    }

    /** Drops a packet because management has disabled sending, the link is down, or the route rejects packets. */
    private void drop(SkBuff skb) {
        device.stats().countTransmitDrop();
        skb.free();
    }

    private void send(SkBuff skb) {
        if (device.transmit(skb) == NetdevTx.BUSY) {
            stalled = skb;
        }
    }

    @Override
    public void dropWaiting(Predicate<SkBuff> condition) {
        SkBuff waiting = stalled;
        if (waiting != null && condition.test(waiting)) {
            dropStalled();
        }
        stack.dropWaiting(condition);
        device.dropWaiting(condition);
        loopback.dropWaiting(condition);
    }

    /**
     * Drops the packets of a queue pair that the device still holds, except packets without payload. Called by the
     * owner of the loop, but not during a send.
     */
    @SuppressWarnings("ReferenceEquality") // one object per queue pair
    void dropPayloadOf(Object qp) {
        device.dropWaiting(skb -> skb.meta().owner() == qp && skb.shinfo().fragCount() > 0);
    }

    private void dropStalled() {
        SkBuff waiting = stalled;
        if (waiting != null) {
            stalled = null;
            waiting.free();
        }
    }

    /** Drops what waits for the network, because the port is out of service. */
    public void breakDown() {
        dropStalled();
        stack.dropWaiting(this::isOwn);
        starved = false;
    }

    /** Returns true for a packet that a queue pair of this port built. */
    private boolean isOwn(SkBuff skb) {
        return skb.isOf(buffers);
    }

    public int buffersInUse() {
        return buffers.count() - buffers.available();
    }

    @Override
    public long sentPackets() {
        return device.stats().txPackets() + loopback.sentPackets();
    }

    @Override
    public long sendErrors() {
        return device.stats().txErrors() + device.stats().txDropped() + loopback.lostPackets();
    }

    /** Drops the packets of this port that wait, so that the network device can be closed. */
    public void dropOwn() {
        dropWaiting(this::isOwn);
    }

    /** Frees the buffers; none may be in use. */
    public void close() {
        dropStalled();
        loopback.close();
        buffers.close();
    }
}
