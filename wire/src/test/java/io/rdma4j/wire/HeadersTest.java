// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.wire.ip.Ethernet;
import io.rdma4j.wire.ip.VlanTag;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/**
 * Each transport header against bytes written by hand. The buffer is pre-filled and offsets are odd, so that stray
 * writes are detected.
 */
class HeadersTest {
    private static final int AT = 5;

    private final MemorySegment buffer = Arena.ofAuto().allocate(64).fill((byte) 0xA5);

    @Test
    @Covers({"RXE-122", "RXE-27"})
    void bthHasFlagsKeyQueuePairAndSequenceNumber() {
        Bth.write(buffer, AT, Opcode.RC_SEND_ONLY, true, true, 3, 0x8001, 0x00_0011, true, 0x78_928A);
        assertBytes("04 f0 8001 00 000011 80 78928a", Bth.BYTES);
        assertThat(Bth.BYTES).isEqualTo(12);
        assertThat(Bth.opcode(buffer, AT)).isEqualTo(Opcode.RC_SEND_ONLY);
        assertThat(Bth.opcodeCode(buffer, AT)).isEqualTo(4);
        assertThat(Bth.solicitedEvent(buffer, AT)).isTrue();
        assertThat(Bth.migrationRequest(buffer, AT)).isTrue();
        assertThat(Bth.padCount(buffer, AT)).isEqualTo(3);
        assertThat(Bth.transportVersion(buffer, AT)).isZero();
        assertThat(Bth.pkey(buffer, AT)).isEqualTo(0x8001);
        assertThat(Bth.fecn(buffer, AT)).isFalse();
        assertThat(Bth.becn(buffer, AT)).isFalse();
        assertThat(Bth.destinationQpn(buffer, AT)).isEqualTo(0x11);
        assertThat(Bth.ackRequest(buffer, AT)).isTrue();
        assertThat(Bth.psn(buffer, AT)).isEqualTo(0x78_928A);
    }

    @Test
    @Covers("RXE-122")
    void bthCutsItsArgumentsToTheFields() {
        Bth.write(buffer, AT, Opcode.UC_SEND_ONLY, false, false, 4, 0x1_FFFF, 0xFF00_0001, false, 0x0100_0002);
        assertBytes("24 00 ffff 00 000001 00 000002", Bth.BYTES);
    }

    @Test
    void bthSettersLeaveTheNeighboursAlone() {
        Bth.write(buffer, AT, Opcode.RC_SEND_FIRST, false, true, 1, 0xFFFF, 0x12_3456, false, 0xFF_FFFF);
        Bth.opcode(buffer, AT, Opcode.RC_SEND_LAST);
        Bth.solicitedEvent(buffer, AT, true);
        Bth.padCount(buffer, AT, 2);
        Bth.fecn(buffer, AT, true);
        Bth.becn(buffer, AT, true);
        Bth.ackRequest(buffer, AT, true);
        Bth.psn(buffer, AT, 0);
        assertBytes("02 e0 ffff c0 123456 80 000000", Bth.BYTES);
        Bth.fecn(buffer, AT, false);
        Bth.solicitedEvent(buffer, AT, false);
        Bth.ackRequest(buffer, AT, false);
        Bth.psn(buffer, AT, 0xABCDEF);
        assertBytes("02 60 ffff 40 123456 00 abcdef", Bth.BYTES);
        assertThat(Bth.becn(buffer, AT)).isTrue();
    }

    @Test
    void anUnknownOpcodeIsNull() {
        buffer.set(ValueLayout.JAVA_BYTE, AT, (byte) 0xE1);
        assertThat(Bth.opcode(buffer, AT)).isNull();
        assertThat(Bth.opcodeCode(buffer, AT)).isEqualTo(0xE1);
    }

    @Test
    @Covers("RXE-133")
    void dethHasQueueKeyAndSource() {
        Deth.write(buffer, AT, 0x8001_0000, 0x0100_0001);
        assertBytes("80010000 00 000001", Deth.BYTES);
        assertThat(Deth.qkey(buffer, AT)).isEqualTo(0x8001_0000);
        assertThat(Deth.sourceQpn(buffer, AT)).isEqualTo(1);
    }

