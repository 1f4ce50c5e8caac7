// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.wire.FieldText;
import io.rdma4j.wire.ib.LinkVectors.Packet;
import io.rdma4j.wire.roce.Icrc;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LocalPacketTest {
    private static final long SEED = 20_261_127;

    private final Icrc icrc = new Icrc();

    private int stored(Packet packet) {
        return Icrc.load(packet.memory(), LocalPacket.icrcOffset(packet.memory(), 0));
    }

    private int computed(Packet packet) {
        return LocalPacket.computeIcrc(icrc, packet.memory(), packet.view(), 0);
    }

    @Test
    @Covers("RXE-130")
    void theVectorsAreWellFormedAndHaveTheirCrcs() {
        assertThat(LinkVectors.TRANSPORT).allSatisfy(packet -> {
            assertThat(LocalPacket.check(packet.memory(), 0, packet.length())).isEqualTo(LocalPacketCheck.OK);
            assertThat(computed(packet)).isEqualTo(stored(packet));
            assertThat(LocalPacket.hasGoodVcrc(packet.memory(), 0)).isTrue();
        });
        assertThat(Integer.reverseBytes(stored(LinkVectors.PUBLISHED))).isEqualTo(0x9625_B75A);
    }

    @Test
    @Covers("RXE-114")
    void theLocalRouteHeaderHasLaneLevelLidsAndLength() {
        MemorySegment packet = LinkVectors.A.memory();

        assertThat(Lrh.virtualLane(packet, 0)).isEqualTo(1);
        assertThat(Lrh.serviceLevel(packet, 0)).isEqualTo(3);
        assertThat(Lrh.nextHeader(packet, 0)).isEqualTo(LinkNextHeader.LOCAL);
        assertThat(Lrh.destinationLid(packet, 0)).isEqualTo(5);
        assertThat(Lrh.sourceLid(packet, 0)).isEqualTo(2);
        assertThat(Lrh.packetLength(packet, 0)).isEqualTo(8);
        FieldText text = new FieldText("");
        Lrh.describe(packet, 0, text);
        assertThat(text.toString()).isEqualTo(" vl 1 sl 3 packetLength 8");
    }

    @Test
    void aHeaderIsEncodedToTheSameBytes() {
        for (Packet packet : LinkVectors.TRANSPORT) {
            MemorySegment from = packet.memory();
            MemorySegment to = Arena.ofAuto().allocate(Lrh.BYTES).fill((byte) 0xA5);
            Lrh.write(
                    to,
                    0,
                    Lrh.virtualLane(from, 0),
                    Lrh.serviceLevel(from, 0),
                    Lrh.nextHeader(from, 0),
                    Lrh.destinationLid(from, 0),
                    Lrh.packetLength(from, 0),
                    Lrh.sourceLid(from, 0));

            assertThat(to.mismatch(from.asSlice(0, Lrh.BYTES)))
                    .as(packet.name())
                    .isEqualTo(-1);
        }
    }

    @Test
    void aHopChangesTheLaneAndTheVcrcOnly() {
        Packet packet = LinkVectors.copy(LinkVectors.A);
        Lrh.virtualLane(packet.memory(), 0, 0);
        assertThat(LocalPacket.hasGoodVcrc(packet.memory(), 0)).isFalse();
        LocalPacket.storeVcrc(packet.memory(), 0);

        assertThat(packet.memory().mismatch(LinkVectors.C.memory())).isEqualTo(-1);
    }

    @Test
    void theIcrcOfALocalPacketCoversAllButTheLaneAndTheCongestionBits() {
        Packet packet = LinkVectors.copy(LinkVectors.A);
        int right = computed(packet);
        for (int bit = 0; bit < (packet.length() - Vcrc.BYTES - Icrc.BYTES) * Byte.SIZE; bit++) {
            boolean isLength = bit >= 4 * Byte.SIZE + 5 && bit < 6 * Byte.SIZE;
            boolean isNextHeader = bit == Byte.SIZE + 6 || bit == Byte.SIZE + 7;
            if (isLength || isNextHeader) {
                continue; // they move the CRC
            }
            flip(packet.memory(), bit);
            boolean masked = bit < 4 || bit / Byte.SIZE == Lrh.BYTES + 4;
            assertThat(computed(packet) == right).as("bit " + bit).isEqualTo(masked);
            flip(packet.memory(), bit);
        }
    }

    @Test
    void theIcrcOfAGlobalPacketDoesNotCoverTheLocalRouteHeader() {
        Packet packet = LinkVectors.copy(LinkVectors.B);
        Lrh.write(packet.memory(), 0, 5, 7, LinkNextHeader.GLOBAL, 0xC123, 0x13, 9);

        assertThat(computed(packet)).isEqualTo(stored(packet));
    }

    @Test
    void everySingleBitErrorIsFoundByTheVcrc() {
        Packet packet = LinkVectors.copy(LinkVectors.A);
        for (int bit = 0; bit < packet.length() * Byte.SIZE; bit++) {
            flip(packet.memory(), bit);
            assertThat(Vcrc.load(packet.memory(), packet.length() - 2))
                    .as("bit " + bit)
                    .isNotEqualTo(Vcrc.compute(packet.memory(), 0, packet.length() - 2));
            flip(packet.memory(), bit);
        }
    }

    private static void flip(MemorySegment memory, int bit) {
        long at = bit / Byte.SIZE;
        int mask = 0x80 >> bit % Byte.SIZE;
        memory.set(ValueLayout.JAVA_BYTE, at, (byte) (memory.get(ValueLayout.JAVA_BYTE, at) ^ mask));
    }

    @Test
    void everyTruncationIsRefused() {
        for (Packet packet : LinkVectors.TRANSPORT) {
            for (int length = 0; length < packet.length(); length++) {
                // First in memory that ends with the packet, then in a larger buffer.
                assertThat(LocalPacket.check(packet.memory().asSlice(0, length), 0, length)
                                .isOk())
                        .isFalse();
                assertThat(LocalPacket.check(packet.memory(), 0, length).isOk()).isFalse();
            }
            assertThat(LocalPacket.check(packet.memory().asSlice(0, packet.length() - 1), 0, packet.length()))
                    .isEqualTo(LocalPacketCheck.TOO_SHORT);
        }
    }

    @Test
    void eachFaultHasItsReason() {
        Packet packet = LinkVectors.copy(LinkVectors.B);
        assertCheck(packet, 0, 0x01, LocalPacketCheck.BAD_VERSION);
        assertCheck(packet, 5, 0x12, LocalPacketCheck.BAD_LENGTH);
        assertCheck(packet, Lrh.BYTES, 0x40, LocalPacketCheck.BAD_GRH);
        assertCheck(packet, Lrh.BYTES + 5, 0x1B, LocalPacketCheck.BAD_GRH);
        assertCheck(packet, Lrh.BYTES + 6, 0x11, LocalPacketCheck.BAD_GRH);
        assertCheck(packet, Lrh.BYTES + 40, 0xFF, LocalPacketCheck.BAD_TRANSPORT);
        assertThat(LocalPacketCheck.BAD_GRH.text()).isEqualTo("bad global route header");
    }

    private static void assertCheck(Packet packet, int at, int value, LocalPacketCheck expected) {
        byte old = packet.memory().get(ValueLayout.JAVA_BYTE, at);
        packet.memory().set(ValueLayout.JAVA_BYTE, at, (byte) value);
        assertThat(LocalPacket.check(packet.memory(), 0, packet.length())).isEqualTo(expected);
        packet.memory().set(ValueLayout.JAVA_BYTE, at, old);
    }

    @Test
    void rawPacketsHaveNoTransportHeaders() {
        MemorySegment raw = Arena.ofAuto().allocate(8 + 4 + 4 + 2);
        Lrh.write(raw, 0, 2, 0, LinkNextHeader.RAW_ETHERTYPE, 7, 4, 3);
        LocalPacket.storeVcrc(raw, 0);

        assertThat(LocalPacket.check(raw, 0, 18)).isEqualTo(LocalPacketCheck.OK);
        assertThat(LocalPacket.hasGoodVcrc(raw, 0)).isTrue();
        assertThat(LocalPacket.isToQp0(raw, 0)).isFalse();
        Lrh.write(raw, 0, 2, 0, LinkNextHeader.RAW_IPV6, 7, 4, 3);
        assertThat(LocalPacket.check(raw, 0, 18)).isEqualTo(LocalPacketCheck.TOO_SHORT);
    }

    @Test
    void randomBytesNeverThrow() {
        SplittableRandom random = new SplittableRandom(SEED);
        EnumSet<LocalPacketCheck> seen = EnumSet.noneOf(LocalPacketCheck.class);
        for (int i = 0; i < 50_000; i++) {
            Packet packet = LinkVectors.TRANSPORT.get(random.nextInt(LinkVectors.TRANSPORT.size()));
            MemorySegment garbage = Arena.ofAuto().allocate(packet.length()).copyFrom(packet.memory());
            for (int change = random.nextInt(4); change > 0; change--) {
                garbage.set(ValueLayout.JAVA_BYTE, random.nextInt(Math.min(56, packet.length())), (byte)
                        random.nextInt(256));
            }
            int length = random.nextInt(4) == 0 ? random.nextInt(packet.length()) : packet.length();
            LocalPacketCheck check = LocalPacket.check(garbage, 0, length);
            seen.add(check);
            if (check.isOk()) {
                LocalPacket.isToQp0(garbage, 0);
                LocalPacket.hasGoodVcrc(garbage, 0);
            }
        }
        assertThat(seen).containsExactlyInAnyOrder(LocalPacketCheck.values());
    }

    @Test
    void rangesOfLids() {
        assertThat(Lid.isUnicast(Lid.NONE)).isFalse();
        assertThat(Lid.isUnicast(1)).isTrue();
        assertThat(Lid.isUnicast(0xBFFF)).isTrue();
        assertThat(Lid.isUnicast(Lid.MULTICAST)).isFalse();
        assertThat(Lid.isMulticast(0xBFFF)).isFalse();
        assertThat(Lid.isMulticast(0xC000)).isTrue();
        assertThat(Lid.isMulticast(0xFFFE)).isTrue();
        assertThat(Lid.isMulticast(Lid.PERMISSIVE)).isFalse();
    }
}
