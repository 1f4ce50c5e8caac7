// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.roce;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Opcode;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The invariant CRC against vectors of other implementations: two computed, three captured from hardware. */
@Covers({"RXE-27", "RXE-142", "RXE-143"})
class IcrcTest {
    private static final String UC_SEND = "2460ffff000000d300cf1710 4630818be28935d90e9a95505401be885e500000";
    private static final String GIDS = "00000000000000000000ffff0f000002 00000000000000000000ffff0f000002";

    private static final TestPacket UC_IPV4 =
            TestPacket.ofHex("V1", "45010040047840004011b4d5c0a80007c0a80007 c00012b7002caca2" + UC_SEND + "78f353f3");
    private static final TestPacket UC_IPV6 = TestPacket.ofHex(
            "V2",
            "6e21face002c11ff 20220000000000000000000000001023 20230000000000000000000000001024 c00012b7002c0000"
                    + UC_SEND
                    + "3e5b743b");
    private static final TestPacket CNP_IPV4 = TestPacket.ofHex(
            "V3",
            "45c2003c718c4000401191610a0011010a001201 000012b700280000 8100ffff4000011800000000"
                    + "00".repeat(16)
                    + "82fd002a");
    private static final TestPacket WRITE_V1 = TestPacket.ofHex(
            "V4",
            "60200000 0028 1b40 " + GIDS
                    + "0a70ffff 0000010a 80a788bc 000055d4c0726000 000047b3 00000005 00000000 01000000" + "e3d856bb");
    private static final TestPacket ACK_V1 =
            TestPacket.ofHex("V5", "60200000 0014 1b40 " + GIDS + "1140ffff 00000109 00a788c0 00000005" + "25f0c038");

    private final Icrc icrc = new Icrc();

    @Test
    void ipv4() {
        assertGood(UC_IPV4, Opcode.UC_SEND_ONLY);
        assertThat(icrc.computeIpv4(UC_IPV4.memory(), UC_IPV4.view(), 0, UC_IPV4.icrcOffset()))
                .isEqualTo(stored(UC_IPV4));
    }

    @Test
    void ipv6() {
        assertGood(UC_IPV6, Opcode.UC_SEND_ONLY);
        assertThat(icrc.computeIpv6(UC_IPV6.memory(), UC_IPV6.view(), 0, UC_IPV6.icrcOffset()))
                .isEqualTo(stored(UC_IPV6));
    }

    @Test
    void congestionNotification() {
        assertGood(CNP_IPV4, Opcode.CNP);
        assertThat(Bth.becn(CNP_IPV4.memory(), 28)).isTrue();
    }

    @Test
    void roceV1() {
        assertGood(WRITE_V1, Opcode.RC_WRITE_ONLY);
        assertGood(ACK_V1, Opcode.RC_ACKNOWLEDGE);
        assertThat(icrc.computeGrh(ACK_V1.memory(), ACK_V1.view(), 0, ACK_V1.icrcOffset()))
                .isEqualTo(stored(ACK_V1));
    }

    @Test
    void exactlyTheMaskedFieldsDoNotCount() {
        // TOS, TTL, header checksum, UDP checksum, congestion byte of the BTH.
        assertUncovered(UC_IPV4, 1, 8, 10, 11, 26, 27, 32);
        // Second to fourth byte of the first word, hop limit; only the lower half of the first byte.
        assertUncovered(UC_IPV6, 1, 2, 3, 7, 46, 47, 52);
        assertUncovered(WRITE_V1, 1, 2, 3, 7, 44);
    }

    @Test
    void theTrafficClassBeginsWithinTheFirstByte() {
        byte first = UC_IPV6.memory().get(ValueLayout.JAVA_BYTE, 0);
        UC_IPV6.memory().set(ValueLayout.JAVA_BYTE, 0, (byte) (first ^ 0x0F));
        int changed = icrc.compute(UC_IPV6.memory(), UC_IPV6.view(), 0, UC_IPV6.icrcOffset());
        UC_IPV6.memory().set(ValueLayout.JAVA_BYTE, 0, first);
        assertThat(changed).isEqualTo(stored(UC_IPV6));
    }

    @Test
    void isStoredWithItsLowByteFirst() {
        TestPacket four = TestPacket.ofHex("four bytes", "00000000");
        Icrc.store(four.memory(), 0, 0x1234_5678);
        assertThat(HexFormat.of().formatHex(four.memory().toArray(ValueLayout.JAVA_BYTE)))
                .isEqualTo("78563412");
        assertThat(Icrc.load(four.memory(), 0)).isEqualTo(0x1234_5678);
        assertThat(Icrc.BYTES).isEqualTo(4);
    }

    @Test
    void thePacketMayLieAnywhereInItsMemory() {
        byte[] shifted = new byte[UC_IPV4.length() + 20];
        UC_IPV4.view().clear().get(0, shifted, 7, UC_IPV4.length());
        TestPacket packet = TestPacket.of("shifted", shifted);
        assertThat(icrc.compute(packet.memory(), packet.view(), 7, 7 + UC_IPV4.icrcOffset()))
                .isEqualTo(stored(UC_IPV4));
    }

    private void assertGood(TestPacket packet, Opcode opcode) {
        assertThat(RocePacket.checkNetwork(packet.memory(), 0, packet.length())).isEqualTo(PacketCheck.OK);
        assertThat(Bth.opcode(packet.memory(), RocePacket.bthOffset(packet.memory(), 0)))
                .isEqualTo(opcode);
        assertThat(icrc.compute(packet.memory(), packet.view(), 0, packet.icrcOffset()))
                .isEqualTo(stored(packet));
    }

    /** Inverts one bit of each byte, except in the version, which selects the computation. */
    private void assertUncovered(TestPacket packet, Integer... uncovered) {
        for (int at = 1; at < packet.icrcOffset(); at++) {
            if (at == 6 && RocePacket.isV1(packet.memory(), 0)) {
                continue; // The next header selects the computation as well.
            }
            byte old = packet.memory().get(ValueLayout.JAVA_BYTE, at);
            packet.memory().set(ValueLayout.JAVA_BYTE, at, (byte) (old ^ 0x10));
            boolean same = icrc.compute(packet.memory(), packet.view(), 0, packet.icrcOffset()) == stored(packet);
            packet.memory().set(ValueLayout.JAVA_BYTE, at, old);
            assertThat(same)
                    .as(packet.name() + " byte " + at)
                    .isEqualTo(List.of(uncovered).contains(at));
        }
    }

    private static int stored(TestPacket packet) {
        return Icrc.load(packet.memory(), packet.icrcOffset());
    }
}
