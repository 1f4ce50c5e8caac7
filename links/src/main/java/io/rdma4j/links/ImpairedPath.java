// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.net.device.LinkType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ecn;
import io.rdma4j.wire.ip.Ethernet;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a link with the faults of its {@link LinkProfile} ({@code netem}). It decides, by a random generator
 * of its own, what happens to each packet and when the packet arrives; a {@link Carrier} delivers it. The same seed,
 * packets and times give the same result.
 *
 * <p>For one thread at a time. Allocates nothing in steady state.
 */
public final class ImpairedPath {
    private static final int MAX_CHANGES = 8;
    private static final long NS_BITS_PER_S_BYTE = 8_000_000_000L;

    /** Provides memory for packets in flight, and delivers them to the other end. */
    public interface Carrier {
        /**
         * {@return a linear copy with memory of its own; null if too many packets are in flight}
         *
         * @param packet stays the caller's
         */
        @Nullable
        SkBuff copy(SkBuff packet);

        /**
         * Delivers a copy to the other end at a given time, and then calls {@link ImpairedPath#arrived}. Copies with
         * the same time keep their order.
         *
         * @param timeNs of the loop's clock
         * @param copy belongs to the carrier from now on
         */
        void schedule(long timeNs, SkBuff copy);

        /**
         * Inspects a copy before corruption and delay are applied; may change it.
         *
         * @param copy stays the path's
         * @return false to discard the copy ({@link LinkEvent#HELD_BACK})
         */
        default boolean admits(SkBuff copy) {
            return true;
        }

        /**
         * Reports one event of a packet.
         *
         * @param event what has happened to the packet
         * @param packet must not be changed
         */
        default void saw(LinkEvent event, SkBuff packet) {}
    }

    private final Carrier carrier;
    private final LinkType linkType;
    private final SplittableRandom random;
    private final LinkStats stats = new LinkStats();
    private final Departures departures = new Departures();
    private volatile LinkProfile profile;
    private long freeAtNs;
    private long latestNs;
    private boolean anyArrival;
    private boolean bad;

    /**
     * Creates a path with no packets in flight.
     *
     * @param carrier delivers the copies
     * @param linkType type of the link header of the packets
     * @param profile faults of the path
     * @param seed of all random decisions
     */
    public ImpairedPath(Carrier carrier, LinkType linkType, LinkProfile profile, long seed) {
        this.carrier = carrier;
        this.linkType = linkType;
        this.profile = profile;
        this.random = new SplittableRandom(seed);
    }

    /** {@return the counts of what happened to its packets so far} */
    public LinkStats stats() {
        return stats;
    }

    /** {@return the current profile} */
    public LinkProfile profile() {
        return profile;
    }

    /**
     * Replaces the profile. Thread-safe.
     *
     * @param next the new profile
     */
    public void profile(LinkProfile next) {
        profile = next;
    }

    /**
     * Sends a complete packet along the path.
     *
     * @param packet stays the caller's
     * @param nowNs of the loop's clock
     */
    public void send(SkBuff packet, long nowNs) {
        LinkProfile now = profile;
        note(LinkEvent.SENT, packet);
        if (packet.len() - linkType.headerBytes() > now.mtuBytes()) {
            note(LinkEvent.TOO_LONG, packet);
            return;
        }
        departures.leave(nowNs);
        if (departures.count() >= now.queuePackets()) {
            note(LinkEvent.QUEUE_FULL, packet);
            return;
        }
        boolean congested = now.ecnBytes() > 0 && waitingBytes(nowNs) > now.ecnBytes();
        long leftNs = leave(now, packet.len(), nowNs);
        if (isInBurst(now.bursts()) || happens(now.loss())) {
            note(LinkEvent.LOST, packet);
            return;
        }
        carry(now, packet, leftNs, congested);
        if (happens(now.duplication())) {
            note(LinkEvent.DUPLICATED, packet);
            carry(now, packet, leftNs, congested);
        }
    }

    /**
     * Counts a complete packet as sent and arrived if the path has no effect on it, so that no copy is needed.
     *
     * @param packet stays the caller's
     * @return false if the caller must {@link #send} it
     */
    boolean passes(SkBuff packet) {
        LinkProfile now = profile;
        if (!now.isPlain() || bad || departures.count() > 0 || packet.len() - linkType.headerBytes() > now.mtuBytes()) {
            return false;
        }
        note(LinkEvent.SENT, packet);
        note(LinkEvent.ARRIVED, packet);
        return true;
    }

    private boolean isInBurst(BurstLoss bursts) {
        if (bursts.begin() > 0) {
            bad = bad ? !happens(bursts.end()) : happens(bursts.begin());
        }
        return bad;
    }

