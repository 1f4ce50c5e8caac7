// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.roce;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Udp;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

@Covers("RXE-143")
class IcrcIdentificationTest {
    private final Icrc icrc = new Icrc();

    @Test
    void findsTheIdentificationOfEveryCapturedPacket() {
        int found = 0;
        for (TestPacket packet : TestPacket.captured()) {
            if (Ipv4.version(packet.memory(), 0) != 4) {
                continue;
            }
            int identification = Ipv4.identification(packet.memory(), 0);
            int received = Icrc.load(packet.memory(), packet.icrcOffset());
            Ipv4.identification(packet.memory(), 0, 0);
            assertThat(IcrcIdentification.solve(received, compute(packet), packet.icrcOffset()))
                    .as(packet.name())
                    .isEqualTo(identification);
            found += identification == 0 ? 0 : 1;
        }
        assertThat(found).isGreaterThan(700);
    }

    @Test
    void findsAllIdentificationsOfOnePacket() {
        TestPacket packet = packet(4096 + 44);
        int zero = compute(packet);
        for (int identification = 0; identification < 0x1_0000; identification++) {
            Ipv4.identification(packet.memory(), 0, identification);
            assertThat(IcrcIdentification.solve(compute(packet), zero, packet.icrcOffset()))
                    .isEqualTo(identification);
        }
    }

    @Test
    void findsTheIdentificationAtEveryLength() {
        for (int transport = Bth.BYTES; transport <= Opcode.MAX_HEADER_BYTES + 4096; transport++) {
            TestPacket packet = packet(transport);
            int zero = compute(packet);
            Ipv4.identification(packet.memory(), 0, 0xBEEF);
            assertThat(IcrcIdentification.solve(compute(packet), zero, packet.icrcOffset()))
                    .isEqualTo(0xBEEF);
        }
        assertThat(IcrcIdentification.MAX_COVERED_BYTES)
                .isEqualTo(packet(Opcode.MAX_HEADER_BYTES + 4096).icrcOffset());
    }

    @Test
    void lengthsThatNoPacketHasAreNotSolved() {
        assertThat(IcrcIdentification.solve(1, 1, 5)).isEqualTo(IcrcIdentification.NONE);
        assertThat(IcrcIdentification.solve(1, 1, -1)).isEqualTo(IcrcIdentification.NONE);
        assertThat(IcrcIdentification.solve(1, 1, Integer.MAX_VALUE)).isEqualTo(IcrcIdentification.NONE);
        assertThat(IcrcIdentification.solve(1, 1, IcrcIdentification.MAX_COVERED_BYTES + 1))
                .isEqualTo(IcrcIdentification.NONE);
    }

    @Test
    void randomCorruptionPassesOnceIn65536Times() {
        SplittableRandom random = new SplittableRandom(7);
        int passed = 0;
        int runs = 1 << 22;
        for (int run = 0; run < runs; run++) {
            int coveredBytes = 40 + random.nextInt(4096);
            if (IcrcIdentification.solve(random.nextInt(), random.nextInt(), coveredBytes) != IcrcIdentification.NONE) {
                passed++;
            }
        }
        // 64 are expected; seven standard deviations in both directions.
        assertThat(passed).isBetween(64 - 56, 64 + 56);
    }

    private int compute(TestPacket packet) {
        return icrc.computeIpv4(packet.memory(), packet.view(), 0, packet.icrcOffset());
    }

    /** IPv4, UDP and {@code transportBytes} random bytes, then the ICRC; identification 0. */
    private static TestPacket packet(int transportBytes) {
        byte[] bytes = new byte[Ipv4.BYTES + Udp.BYTES + transportBytes + Icrc.BYTES];
        new SplittableRandom(transportBytes).nextBytes(bytes);
        TestPacket packet = TestPacket.of("random", bytes);
        Ipv4.write(packet.memory(), 0, bytes.length, 0, 0, 64, Ipv4.PROTOCOL_UDP, 0x0A00_0001, 0x0A00_0002);
        return packet;
    }
}
