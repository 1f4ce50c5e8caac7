// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.roce;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.wire.Aeth;
import io.rdma4j.wire.AtomicAckEth;
import io.rdma4j.wire.AtomicEth;
import io.rdma4j.wire.AtomicMaskEth;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Cnp;
import io.rdma4j.wire.Deth;
import io.rdma4j.wire.Feth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.Ieth;
import io.rdma4j.wire.ImmDt;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Reth;
import io.rdma4j.wire.XrcEth;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Every packet that Linux rxe sent in ten runs of the standard programs. */
class CapturedPacketsTest {
    private static final List<TestPacket> PACKETS = TestPacket.captured();

    @Test
    void theCapturesAreNotEmpty() {
        EnumSet<Opcode> seen = EnumSet.noneOf(Opcode.class);
        for (TestPacket packet : PACKETS) {
            seen.add(opcode(packet));
        }
        assertThat(PACKETS).hasSize(885);
        assertThat(seen)
                .contains(
                        Opcode.RC_SEND_FIRST,
                        Opcode.RC_ACKNOWLEDGE,
                        Opcode.RC_READ_REQUEST,
                        Opcode.RC_READ_RESPONSE_LAST,
                        Opcode.RC_WRITE_ONLY,
                        Opcode.UC_SEND_MIDDLE,
                        Opcode.UD_SEND_ONLY);
    }

    @Test
    void everyPacketIsWellFormed() {
        for (TestPacket packet : PACKETS) {
            assertThat(RocePacket.checkNetwork(packet.memory(), 0, packet.length()))
                    .as(packet.name())
                    .isEqualTo(PacketCheck.OK);
            assertThat(RocePacket.bthOffset(packet.memory(), 0) + RocePacket.transportBytes(packet.memory(), 0))
                    .isEqualTo(packet.length());
        }
    }

    @Test
    @Covers({"RXE-142", "RXE-143"})
    void everyIcrcIsRight() {
        Icrc icrc = new Icrc();
        for (TestPacket packet : PACKETS) {
            assertThat(icrc.compute(packet.memory(), packet.view(), 0, packet.icrcOffset()))
                    .as(packet.name())
                    .isEqualTo(Icrc.load(packet.memory(), packet.icrcOffset()));
        }
    }

    @Test
    @Covers("RXE-134")
    void everyHeaderIsEncodedToTheSameBytes() {
        for (TestPacket packet : PACKETS) {
            MemorySegment copy = Arena.ofAuto().allocate(packet.length()).fill((byte) 0xA5);
            long bth = RocePacket.bthOffset(packet.memory(), 0);
            Opcode opcode = opcode(packet);
            encodeNetwork(packet.memory(), copy);
            for (Header header : opcode.headers()) {
                encode(header, packet.memory(), copy, bth + opcode.offsetOf(header));
            }
            long headers = bth + opcode.headerBytes();
            assertThat(copy.asSlice(0, headers).mismatch(packet.memory().asSlice(0, headers)))
                    .as(packet.name())
                    .isEqualTo(-1);
        }
    }

    @Test
    void everyTruncationIsRefused() {
        for (TestPacket packet : PACKETS) {
            for (int length = 0; length < packet.length(); length++) {
                // First in memory that ends with the packet, then in a larger buffer.
                for (MemorySegment memory : List.of(packet.memory().asSlice(0, length), packet.memory())) {
                    PacketCheck check = RocePacket.checkNetwork(memory, 0, length);
                    assertThat(check).as(packet.name() + " cut to " + length).isEqualTo(PacketCheck.TRUNCATED);
                }
            }
        }
    }

    @Test
    void everyTruncationWithinTheTransportHeadersIsRefusedByThemselves() {
        for (TestPacket packet : PACKETS) {
            long bth = RocePacket.bthOffset(packet.memory(), 0);
            int least = opcode(packet).headerBytes() + Bth.padCount(packet.memory(), bth) + Icrc.BYTES;
            for (int length = 0; length < least; length++) {
                assertThat(RocePacket.check(packet.memory(), bth, length)).isEqualTo(PacketCheck.TOO_SHORT);
            }
            for (int length = packet.length() - (int) bth; length > least; length--) {
                PacketCheck expected = length % 4 == 0 ? PacketCheck.OK : PacketCheck.UNALIGNED;
                assertThat(RocePacket.check(packet.memory(), bth, length)).isEqualTo(expected);
            }
        }
    }