    /** Returns the time when the packet's last bit leaves, after those of the packets before it. */
    private long leave(LinkProfile now, int bytes, long nowNs) {
        if (now.bitsPerSecond() == 0) {
            return nowNs;
        }
        long beginsNs = departures.count() == 0 ? nowNs : freeAtNs;
        freeAtNs = beginsNs + now.serialisationNs(bytes);
        departures.add(freeAtNs);
        return freeAtNs;
    }

    /**
     * {@return the bytes that are queued or being sent, computed from their remaining serialisation time}
     *
     * @param nowNs of the loop's clock
     */
    public long waitingBytes(long nowNs) {
        departures.leave(nowNs);
        return departures.count() == 0
                ? 0
                : Math.max(0, (freeAtNs - nowNs) * profile.bitsPerSecond() / NS_BITS_PER_S_BYTE);
    }

    private void carry(LinkProfile now, SkBuff packet, long leftNs, boolean congested) {
        SkBuff copy = carrier.copy(packet);
        if (copy == null) {
            // Too many packets in flight for the memory of the carrier: counted as an overflow of the queue.
            note(LinkEvent.QUEUE_FULL, packet);
            return;
        }
        if (congested && mark(copy)) {
            note(LinkEvent.MARKED, copy);
        }
        if (!carrier.admits(copy)) {
            note(LinkEvent.HELD_BACK, copy);
            copy.free();
            return;
        }
        if (happens(now.corruption())) {
            corrupt(copy);
            note(LinkEvent.CORRUPTED, copy);
        }
        carrier.schedule(arrival(now, copy, leftNs), copy);
    }

    /** Returns the arrival time of a packet that left at {@code leftNs}. */
    private long arrival(LinkProfile now, SkBuff copy, long leftNs) {
        long timeNs = leftNs + now.latencyNs();
        if (now.jitterNs() > 0) {
            timeNs = inOrder(timeNs + random.nextLong(now.jitterNs() + 1));
        }
        if (happens(now.reordering())) {
            timeNs += random.nextLong(1, now.reorderNs() + 1);
            note(LinkEvent.DELAYED, copy);
        }
        return timeNs;
    }

    private long inOrder(long timeNs) {
        if (!anyArrival || timeNs - latestNs > 0) {
            latestNs = timeNs;
            anyArrival = true;
        }
        return latestNs;
    }

    /**
     * Counts a copy as arrived at the other end.
     *
     * @param copy the argument of {@link Carrier#schedule}
     */
    public void arrived(SkBuff copy) {
        note(LinkEvent.ARRIVED, copy);
    }

    private void note(LinkEvent event, SkBuff packet) {
        stats.add(event);
        carrier.saw(event, packet);
    }

    private boolean happens(double probability) {
        return random.nextDouble() < probability;
    }

    /** Sets the CE mark. Returns false if the packet is not ECN-capable, or has no complete IP header. */
    private boolean mark(SkBuff copy) {
        MemorySegment memory = copy.memory();
        int ip = copy.data() + linkType.headerBytes();
        if (!isIp(memory, copy.data(), copy.tail() - ip) || Ecn.codepoint(memory, ip) == Ecn.NOT_ECT) {
            return false;
        }
        Ecn.mark(memory, ip);
        return true;
    }

    /** @param ipBytes number of bytes behind the link header */
    private boolean isIp(MemorySegment memory, int at, int ipBytes) {
        if (ipBytes < Ipv4.BYTES) {
            return false;
        }
        int ip = at + linkType.headerBytes();
        return switch (Ipv4.version(memory, ip)) {
            case Ipv4.VERSION -> ipBytes >= Ipv4.headerBytes(memory, ip) && isType(memory, at, Ethernet.TYPE_IPV4);
            case Ipv6.VERSION -> ipBytes >= Ipv6.BYTES && isType(memory, at, Ethernet.TYPE_IPV6);
            default -> false;
        };
    }

    private boolean isType(MemorySegment memory, int at, int etherType) {
        return linkType != LinkType.ETHERNET || Ethernet.etherType(memory, at) == etherType;
    }

    /** Changes bits or whole bytes; two changes of the same bit may cancel each other. */
    private void corrupt(SkBuff packet) {
        if (packet.headLen() == 0) {
            return;
        }
        MemorySegment memory = packet.memory();
        boolean wholeBytes = random.nextBoolean();
        int changes = random.nextInt(1, MAX_CHANGES + 1);
        for (int i = 0; i < changes; i++) {
            long at = packet.data() + (long) random.nextInt(packet.headLen());
            int mask = wholeBytes ? random.nextInt(1, 256) : 1 << random.nextInt(Byte.SIZE);
            byte old = memory.get(ValueLayout.JAVA_BYTE, at);
            memory.set(ValueLayout.JAVA_BYTE, at, (byte) (old ^ mask));
        }
    }
}
