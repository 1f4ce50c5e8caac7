package io.rdma4j.testing.sim;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Ecn;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** One direction between two devices: delays, loses, doubles, delays more, and spoils packets, by its own seed. */
public final class SimLink {
    private static final int MAX_CHANGES = 8;

    private final SimNetwork network;
    private final SimLinkDevice from;
    private final SimLinkDevice to;
    private final SplittableRandom random;
    private final LinkStats stats = new LinkStats();

    /** When each of the packets that wait or leave just now has left, oldest first. */
    private final ArrayDeque<Long> departures = new ArrayDeque<>();

    private LinkProfile profile;
    private @Nullable PacketHook hook;
    private long freeAtNs;
    private boolean bad;

    SimLink(SimNetwork network, SimLinkDevice from, SimLinkDevice to, LinkProfile profile, long seed) {
        this.network = network;
        this.from = from;
        this.to = to;
        this.profile = profile;
        this.random = new SplittableRandom(seed);
    }

    /** What became of its packets so far. */
    public LinkStats stats() {
        return stats;
    }

    /** What it does to packets from now on. */
    public void profile(LinkProfile next) {
        profile = next;
    }

    /** Lets {@code next} look at each packet from now on; null for nobody. */
    public void hook(@Nullable PacketHook next) {
        hook = next;
    }

    /** Takes a finished packet; the buffer stays the caller's. */
    void send(SkBuff packet, long nowNs) {
        stats.sent++;
        trace(TraceKind.SENT, packet);
        if (packet.len() > profile.mtuBytes()) {
            stats.tooLong++;
            trace(TraceKind.TOO_LONG, packet);
            return;
        }
        if (!hasRoom(nowNs)) {
            stats.overflowed++;
            trace(TraceKind.QUEUE_FULL, packet);
            return;
        }
        boolean congested = profile.ecnBytes() > 0 && waitingBytes(nowNs) > profile.ecnBytes();
        long leftNs = leave(packet.len(), nowNs);
        if (isInBurst() || happens(profile.loss())) {
            stats.lost++;
            trace(TraceKind.LOST, packet);
            return;
        }
        carry(packet, leftNs, congested);
        if (happens(profile.duplication())) {
            stats.duplicated++;
            trace(TraceKind.DUPLICATED, packet);
            carry(packet, leftNs, congested);
        }
    }

    private boolean isInBurst() {
        BurstLoss bursts = profile.bursts();
        if (bursts.begin() > 0) {
            bad = bad ? !happens(bursts.end()) : happens(bursts.begin());
        }
        return bad;
    }

    private boolean hasRoom(long nowNs) {
        while (!departures.isEmpty() && departures.getFirst() - nowNs <= 0) {
            departures.removeFirst();
        }
        return departures.size() < profile.queuePackets();
    }

    /** When the packet's last bit has left, those in front of it first. */
    private long leave(int bytes, long nowNs) {
        if (profile.bitsPerSecond() == 0) {
            return nowNs;
        }
        long beginsNs = departures.isEmpty() ? nowNs : freeAtNs;
        freeAtNs = beginsNs + profile.serialisationNs(bytes);
        departures.addLast(freeAtNs);
        return freeAtNs;
    }

    /** Bytes that wait for their turn or leave just now, by the time they take. */
    long waitingBytes(long nowNs) {
        return departures.isEmpty() ? 0 : Math.max(0, (freeAtNs - nowNs) * profile.bitsPerSecond() / 8_000_000_000L);
    }

    private void carry(SkBuff packet, long leftNs, boolean congested) {
        SkBuff copy = network.copy(packet);
        if (copy == null) {
            // More packets under way than the network has memory for: one more queue that was too short.
            stats.overflowed++;
            trace(TraceKind.QUEUE_FULL, packet);
            return;
        }
        if (congested && Ecn.codepoint(copy.memory(), copy.data()) != Ecn.NOT_ECT) {
            Ecn.mark(copy.memory(), copy.data());
            stats.marked++;
            trace(TraceKind.MARKED, copy);
        }
        PacketHook look = hook;
        if (look != null && !look.pass(copy.memory().asSlice(copy.data(), copy.len()))) {
            stats.hooked++;
            trace(TraceKind.LOST, copy);
            copy.free();
            return;
        }
        if (happens(profile.corruption())) {
            corrupt(copy);
            stats.corrupted++;
            trace(TraceKind.CORRUPTED, copy);
        }
        long delayNs = profile.latencyNs();
        if (happens(profile.reordering())) {
            delayNs += random.nextLong(1, profile.reorderNs() + 1);
            stats.delayed++;
            trace(TraceKind.DELAYED, copy);
        }
        network.schedule(leftNs + delayNs, this, copy);
    }

    /** The packet's time has come. */
    void arrive(SkBuff packet) {
        stats.arrived++;
        trace(TraceKind.ARRIVED, packet);
        to.arrive(packet);
    }

    private boolean happens(double probability) {
        return random.nextDouble() < probability;
    }

    /** Changes bits or whole bytes; two changes of the same bit may cancel out, as in life. */
    private void corrupt(SkBuff packet) {
        MemorySegment memory = packet.memory();
        boolean wholeBytes = random.nextBoolean();
        int changes = random.nextInt(1, MAX_CHANGES + 1);
        for (int i = 0; i < changes; i++) {
            long at = packet.data() + (long) random.nextInt(packet.len());
            int mask = wholeBytes ? random.nextInt(1, 256) : 1 << random.nextInt(Byte.SIZE);
            byte old = memory.get(ValueLayout.JAVA_BYTE, at);
            memory.set(ValueLayout.JAVA_BYTE, at, (byte) (old ^ mask));
        }
    }

    private void trace(TraceKind kind, SkBuff packet) {
        network.trace().packet(kind, from.index(), to.index(), packet);
    }
}
