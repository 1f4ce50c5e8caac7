// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.hca.PortFailure;
import io.rdma4j.hca.PortLink;
import io.rdma4j.hca.PortStateMachine;
import io.rdma4j.hca.SendCounters;
import io.rdma4j.hca.carrier.Carrier;
import io.rdma4j.hca.carrier.CarrierHeaders;
import io.rdma4j.hca.carrier.CarrierPath;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.transport.port.TransportCounters;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Sends the packets of a port's queue pairs to the carrier, to the port itself, or both. It owns the packet buffers of
 * the port. Corresponds to {@code rxe_xmit_packet}. For the owner of the port loop only.
 *
 * <p>While a packet waits in the carrier, this class sends no other packet.
 */
public final class PortOutput implements SendCounters {
    /** Space for the headers of the carrier in front of the BTH. */
    private static final int HEADROOM = 64;

    /** A buffer holds headers only, because payload is not copied. */
    private static final int BUFFER_BYTES = 256;

    /** Maximum number of packets of all queue pairs that are in flight inside this host. */
    public static final int BUFFERS = 1024;

    private final Carrier carrier;
    private final PortLink link;
    private final CarrierHeaders headers;
    private final PortLoopback loopback;
    private final GroupMembership<?> groups;
    private final TransportCounters counters;
    private final PortFailure failure;
    private final PortStateMachine states;
    private final SkBuffPool buffers = SkBuffPool.growing(BUFFERS, BUFFER_BYTES);

    private boolean starved;

    public PortOutput(
            Carrier carrier,
            PortLoopback loopback,
            GroupMembership<?> groups,
            TransportCounters counters,
            PortStateMachine states) {
        this.carrier = carrier;
        this.link = carrier.link();
        this.headers = carrier.headers();
        this.loopback = loopback;
        this.groups = groups;
        this.counters = counters;
        this.failure = states.failure();
        this.states = states;
    }

    /** The path for packets to the port itself. */
    PortLoopback loopback() {
        return loopback;
    }

    /** Returns true while a packet waits in the carrier. */
    boolean isStalled() {
        return carrier.isStalled();
    }

    /** Returns false while the carrier accepts nothing or all buffers are in use. */
    public boolean accepts() {
        return !starved && !carrier.isStalled();
    }

    /**
     * Makes the carrier send what waits in it.
     *
     * @return true if packets may be sent
     */
    boolean flush() {
        if (failure.isThere()) {
            return true;
        }
        starved = false;
        return carrier.flush();
    }

    /** Returns an empty buffer with headroom, or null if no packet may be sent now. */
    @Nullable
    SkBuff allocate() {
        if (carrier.isStalled() || failure.isThere()) {
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

    /** Sends a packet or train that begins with its BTH. */
    void transmit(SkBuff skb, CarrierPath path) {
        if (!admits(skb, skb.shinfo().isGso() ? skb.shinfo().gsoSegs() : 1, skb.dataLen())) {
            return;
        }
        headers.push(skb, path);
        if (headers.leadsHere(path) && !headers.isForAgents(skb)) {
            loopback.transmit(skb);
        } else if (headers.isCopiedToMembers(path) && groups.hasMembers(path.destination())) {
            // Send the clone first: when the original is freed, the memory behind both may be reused.
            SkBuff clone = skb.cloneDescriptor();
            if (clone == null) {
                link.countDropped();
            } else {
                carrier.transmit(clone, path);
            }
            loopback.transmit(skb);
        } else {
            carrier.transmit(skb, path);
        }
    }

    /** Sends a datagram of queue pair 0, which the state of the port does not hold back. */
    void transmitManagement(SkBuff skb, CarrierPath path) {
        counters.sentPackets++;
        counters.sentBytes += skb.dataLen();
        headers.push(skb, path);
        carrier.transmit(skb, path);
    }

    /**
     * Counts a packet that is sent now. Drops it if management has disabled sending or the link is down.
     *
     * @param packets of a train, or 1
     * @param bytes of payload
     * @return false if it was dropped
     */
    public boolean admits(SkBuff skb, int packets, int bytes) {
        if (!states.sends()) {
            link.countDropped();
            skb.free();
            return false;
        }
        counters.sentPackets += packets;
        counters.sentBytes += bytes;
        return true;
    }

    /** Drops the waiting packets for which {@code condition} is true. They point into memory that was revoked. */
    public void dropWaiting(Predicate<SkBuff> condition) {
        carrier.dropWaiting(condition);
        loopback.dropWaiting(condition);
    }

    /**
     * Drops the packets of a queue pair that the carrier still holds, except packets without payload. Called by the
     * owner of the loop, but not during a send.
     */
    @SuppressWarnings("ReferenceEquality") // one object per queue pair
    void dropPayloadOf(Object qp) {
        carrier.dropHeld(skb -> skb.meta().owner() == qp && skb.shinfo().fragCount() > 0);
    }

    /** Drops the packets of this port that wait for the carrier, so that it can be closed. */
    public void dropOwn() {
        dropWaiting(this::isOwn);
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
        return link.sentPackets() + loopback.sentPackets();
    }

    @Override
    public long sendErrors() {
        return link.sendErrors() + loopback.lostPackets();
    }

    /** Frees the buffers; none may be in use. */
    public void close() {
        loopback.close();
        buffers.close();
    }
}
