package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Two devices in one JVM, real sockets between them, the public API on both ends. */
@Covers({"GEN-22", "GEN-6", "RXE-6", "RXE-7", "RXE-144", "RXE-148", "RXE-150"})
class RcOverUdpTest {
    private static final DeviceSpec FIRST = DeviceSpec.parse("rxe0=udp:127.0.0.21:4791");
    private static final DeviceSpec SECOND = DeviceSpec.parse("rxe0=udp:127.0.0.22:4791");

    @ParameterizedTest
    @CsvSource({"0", "1", "3", "255", "256", "1023", "1024", "1025", "4096", "65536", "1048576", "5000001"})
    void messagesOfAllSizesArriveWhole(int length) {
        try (Endpoint a = new Endpoint(FIRST, length + 8);
                Endpoint b = new Endpoint(SECOND, length + 8)) {
            Endpoint.connect(a, b, Mtu.MTU_1024);
            fill(a.memory, 42);
            b.postReceive(1, 4, length);
            a.postSend(2, 4, length);
            drive(a, b);
            assertThat(b.memory.asSlice(4, length).mismatch(a.memory.asSlice(4, length)))
                    .isEqualTo(-1);
            assertThat(b.memory.get(ValueLayout.JAVA_INT, 0)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(Mtu.class)
    void everyPathMtuWorks(Mtu mtu) {
        try (Endpoint a = new Endpoint(FIRST, 100_000);
                Endpoint b = new Endpoint(SECOND, 100_000)) {
            Endpoint.connect(a, b, mtu);
            fill(a.memory, 7);
            b.postReceive(1, 0, 100_000);
            a.postSend(2, 0, 100_000);
            drive(a, b);
            assertThat(b.memory.mismatch(a.memory)).isEqualTo(-1);
        }
    }

    @Test
    @Covers({"RXE-136", "RXE-147"})
    void aDeviceTalksToItself() {
        try (Endpoint a = new Endpoint(FIRST, 200_000)) {
            a.connectTo(a, Mtu.MTU_4096, 14, 7);
            fill(a.memory.asSlice(0, 100_000), 3);
            a.postReceive(1, 100_000, 100_000);
            a.postSend(2, 0, 100_000);
            assertThat(a.awaitCompletions(2)).allMatch(wc -> wc.status() == WcStatus.SUCCESS);
            assertThat(a.memory.asSlice(100_000).mismatch(a.memory.asSlice(0, 100_000)))
                    .isEqualTo(-1);
        }
    }

    private static void drive(Endpoint a, Endpoint b) {
        WorkCompletion received = b.awaitCompletions(1).getFirst();
        assertThat(received.status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(received.opcode()).isEqualTo(WcOpcode.RECV);
        WorkCompletion sent = a.awaitCompletions(1).getFirst();
        assertThat(sent.status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(sent.wrId()).isEqualTo(2);
    }

    private static void fill(MemorySegment segment, int seed) {
        for (long i = 0; i < segment.byteSize(); i++) {
            segment.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + (i >> 8) + seed));
        }
    }
}