    @Test
    @Covers("RXE-124")
    void rethHasAddressKeyAndALengthOfUpToTwoToThe31() {
        Reth.write(buffer, AT, 0xFEDC_BA98_7654_3210L, 0xCAFE_F00D, 1L << 31);
        assertBytes("fedcba9876543210 cafef00d 80000000", Reth.BYTES);
        assertThat(Reth.virtualAddress(buffer, AT)).isEqualTo(0xFEDC_BA98_7654_3210L);
        assertThat(Reth.rkey(buffer, AT)).isEqualTo(0xCAFE_F00D);
        assertThat(Reth.dmaLength(buffer, AT)).isEqualTo(1L << 31);
    }

    @Test
    @Covers("RXE-132")
    void atomicEthHasAddressKeyAndTwoOperands() {
        AtomicEth.write(buffer, AT, 0x1000, 0x0102_0304, 0x1122_3344_5566_7788L, -2);
        assertBytes("0000000000001000 01020304 1122334455667788 fffffffffffffffe", AtomicEth.BYTES);
        assertThat(AtomicEth.virtualAddress(buffer, AT)).isEqualTo(0x1000);
        assertThat(AtomicEth.rkey(buffer, AT)).isEqualTo(0x0102_0304);
        assertThat(AtomicEth.swapOrAdd(buffer, AT)).isEqualTo(0x1122_3344_5566_7788L);
        assertThat(AtomicEth.compare(buffer, AT)).isEqualTo(-2);
    }

    @Test
    void atomicMaskEthHasTheBitsToSwapAndToCompare() {
        AtomicMaskEth.write(buffer, AT, 0x1122_3344_5566_7788L, -2);
        assertBytes("1122334455667788 fffffffffffffffe", AtomicMaskEth.BYTES);
        assertThat(AtomicMaskEth.swapMask(buffer, AT)).isEqualTo(0x1122_3344_5566_7788L);
        assertThat(AtomicMaskEth.compareAddMask(buffer, AT)).isEqualTo(-2);
    }

    @Test
    @Covers("RXE-128")
    void aethHasSyndromeAndMessageSequenceNumber() {
        Aeth.write(buffer, AT, Syndrome.nak(NakCode.REMOTE_ACCESS_ERROR), 0x01AB_CDEF);
        assertBytes("62 abcdef", Aeth.BYTES);
        assertThat(Aeth.syndrome(buffer, AT)).isEqualTo(0x62);
        assertThat(Aeth.msn(buffer, AT)).isEqualTo(0xAB_CDEF);
    }

    @Test
    @Covers("RXE-129")
    void atomicAckEthHasTheOriginalValue() {
        AtomicAckEth.write(buffer, AT, 0x8000_0000_0000_0001L);
        assertBytes("8000000000000001", AtomicAckEth.BYTES);
        assertThat(AtomicAckEth.original(buffer, AT)).isEqualTo(0x8000_0000_0000_0001L);
    }

    @Test
    @Covers({"RXE-126", "GEN-14"})
    void immediateDataKeepsTheOrderOfTheWire() {
        ImmDt.write(buffer, AT, 0xDEAD_BEEF);
        assertBytes("deadbeef", ImmDt.BYTES);
        assertThat(ImmDt.immediate(buffer, AT)).isEqualTo(0xDEAD_BEEF);
    }

    @Test
    @Covers("RXE-127")
    void iethHasTheKeyToInvalidate() {
        Ieth.write(buffer, AT, 0xFFFF_FF01);
        assertBytes("ffffff01", Ieth.BYTES);
        assertThat(Ieth.rkey(buffer, AT)).isEqualTo(0xFFFF_FF01);
    }

    @Test
    @Covers("RXE-125")
    void fethHasPlacementAndSelectivity() {
        Feth.write(buffer, AT, Feth.PLACEMENT_GLOBAL | Feth.PLACEMENT_PERSISTENT, Feth.SELECTIVITY_MR);
        assertBytes("00000013", Feth.BYTES);
        assertThat(Feth.placement(buffer, AT)).isEqualTo(3);
        assertThat(Feth.selectivity(buffer, AT)).isEqualTo(Feth.SELECTIVITY_MR);
        Feth.write(buffer, AT, Feth.PLACEMENT_PERSISTENT, Feth.SELECTIVITY_RANGE);
        assertBytes("00000002", Feth.BYTES);
    }