    private static Opcode opcode(TestPacket packet) {
        long bth = RocePacket.bthOffset(packet.memory(), 0);
        return Objects.requireNonNull(Bth.opcode(packet.memory(), bth), packet.name());
    }

    private static void encodeNetwork(MemorySegment from, MemorySegment to) {
        long udp;
        if (Ipv4.version(from, 0) == 4) {
            Ipv4.write(
                    to,
                    0,
                    Ipv4.totalLength(from, 0),
                    Ipv4.identification(from, 0),
                    Ipv4.typeOfService(from, 0),
                    Ipv4.timeToLive(from, 0),
                    Ipv4.protocol(from, 0),
                    Ipv4.source(from, 0),
                    Ipv4.destination(from, 0));
            udp = Ipv4.BYTES;
        } else {
            Ipv6.write(
                    to,
                    0,
                    Ipv6.trafficClass(from, 0),
                    Ipv6.flowLabel(from, 0),
                    Ipv6.payloadLength(from, 0),
                    Ipv6.nextHeader(from, 0),
                    Ipv6.hopLimit(from, 0),
                    Ipv6.sourcePrefix(from, 0),
                    Ipv6.sourceInterfaceId(from, 0),
                    Ipv6.destinationPrefix(from, 0),
                    Ipv6.destinationInterfaceId(from, 0));
            udp = Ipv6.BYTES;
        }
        Udp.write(to, udp, Udp.sourcePort(from, udp), Udp.destinationPort(from, udp), Udp.length(from, udp));
        Udp.checksum(to, udp, Udp.checksum(from, udp));
    }

    private static void encode(Header header, MemorySegment from, MemorySegment to, long at) {
        switch (header) {
            case BTH -> encodeBth(from, to, at);
            case XRCETH -> XrcEth.write(to, at, XrcEth.srqNumber(from, at));
            case DETH -> Deth.write(to, at, Deth.qkey(from, at), Deth.sourceQpn(from, at));
            case FETH -> Feth.write(to, at, Feth.placement(from, at), Feth.selectivity(from, at));
            case RETH ->
                Reth.write(to, at, Reth.virtualAddress(from, at), Reth.rkey(from, at), Reth.dmaLength(from, at));
            case ATOMICETH ->
                AtomicEth.write(
                        to,
                        at,
                        AtomicEth.virtualAddress(from, at),
                        AtomicEth.rkey(from, at),
                        AtomicEth.swapOrAdd(from, at),
                        AtomicEth.compare(from, at));
            case ATOMICMASKETH ->
                AtomicMaskEth.write(to, at, AtomicMaskEth.swapMask(from, at), AtomicMaskEth.compareAddMask(from, at));
            case AETH -> Aeth.write(to, at, Aeth.syndrome(from, at), Aeth.msn(from, at));
            case ATOMICACKETH -> AtomicAckEth.write(to, at, AtomicAckEth.original(from, at));
            case IMMDT -> ImmDt.write(to, at, ImmDt.immediate(from, at));
            case IETH -> Ieth.write(to, at, Ieth.rkey(from, at));
            case CNP -> Cnp.write(to, at);
        }
    }

    private static void encodeBth(MemorySegment from, MemorySegment to, long at) {
        Bth.write(
                to,
                at,
                Objects.requireNonNull(Bth.opcode(from, at)),
                Bth.solicitedEvent(from, at),
                Bth.migrationRequest(from, at),
                Bth.padCount(from, at),
                Bth.pkey(from, at),
                Bth.destinationQpn(from, at),
                Bth.ackRequest(from, at),
                Bth.psn(from, at));
        Bth.fecn(to, at, Bth.fecn(from, at));
        Bth.becn(to, at, Bth.becn(from, at));
    }
}
