// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.roce;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.wire.AtomicEth;
import io.rdma4j.wire.AtomicMaskEth;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Grh;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Reth;
import io.rdma4j.wire.XrcEth;
import io.rdma4j.wire.bytes.BigEndian;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RocePacketTest {
    private static final int BTH = Ipv4.BYTES + Udp.BYTES;
    private static final int RANDOM_PACKETS = 300_000;

    /** RC RDMA WRITE Only with five bytes of payload and three of padding: 28 + 8 + 4 transport bytes. */
    private final TestPacket packet = write();

    private final MemorySegment memory = packet.memory();

    private static TestPacket write() {
        TestPacket packet = TestPacket.of("write", new byte[BTH + 40]);
        Ipv4.write(packet.memory(), 0, BTH + 40, 0, 0, 64, Ipv4.PROTOCOL_UDP, 1, 2);
        Udp.write(packet.memory(), Ipv4.BYTES, 0xC000, Udp.ROCE_V2_PORT, Udp.BYTES + 40);
        Bth.write(packet.memory(), BTH, Opcode.RC_WRITE_ONLY, false, false, 3, 0xFFFF, 0x12, true, 7);
        Reth.write(packet.memory(), BTH + Bth.BYTES, 0x1000, 0xAB, 5);
        return packet;
    }

    @Test
    void aGoodPacketIsOk() {
        assertCheck(PacketCheck.OK);
        assertThat(RocePacket.bthOffset(memory, 0)).isEqualTo(BTH);
        assertThat(RocePacket.transportBytes(memory, 0)).isEqualTo(40);
        assertThat(RocePacket.payloadBytes(memory, BTH, 40, Opcode.RC_WRITE_ONLY))
                .isEqualTo(5);
    }

    @Test
    void anUnknownOpcodeIsRefused() {
        memory.set(ValueLayout.JAVA_BYTE, BTH, (byte) 0x15);
        assertCheck(PacketCheck.UNKNOWN_OPCODE);
    }

    @Test
    void aTransportVersionOtherThanZeroIsRefused() {
        memory.set(ValueLayout.JAVA_BYTE, BTH + 1, (byte) 0x31);
        assertCheck(PacketCheck.BAD_VERSION);
    }

    @Test
    void aPadThatDoesNotFitIsRefused() {
        // Headers and ICRC leave no byte, but the pad count is three.
        setTransportBytes(32);
        assertCheck(PacketCheck.TOO_SHORT);
        Bth.padCount(memory, BTH, 0);
        assertCheck(PacketCheck.OK);
        assertThat(RocePacket.payloadBytes(memory, BTH, 32, Opcode.RC_WRITE_ONLY))
                .isZero();
    }

    @Test
    void headersThatDoNotFitAreRefused() {
        setTransportBytes(28);
        assertCheck(PacketCheck.TOO_SHORT);
        setTransportBytes(12);
        assertCheck(PacketCheck.TOO_SHORT);
        setTransportBytes(0);
        assertCheck(PacketCheck.TOO_SHORT);
    }

    @Test
    void aLengthThatIsNoMultipleOfFourIsRefused() {
        setTransportBytes(39);
        assertCheck(PacketCheck.UNALIGNED);
    }

    @Test
    void lengthsThatContradictEachOtherAreRefused() {
        Udp.length(memory, Ipv4.BYTES, 7);
        assertCheck(PacketCheck.BAD_LENGTH);
        Udp.length(memory, Ipv4.BYTES, Udp.BYTES + 44);
        assertCheck(PacketCheck.BAD_LENGTH);
        Ipv4.totalLength(memory, 0, 3);
        assertCheck(PacketCheck.BAD_LENGTH);
        Ipv4.totalLength(memory, 0, BTH + 44);
        assertCheck(PacketCheck.TRUNCATED);
    }

    @Test
    void fragmentsAndOptionsAreRefused() {
        BigEndian.put16(memory, Ipv4.FRAGMENT, Ipv4.MORE_FRAGMENTS);
        assertCheck(PacketCheck.FRAGMENT);
        BigEndian.put16(memory, Ipv4.FRAGMENT, 0);
        memory.set(ValueLayout.JAVA_BYTE, 0, (byte) 0x46);
        BigEndian.put16(memory, 24 + 2, Udp.ROCE_V2_PORT);
        assertCheck(PacketCheck.IPV4_OPTIONS);
    }

    @Test
    void fragmentsAndOptionsOfOtherTrafficAreNotRoce() {
        BigEndian.put16(memory, Ipv4.FRAGMENT, Ipv4.MORE_FRAGMENTS | 185);
        assertCheck(PacketCheck.NOT_ROCE);
        BigEndian.put16(memory, Ipv4.FRAGMENT, Ipv4.MORE_FRAGMENTS);
        BigEndian.put16(memory, Ipv4.BYTES + 2, 53);
        assertCheck(PacketCheck.NOT_ROCE);
        memory.set(ValueLayout.JAVA_BYTE, 0, (byte) 0x46);
        assertCheck(PacketCheck.NOT_ROCE);
        memory.set(ValueLayout.JAVA_BYTE, 0, (byte) 0x44);
        assertCheck(PacketCheck.NOT_ROCE);
    }

    @Test
    void otherProtocolsPortsAndVersionsAreNotRoce() {
        BigEndian.put16(memory, Ipv4.BYTES + 2, 53);
        assertCheck(PacketCheck.NOT_ROCE);
        Ipv4.write(memory, 0, BTH + 40, 0, 0, 64, 6, 1, 2);
        assertCheck(PacketCheck.NOT_ROCE);
        Ipv6.write(memory, 0, 0, 0, 28, 58, 255, 0, 1, 0, 2);
        assertCheck(PacketCheck.NOT_ROCE);
        memory.set(ValueLayout.JAVA_BYTE, 0, (byte) 0x75);
        assertCheck(PacketCheck.NOT_ROCE);
    }

    @Test
    void bytesBehindThePacketAreTheLinksPad() {
        setTransportBytes(32);
        Bth.padCount(memory, BTH, 0);
        assertThat(RocePacket.checkNetwork(memory, 0, packet.length())).isEqualTo(PacketCheck.OK);
    }

    @Test
    void aLengthBeyondTheMemoryIsTruncation() {
        assertThat(RocePacket.check(memory, BTH, 44)).isEqualTo(PacketCheck.TRUNCATED);
        assertThat(RocePacket.check(memory, BTH, Integer.MAX_VALUE)).isEqualTo(PacketCheck.TRUNCATED);
        assertThat(RocePacket.check(memory, BTH, -1)).isEqualTo(PacketCheck.TOO_SHORT);
    }

    @Test
    void aPacketIsPrintedInOneLine() {
        assertThat(RocePacket.format(memory, BTH, 40))
                .isEqualTo("RC RDMA WRITE Only qpn 0x000012 psn 0x000007 pkey 0xffff ackReq 1 pad 3"
                        + " va 0x0000000000001000 rkey 0x000000ab dmaLength 5 payload 5");
        assertThat(RocePacket.format(memory, BTH, 12)).isEqualTo("malformed: shorter than its headers");
    }

    @Test
    void aMaskedAtomicIsPrintedWithItsMasks() {
        Opcode opcode = Opcode.XRC_MASKED_COMPARE_SWAP;
        int bytes = opcode.headerBytes() + Icrc.BYTES;
        MemorySegment masked = Arena.ofAuto().allocate(bytes);
        Bth.write(masked, 0, opcode, false, false, 0, 0xFFFF, 0x12, true, 7);
        XrcEth.write(masked, opcode.offsetOf(Header.XRCETH), 5);
        AtomicEth.write(masked, opcode.offsetOf(Header.ATOMICETH), 0x1000, 0xAB, 1, 2);
        AtomicMaskEth.write(masked, opcode.offsetOf(Header.ATOMICMASKETH), 0xF0, -1);
        assertThat(RocePacket.format(masked, 0, bytes))
                .isEqualTo("XRC Masked Compare Swap qpn 0x000012 psn 0x000007 pkey 0xffff ackReq 1 srqn 0x000005"
                        + " va 0x0000000000001000 rkey 0x000000ab swapOrAdd 0x0000000000000001 compare 0x0000000000000002"
                        + " swapMask 0x00000000000000f0 compareAddMask 0xffffffffffffffff payload 0");
    }

    @Test
    void randomBytesNeverThrow() {
        SplittableRandom random = new SplittableRandom(4791);
        EnumSet<PacketCheck> seen = EnumSet.noneOf(PacketCheck.class);
        byte[] bytes = new byte[128];
        MemorySegment room = Arena.ofAuto().allocate(bytes.length);
        for (int run = 0; run < RANDOM_PACKETS; run++) {
            random.nextBytes(bytes);
            int length = random.nextInt(bytes.length + 1);
            disguise(bytes, random.nextInt(4));
            MemorySegment garbage = room.copyFrom(MemorySegment.ofArray(bytes)).asSlice(0, length);
            PacketCheck check = RocePacket.checkNetwork(garbage, 0, length);
            seen.add(check);
            if (check.isOk()) {
                int transport = RocePacket.transportBytes(garbage, 0);
                assertThat(RocePacket.format(garbage, RocePacket.bthOffset(garbage, 0), transport))
                        .doesNotStartWith("malformed");
            }
            assertThat(RocePacket.format(garbage, 0, length)).isNotEmpty();
        }
        assertThat(seen).containsExactlyInAnyOrder(PacketCheck.values());
    }

    /** Makes random bytes more similar to a packet the higher {@code degree} is, so that all checks are reached. */
    private static void disguise(byte[] bytes, int degree) {
        if (degree == 1) {
            bytes[0] = 0x45;
            bytes[9] = Ipv4.PROTOCOL_UDP;
        } else if (degree == 2) {
            MemorySegment ip = MemorySegment.ofArray(bytes);
            int length = bytes[2] & 0x7F;
            Ipv4.write(ip, 0, length, 0, 0, 64, Ipv4.PROTOCOL_UDP, 1, 2);
            Udp.write(ip, Ipv4.BYTES, 1, Udp.ROCE_V2_PORT, length - Ipv4.BYTES + (bytes[3] & 1));
            bytes[BTH + 1] &= (byte) 0xF1;
            int oddity = bytes[bytes.length - 1] & 7;
            if (oddity == 0) {
                BigEndian.put16(ip, Ipv4.FRAGMENT, Ipv4.MORE_FRAGMENTS);
            } else if (oddity == 1) {
                bytes[0] = 0x46;
                BigEndian.put16(ip, Ipv4.BYTES + 4 + 2, Udp.ROCE_V2_PORT);
            }
        } else if (degree == 3) {
            bytes[0] = 0x60;
            bytes[4] = 0;
            bytes[6] = Grh.NEXT_HEADER_BTH;
        }
    }

    private void setTransportBytes(int bytes) {
        Ipv4.totalLength(memory, 0, BTH + bytes);
        Udp.length(memory, Ipv4.BYTES, Udp.BYTES + bytes);
    }

    private void assertCheck(PacketCheck expected) {
        assertThat(RocePacket.checkNetwork(memory, 0, packet.length())).isEqualTo(expected);
    }
}
