// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.fuzz;

import io.rdma4j.testing.sim.world.SimNetwork;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import io.rdma4j.wire.roce.Icrc;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Forges packets from real ones: with flipped bits, fields at their limits, cut off, extended, or spliced from two.
 * Lengths and ICRC are correct in most of them, so that the later checks of the receiver are reached.
 */
public final class PacketForge {
    /** A key, valid or invalidated, and the address range that it covers. */
    public record Aim(int key, long begin, long length) {}

    private static final int MODELS = 256;
    private static final int MAX_CHANGES = 3;
    private static final int MAX_NEAR = 4;
    private static final int PSN_AT = 9;
    private static final int QPN_AT = 5;
    private static final int PKEY_AT = 2;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final long[] ADDRESSES = {0, -1, -8, 7, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 32, -4096};
    private static final int[] LENGTHS = {
        0, 1, 7, 8, 9, 255, 256, 257, 4095, 4096, 4097, 1 << 16, Integer.MAX_VALUE, Integer.MIN_VALUE, -1
    };

    private final SplittableRandom random;
    private final List<byte[]> models = new ArrayList<>();
    private final List<Integer> qpns = new ArrayList<>();
    private final Map<Integer, List<Aim>> aimsByQpn = new HashMap<>();
    private final Icrc icrc = new Icrc();
    private byte[] packet = {};
    private int misaddressed;
    private boolean touchedFront;

    public PacketForge(SplittableRandom random) {
        this.random = random;
    }

    /**
     * Keeps a real packet, from its IP header to its ICRC, as a model; replaces a random one when all places are used.
     */
    public void learn(MemorySegment real) {
        byte[] bytes = real.toArray(ValueLayout.JAVA_BYTE);
        if (models.size() < MODELS) {
            models.add(bytes);
        } else {
            models.set(random.nextInt(MODELS), bytes);
        }
    }

    /** Adds target queue pairs, and the regions registered in their protection domain. {@code aims} may grow later. */
    public void aimAt(List<QueuePair> queuePairs, List<Aim> aims) {
        for (QueuePair qp : queuePairs) {
            qpns.add(qp.qpn());
            aimsByQpn.put(qp.qpn(), aims);
        }
    }

    boolean hasModels() {
        return !models.isEmpty();
    }

    /**
     * Number of packets that need not reach a queue pair: their IP or UDP header may be wrong, or they are multicast.
     */
    int misaddressed() {
        return misaddressed;
    }

    /** Returns the next forged packet. */
    public MemorySegment forge() {
        packet = pick(models).clone();
        touchedFront = false;
        int changes = random.nextInt(MAX_CHANGES + 1);
        for (int i = 0; i < changes; i++) {
            change();
        }
        boolean mended = random.nextInt(20) > 0;
        if (mended) {
            mendLengths();
        }
        if (random.nextInt(10) > 0) {
            mendIcrc();
        }
        misaddressed += mended && isAddressed() ? 0 : 1;
        return memory();
    }

    /** True if the headers before the BTH are unchanged and the BTH names one queue pair. */
    private boolean isAddressed() {
        int bth = bth();
        return !touchedFront && packet.length >= bth + Bth.BYTES && get24(bth + QPN_AT) != 0xFF_FFFF;
    }

    private <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private MemorySegment memory() {
        return MemorySegment.ofArray(packet);
    }

    private int bth() {
        return (Ipv4.version(memory(), 0) == Ipv4.VERSION ? Ipv4.BYTES : Ipv6.BYTES) + Udp.BYTES;
    }

    private void change() {
        int bth = bth();
        if (packet.length < bth + Bth.BYTES + Icrc.BYTES) {
            return;
        }
        switch (random.nextInt(16)) {
            case 0 -> {
                boolean front = random.nextInt(8) == 0;
                touchedFront |= front;
                flipBits(front ? 0 : bth);
            }
            case 1 -> packet[bth] = (byte) pick(List.of(Opcode.values())).code();
            case 2 -> packet[bth] = (byte) random.nextInt(256);
            case 3 -> packet[bth + 1] = (byte) random.nextInt(256);
            case 4 -> put24(bth + QPN_AT, pick(qpns));
            case 5 -> put24(bth + PSN_AT, get24(bth + PSN_AT) + random.nextInt(-MAX_NEAR, MAX_NEAR + 1));
            case 6 -> put24(bth + PSN_AT, random.nextInt(4) == 0 ? random.nextInt() : 1 << 23);
            case 7 -> packet[bth + PKEY_AT] ^= (byte) (1 << random.nextInt(8));
            case 8 -> packet = Arrays.copyOf(packet, random.nextInt(bth, packet.length));
            case 9 -> lengthen();
            case 10 -> splice(bth);
            default -> extendedHeader(bth);
        }
    }

