package io.rdma4j.net.link;

import io.rdma4j.net.LinkType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Ecn;
import io.rdma4j.wire.Ethernet;
import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Ipv6;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a link as its {@link LinkProfile} has it ({@code netem}): decides what becomes of each packet, by its own seed, and when it
 * arrives; a {@link Carrier} carries it there. The same seed, packets and times have the same outcome.
 *
 * <p>For one thread at a time. Allocates nothing in steady state.
 */
public final class ImpairedPath {
    private static final int MAX_CHANGES = 8;
    private static final long NS_BITS_PER_S_BYTE = 8_000_000_000L;

    /** Who has memory for packets under way, and brings them to the other end. */
    public interface Carrier {
        /**
         * {@return a copy for the way, all of it linear and its own; null if too many are under way}
         *
         * @param packet stays the caller's
         */
        @Nullable
        SkBuff copy(SkBuff packet);

        /**
         * Brings a copy to the other end at a time, and then tells {@link ImpairedPath#arrived}; what comes at the same time keeps its order.
         *
         * @param timeNs of the loop's clock
         * @param copy the carrier's until then
         */
        void schedule(long timeNs, SkBuff copy);

        /**
         * {@return a last look at a copy, which may be changed, before chance has its say; false: it is held back}
         *
         * @param copy the carrier's
         */
        default boolean admits(SkBuff copy) {
            return true;
        }

        /**
         * Told of each fate of each packet.
         *
         * @param fate what became of it
         * @param packet stays as it is
         */
        default void saw(LinkFate fate, SkBuff packet) {}
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
     * A path on which nothing is under way.
     *
     * @param carrier who moves the copies
     * @param linkType what the packets begin with
     * @param profile what happens to them
     * @param seed of all that chance does
     */
    public ImpairedPath(Carrier carrier, LinkType linkType, LinkProfile profile, long seed) {
        this.carrier = carrier;
        this.linkType = linkType;
        this.profile = profile;
        this.random = new SplittableRandom(seed);
    }

    /** {@return what became of its packets so far} */
    public LinkStats stats() {
        return stats;
    }

    /** {@return what it does to packets} */
    public LinkProfile profile() {
        return profile;
    }

    /**
     * What it does to packets from now on; any thread may say.
     *
     * @param next takes the place of the former
     */
    public void profile(LinkProfile next) {
        profile = next;
    }

    /**
     * Takes a finished packet.
     *
     * @param packet stays the caller's
     * @param nowNs of the loop's clock
     */
    public void send(SkBuff packet, long nowNs) {
        LinkProfile now = profile;
        note(LinkFate.SENT, packet);
        if (packet.len() - linkType.headerBytes() > now.mtuBytes()) {
            note(LinkFate.TOO_LONG, packet);
            return;
        }
        departures.leave(nowNs);
        if (departures.count() >= now.queuePackets()) {
            note(LinkFate.QUEUE_FULL, packet);
            return;
        }
        boolean congested = now.ecnBytes() > 0 && waitingBytes(nowNs) > now.ecnBytes();
        long leftNs = leave(now, packet.len(), nowNs);
        if (isInBurst(now.bursts()) || happens(now.loss())) {
            note(LinkFate.LOST, packet);
            return;
        }
        carry(now, packet, leftNs, congested);
        if (happens(now.duplication())) {
            note(LinkFate.DUPLICATED, packet);
            carry(now, packet, leftNs, congested);
        }
    }

    private boolean isInBurst(BurstLoss bursts) {
        if (bursts.begin() > 0) {
            bad = bad ? !happens(bursts.end()) : happens(bursts.begin());
        }
        return bad;
    }

    /** When the packet's last bit has left, those in front of it first. */
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
     * {@return bytes that wait for their turn or leave just now, by the time they take}
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
            // More packets under way than there is memory for: one more queue that was too short.
            note(LinkFate.QUEUE_FULL, packet);
            return;
        }
        if (congested && mark(copy)) {
            note(LinkFate.MARKED, copy);
        }
        if (!carrier.admits(copy)) {
            note(LinkFate.HELD_BACK, copy);
            copy.free();
            return;
        }
        if (happens(now.corruption())) {
            corrupt(copy);
            note(LinkFate.CORRUPTED, copy);
        }
        carrier.schedule(arrival(now, copy, leftNs), copy);
    }

    /** When a packet that has left at a time arrives. */
    private long arrival(LinkProfile now, SkBuff copy, long leftNs) {
        long timeNs = leftNs + now.latencyNs();
        if (now.jitterNs() > 0) {
            timeNs = inOrder(timeNs + random.nextLong(now.jitterNs() + 1));
        }
        if (happens(now.reordering())) {
            timeNs += random.nextLong(1, now.reorderNs() + 1);
            note(LinkFate.DELAYED, copy);
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
     * A copy is at the other end.
     *
     * @param copy what {@link Carrier#schedule} was given
     */
    public void arrived(SkBuff copy) {
        note(LinkFate.ARRIVED, copy);
    }

    private void note(LinkFate fate, SkBuff packet) {
        stats.add(fate);
        carrier.saw(fate, packet);
    }

    private boolean happens(double probability) {
        return random.nextDouble() < probability;
    }

    /** False if the sender does not listen to marks, or it is no whole IP header. */
    private boolean mark(SkBuff copy) {
        MemorySegment memory = copy.memory();
        int ip = copy.data() + linkType.headerBytes();
        if (!isIp(memory, copy.data(), copy.tail() - ip) || Ecn.codepoint(memory, ip) == Ecn.NOT_ECT) {
            return false;
        }
        Ecn.mark(memory, ip);
        return true;
    }

    /** @param ipBytes what is there behind the link header */
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

    /** Changes bits or whole bytes; two changes of the same bit may cancel out, as in life. */
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
