// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.transport.port.CongestionControl;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Opcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whose packets meet congestion is told so, but not too often. */
class CongestionNotifierTest {
    private static final long INTERVAL_NS = CongestionControl.DEFAULT.notificationIntervalNs();

    private static PairSettings settings() {
        return new PairSettings()
                .rdma(4)
                .mode(Mode.CUT)
                .options(TransportOptions.DEFAULT.withCongestionControl(CongestionControl.DEFAULT));
    }

    private static List<Parcel> notifications(EnginePair pair) {
        return pair.network.sent().stream()
                .filter(parcel -> parcel.opcode == Opcode.CNP)
                .toList();
    }

    @Test
    void theNotificationHasTheFormOfTheSpecification() {
        try (EnginePair pair = new EnginePair(settings())) {
            pair.b.congested = true;
            pair.postReceives(1, 10);
            pair.postSends(1, 10);
            pair.transmit();
            pair.deliver();
            pair.transmit();
            // It hurries ahead of the acknowledgement.
            Bytes cnp = new Bytes(pair.network.inFlight().getFirst());
            assertThat(cnp.hex()).isEqualTo("8100" + "8765" + "40" + "0000a1" + "00000000" + "00".repeat(16));
            assertThat(Bth.becn(cnp.memory(), cnp.at())).isTrue();
            assertThat(Bth.fecn(cnp.memory(), cnp.at())).isFalse();
            pair.settle();
            assertThat(pair.b.counters().sentCnps).isEqualTo(1);
            assertThat(pair.a.counters().handledCnps).isEqualTo(1);
            assertThat(pair.a.counters().droppedPackets).isZero();
        }
    }

    private record Bytes(MemorySegment memory, int at, int length) {
        Bytes(Parcel parcel) {
            this(parcel.skb.memory(), parcel.skb.data(), parcel.skb.len());
        }

        String hex() {
            return HexFormat.of().formatHex(memory.asSlice(at, length).toArray(ValueLayout.JAVA_BYTE));
        }
    }

    @Test
    void thereIsOneInEachIntervalHoweverManyPacketsAreMarked() {
        try (EnginePair pair = new EnginePair(settings())) {
            pair.b.congested = true;
            pair.postReceives(3, 9000);
            pair.postSends(1, 9000);
            pair.settle();
            assertThat(notifications(pair)).hasSize(1);
            assertThat(pair.b.counters().ecnMarkedPackets).isEqualTo(9);

            pair.advance(INTERVAL_NS - 1);
            pair.requestToB(Opcode.RC_SEND_ONLY, 109, true, 10);
            pair.settle();
            assertThat(notifications(pair)).hasSize(1);
            pair.advance(1);
            pair.requestToB(Opcode.RC_SEND_ONLY, 110, true, 10);
            pair.settle();
            assertThat(notifications(pair)).hasSize(2);
        }
    }

    @Test
    void answersToReadsAreDataToo() {
        try (EnginePair pair = new EnginePair(settings())) {
            pair.a.congested = true;
            pair.a.read(1, pair.b.shared(100).first(0), pair.a.region(100).first(100));
            pair.settle();
            assertThat(notifications(pair)).hasSize(1);
            assertThat(pair.b.counters().handledCnps).isEqualTo(1);
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
        }
    }

    @Test
    void acknowledgementsAreCountedAndNobodyIsTold() {
        try (EnginePair pair = new EnginePair(settings())) {
            pair.a.congested = true;
            pair.postReceives(1, 10);
            pair.postSends(1, 10);
            pair.settle();
            assertThat(pair.a.counters().ecnMarkedPackets).isEqualTo(1);
            assertThat(notifications(pair)).isEmpty();
        }
    }

    @Test
    void packetsWithoutMarkTellNothing() {
        try (EnginePair pair = new EnginePair(settings())) {
            pair.postReceives(1, 10);
            pair.postSends(1, 10);
            pair.settle();
            assertThat(notifications(pair)).isEmpty();
            assertThat(pair.b.counters().ecnMarkedPackets).isZero();
        }
    }

    @Test
    void withoutTheOptionMarksAndNotificationsAreCountedAndIgnored() {
        try (EnginePair pair = new EnginePair(new PairSettings())) {
            pair.b.congested = true;
            pair.postReceives(1, 10);
            pair.postSends(1, 10);
            pair.settle();
            assertThat(notifications(pair)).isEmpty();
            assertThat(pair.b.counters().ecnMarkedPackets).isEqualTo(1);
            pair.answerToA(Opcode.CNP, 0, 0);
            assertThat(pair.a.counters().ignoredCnps).isEqualTo(1);
            assertThat(pair.a.counters().handledCnps).isZero();
            assertThat(pair.a.counters().droppedPackets).isZero();
        }
    }

    @Test
    void anUnreliableConnectionIsToldAsWell() {
        try (EnginePair pair = new EnginePair(settings().type(QpType.UC))) {
            pair.b.congested = true;
            pair.postReceives(1, 10);
            pair.postSends(1, 10);
            pair.settle();
            assertThat(pair.a.counters().handledCnps).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = QpState.class,
            names = {"RESET", "ERR"})
    void whatIsOwedEndsWithTheConnection(QpState end) {
        try (EnginePair pair = new EnginePair(settings())) {
            pair.b.congested = true;
            pair.requestToB(Opcode.RC_SEND_MIDDLE, 101, false, 1024);
            pair.b.modify(end);
            pair.transmit();
            assertThat(notifications(pair)).isEmpty();
            pair.requestToB(Opcode.RC_SEND_MIDDLE, 102, false, 1024);
            pair.transmit();
            assertThat(notifications(pair)).isEmpty();
        }
    }

    @Test
    void aNotificationWaitsForABuffer() {
        try (EnginePair pair = new EnginePair(settings())) {
            pair.b.congested = true;
            pair.b.outOfBuffers = true;
            pair.requestToB(Opcode.RC_SEND_MIDDLE, 101, false, 1024);
            pair.transmit();
            assertThat(notifications(pair)).isEmpty();
            pair.b.outOfBuffers = false;
            pair.transmit();
            assertThat(notifications(pair)).hasSize(1);
        }
    }
}