    private void flipBits(int from) {
        for (int i = random.nextInt(1, 9); i > 0; i--) {
            packet[random.nextInt(from, packet.length)] ^= (byte) (1 << random.nextInt(8));
        }
    }

    private void lengthen() {
        int old = packet.length;
        packet = Arrays.copyOf(packet, Math.min(SimNetwork.MAX_PACKET_BYTES, old + 1 + random.nextInt(5000)));
        Arrays.fill(packet, old, packet.length, (byte) random.nextInt(256));
    }

    /** Joins the beginning of this packet and the end of another. */
    private void splice(int bth) {
        byte[] other = pick(models);
        int cut = random.nextInt(bth, packet.length);
        int from = random.nextInt(Math.min(bth, other.length - 1), other.length);
        int length = Math.min(SimNetwork.MAX_PACKET_BYTES - cut, other.length - from);
        byte[] spliced = Arrays.copyOf(packet, cut + length);
        System.arraycopy(other, from, spliced, cut, length);
        packet = spliced;
    }

    /** Changes a field of the headers behind the BTH, as the current opcode defines them. */
    private void extendedHeader(int bth) {
        Opcode opcode = Bth.opcode(memory(), bth);
        if (opcode == null || packet.length < bth + opcode.headerBytes()) {
            return;
        }
        Header header = pick(opcode.headers());
        int at = bth + opcode.offsetOf(header);
        switch (header) {
            case RETH -> range(at, true);
            case ATOMICETH -> range(at, false);
            case IETH -> memory().set(INT, at, aim().key());
            case AETH -> packet[at] = (byte) random.nextInt(256);
            default -> memory().set(INT, at, random.nextInt());
        }
    }

    /** Changes the address and key of a request, and its length if the header has one. */
    private void range(int at, boolean hasLength) {
        Aim aim = aim();
        switch (random.nextInt(hasLength ? 5 : 4)) {
            case 0 -> memory().set(LONG, at, strangeAddress(aim));
            case 1 -> memory().set(INT, at + Long.BYTES, aim.key() ^ 1 << random.nextInt(Integer.SIZE));
            case 2, 3 -> {
                long offset = random.nextLong(aim.length()) & (random.nextBoolean() ? -Long.BYTES : -1L);
                memory().set(LONG, at, aim.begin() + offset);
                memory().set(INT, at + Long.BYTES, aim.key());
            }
            default -> memory().set(INT, at + Long.BYTES + Integer.BYTES, LENGTHS[random.nextInt(LENGTHS.length)]);
        }
    }

    /** Returns mostly a range that the destination queue pair of the packet can access. */
    private Aim aim() {
        List<Aim> near = aimsByQpn.get(get24(bth() + QPN_AT));
        return pick(near == null || random.nextInt(4) == 0 ? pick(List.copyOf(aimsByQpn.values())) : near);
    }

    private long strangeAddress(Aim aim) {
        long border = aim.begin() + (random.nextBoolean() ? aim.length() : 0);
        return random.nextInt(3) == 0 ? ADDRESSES[random.nextInt(ADDRESSES.length)] : border + random.nextInt(-16, 17);
    }

    private int get24(int at) {
        return memory().get(INT, at - 1) & 0xFF_FFFF;
    }

    private void put24(int at, int value) {
        int before = memory().get(INT, at - 1) & 0xFF00_0000;
        memory().set(INT, at - 1, before | value & 0xFF_FFFF);
    }

    /** Sets the lengths and checksums of IP and UDP for the current size of the packet. */
    private void mendLengths() {
        int bth = bth();
        if (packet.length < bth) {
            return;
        }
        MemorySegment memory = memory();
        int udp = bth - Udp.BYTES;
        Udp.length(memory, udp, packet.length - udp);
        Udp.checksum(memory, udp, 0);
        if (Ipv4.version(memory, 0) == Ipv4.VERSION) {
            Ipv4.totalLength(memory, 0, packet.length);
            if (Ipv4.headerBytes(memory, 0) <= packet.length) {
                Ipv4.updateChecksum(memory, 0);
            }
        } else {
            Ipv6.payloadLength(memory, 0, packet.length - Ipv6.BYTES);
        }
    }

    private void mendIcrc() {
        int at = packet.length - Icrc.BYTES;
        if (at >= bth() + Bth.BYTES) {
            MemorySegment memory = memory();
            Icrc.store(memory, at, icrc.compute(memory, memory.asByteBuffer(), 0, at));
        }
    }
}
