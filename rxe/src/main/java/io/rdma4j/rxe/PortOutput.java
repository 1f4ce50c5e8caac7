package io.rdma4j.rxe;

import io.rdma4j.base.Gid;
import io.rdma4j.net.LinkType;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetdevTx;
import io.rdma4j.net.ip.Destination;
import io.rdma4j.net.ip.IpStack;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.transport.TransportCounters;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a port: its packet buffers, and what becomes of the packets that queue pairs make in them, of which each goes
 * to the network, to the port itself, or both. Answers to {@code rxe_xmit_packet}. Belongs to the owner of the port loop.
 *
 * <p>The one packet that the network would not take stays here, and holds all others back until it goes.
 */
final class PortOutput {
    /** Room for link, IP and UDP headers in front of the BTH. */
    private static final int HEADROOM = 64;

    /** Payload is not copied, so a buffer holds headers only. */
    private static final int BUFFER_BYTES = 256;

    /** Packets of all queue pairs that may be under way within this host at once. */
    static final int BUFFERS = 1024;

    private final NetDevice device;
    private final IpStack stack;
    private final PortLoopback loopback;
    private final GidTable gids;
    private final MulticastTable multicast;
    private final TransportCounters counters;
    private final PortFailure failure;
    private final PortStateMachine states;
    private final SkBuffPool buffers = new SkBuffPool(BUFFERS, BUFFER_BYTES);
    private final RoceOffload offload = new RoceOffload();

    private @Nullable SkBuff stalled;
    private boolean starved;

    /** The output of the parts of a port that it has to do with; {@code loopback} stays the port's. */
    PortOutput(
            NetDevice device,
            IpStack stack,
            PortLoopback loopback,
            GidTable gids,
            MulticastTable multicast,
            TransportCounters counters,
            PortFailure failure,
            PortStateMachine states) {
        this.device = device;
        this.stack = stack;
        this.loopback = loopback;
        this.gids = gids;
        this.multicast = multicast;
        this.counters = counters;
        this.failure = failure;
        this.states = states;
    }

    /** True while a packet waits here that the network would not take. */
    boolean isStalled() {
        return stalled != null;
    }

    /** False while the network takes nothing or all buffers are under way. */
    boolean accepts() {
        return stalled == null && !starved;
    }

    /**
     * Tries again what the network did not take.
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

    /** An empty buffer with headroom, or null if none may be sent now. */
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

    /** Sends a packet or train that begins with its BTH; stamps it, if the host stamps packets. */
    void transmit(SkBuff skb, NetworkPath path) {
        if (!states.sends()) {
            drop(skb);
            return;
        }
        counters.sentPackets += skb.isGso() ? skb.gsoSegs() : 1;
        counters.sentBytes += skb.dataLen();
        skb.offload(offload);
        device.timestamps().set(skb);
        path.push(skb, RoceOffload.transportBytes(skb));
        Gid destination = path.destination();
        if (gids.contains(destination)) {
            loopback.transmit(skb);
        } else if (isForOwnMembers(skb, destination)) {
            // The clone first: the memory behind both may be used again when the original is freed.
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

    /** Bytes that may be under way at once on a path, see {@link NetDeviceOps#burstBytes}. */
    int burstBytes(NetworkPath path) {
        return device.driver().ops().burstBytes(path.source(), path.destination(), path.destinationPort(), device);
    }

    /** True if such a path reads the payload of a packet where it lies. */
    boolean readsInPlace(SkBuff skb, NetworkPath path) {
        return device.driver().ops().readsInPlace(skb, path.source(), path.destination(), path.destinationPort());
    }

    /** True if queue pairs of the port itself are to have a datagram ({@code ip_mc_output}); links of IP packets see to that. */
    private boolean isForOwnMembers(SkBuff skb, Gid destination) {
        return device.linkType() == LinkType.ETHERNET && destination.isMulticast() && multicast.find(skb).length > 0;
    }

    private void sendTo(Gid destination, SkBuff skb) {
        Destination to = stack.destinations().find(destination, device);
        if (to.out() == null) {
            drop(skb);
        } else if (to.resolve(skb)) {
            send(skb);
        }
    }

    /** Sends a packet of a raw queue pair as it is. */
    void transmitRaw(SkBuff skb) {
        if (!states.sends()) {
            drop(skb);
            return;
        }
        counters.sentPackets++;
        counters.sentBytes += skb.len();
        send(skb);
    }

    /** Management lets nothing out, as on a link that is down, or the route to the destination rejects packets. */
    private void drop(SkBuff skb) {
        device.stats().countTransmitDrop();
        skb.free();
    }

    private void send(SkBuff skb) {
        if (device.transmit(skb) == NetdevTx.BUSY) {
            stalled = skb;
        }
    }

    /**
     * What waits to be sent and {@code condition} holds of is lost, as on a network: it points into memory that was revoked,
     * and the device must not look there any more.
     */
    void dropWaiting(Predicate<SkBuff> condition) {
        SkBuff waiting = stalled;
        if (waiting != null && condition.test(waiting)) {
            dropStalled();
        }
        stack.dropWaiting(condition);
        device.dropWaiting(condition);
        loopback.dropWaiting(condition);
    }

    /**
     * What a queue pair has sent and the device still has is lost, but for packets without payload: an acknowledgement is in nobody's way. By the owner
     * of the loop, who is not sending now.
     */
    @SuppressWarnings("ReferenceEquality") // a queue pair is itself
    void dropPayloadOf(LoopQp qp) {
        device.dropWaiting(skb -> skb.owner() == qp && skb.fragCount() > 0);
    }

    private void dropStalled() {
        SkBuff waiting = stalled;
        if (waiting != null) {
            stalled = null;
            waiting.free();
        }
    }

    /** The port is out of service: nothing waits for the network any more. */
    void breakDown() {
        dropStalled();
        stack.dropWaiting(this::isOwn);
        starved = false;
    }

    /** True for a packet that a queue pair of this port has made. */
    boolean isOwn(SkBuff skb) {
        return skb.isOf(buffers);
    }

    /** Buffers that are under way. */
    int buffersInUse() {
        return buffers.count() - buffers.available();
    }

    /** Frees the buffers, which must all have come back. */
    void close() {
        dropStalled();
        buffers.close();
    }
}