    @Test
    void xrcEthHasTheSharedReceiveQueue() {
        XrcEth.write(buffer, AT, 0xFF12_3456);
        assertBytes("00123456", XrcEth.BYTES);
        assertThat(XrcEth.srqNumber(buffer, AT)).isEqualTo(0x12_3456);
    }

    @Test
    void cnpIsSixteenZeroBytes() {
        Cnp.write(buffer, AT);
        assertBytes("0000000000000000 0000000000000000", Cnp.BYTES);
    }

    @Test
    void ethernetHasTwoAddressesAndAType() {
        Ethernet.write(buffer, AT, 0x7CFE_9075_3CD8L, 0xFFFF_FFFF_FFFFL, Ethernet.TYPE_VLAN);
        assertBytes("7cfe90753cd8 ffffffffffff 8100", Ethernet.BYTES);
        assertThat(Ethernet.destination(buffer, AT)).isEqualTo(0x7CFE_9075_3CD8L);
        assertThat(Ethernet.source(buffer, AT)).isEqualTo(0xFFFF_FFFF_FFFFL);
        assertThat(Ethernet.etherType(buffer, AT)).isEqualTo(0x8100);
        assertThat(Ethernet.isVlan(Ethernet.TYPE_SERVICE_VLAN)).isTrue();
        assertThat(Ethernet.isVlan(Ethernet.TYPE_ROCE_V1)).isFalse();
    }

    @Test
    void vlanTagHasPriorityNumberAndType() {
        VlanTag.write(buffer, AT, 5, true, 0x1ABC, Ethernet.TYPE_IPV6);
        assertBytes("babc 86dd", VlanTag.BYTES);
        assertThat(VlanTag.priority(buffer, AT)).isEqualTo(5);
        assertThat(VlanTag.dropEligible(buffer, AT)).isTrue();
        assertThat(VlanTag.vlan(buffer, AT)).isEqualTo(0xABC);
        assertThat(VlanTag.etherType(buffer, AT)).isEqualTo(Ethernet.TYPE_IPV6);
    }

    @Test
    void grhSaysThatATransportHeaderFollows() {
        Grh.write(buffer, AT, 2, 0, 40, 64, 0, 0xFFFF_0F00_0002L, 0, 0xFFFF_0F00_0002L);
        assertBytes("60200000 0028 1b40 00000000000000000000ffff0f000002 00000000000000000000ffff0f000002", Grh.BYTES);
    }

    /** Linux has types for LRH and RDETH too, for InfiniBand links and reliable datagrams; RoCE has neither. */
    @Test
    @Covers("RXE-114")
    void everyKindOfHeaderHasItsSizeAndStandsBeforeThePayload() {
        assertThat(Header.values())
                .extracting(header -> header.label() + " " + header.bytes())
                .containsExactly(
                        "BTH 12",
                        "XRCETH 4",
                        "DETH 8",
                        "FETH 4",
                        "RETH 16",
                        "AtomicETH 28",
                        "AtomicMaskETH 16",
                        "AETH 4",
                        "AtomicAckETH 8",
                        "ImmDt 4",
                        "IETH 4",
                        "CNP 16");
        assertThat(Grh.BYTES).isEqualTo(40);
        for (Header header : Header.values()) {
            assertThat(Opcode.values()).as(header.label()).anySatisfy(opcode -> {
                assertThat(opcode.offsetOf(header)).isNotNegative();
                assertThat(opcode.offsetOf(header) + header.bytes()).isLessThanOrEqualTo(opcode.headerBytes());
            });
        }
    }

    /** Expects these bytes, and unchanged bytes before and after them. */
    private void assertBytes(String hex, int bytes) {
        String found =
                HexFormat.of().formatHex(buffer.asSlice(AT - 1, bytes + 2L).toArray(ValueLayout.JAVA_BYTE));
        assertThat(found).isEqualTo("a5" + hex.replace(" ", "") + "a5");
        assertThat(hex.replace(" ", "")).hasSize(2 * bytes);
    }
}
