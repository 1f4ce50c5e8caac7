// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.base.Psn;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.spi.ring.RingMemory;
import io.rdma4j.verbs.spi.ring.SendQueue;
import io.rdma4j.wire.CreditCode;
import io.rdma4j.wire.Syndrome;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** No more is under way than the window allows, and what is acknowledged makes room. */
class SendWindowTest {
    @ParameterizedTest
    @CsvSource({"MTU_256, 128", "MTU_512, 128", "MTU_1024, 128", "MTU_2048, 96", "MTU_4096, 48"})
    @Covers({"RXE-24", "RXE-99"})
    void windowIsBoundInPacketsAndInBytes(Mtu mtu, int packets) {
        try (EnginePair pair = new EnginePair(
                new PairSettings().mtu(mtu).mode(ScriptedNetwork.Mode.CUT).budget(1))) {
            pair.postSends(2, 100 * mtu.bytes());
            pair.transmit();
            assertThat(pair.network.sent().stream()
                            .mapToInt(parcel -> parcel.packets)
                            .sum())
                    .isEqualTo(packets);
            assertThat(pair.network.sent().getLast().ackRequest).isTrue();
        }
    }

    @Test
    @Covers({"RXE-99", "RXE-110"})
    void manySmallMessagesFillTheWindowAsOneLargeOneDoes() {
        try (EnginePair pair =
                new EnginePair(new PairSettings().queueEntries(255).mode(ScriptedNetwork.Mode.CUT))) {
            pair.postReceives(200, 0);
            pair.postSends(200, 0);
            pair.transmit();
            assertThat(pair.network.inFlight()).hasSize(128);
            pair.settle();
            assertThat(pair.a.sendResults()).hasSize(200);
        }
    }

    @Test
    @Covers("RXE-99")
    void theWindowOpensForSmallMessagesUntilALargeOneFollows() {
        PairSettings settings = new PairSettings().mtu(Mtu.MTU_4096).queueEntries(2047);
        try (EnginePair pair = new EnginePair(settings.mode(ScriptedNetwork.Mode.CUT))) {
            pair.postReceives(1000, 4096);
            pair.postSends(910, 64);
            pair.postSends(90, 4096);
            pair.transmit();
            assertThat(pair.network.inFlight()).hasSize(48);
            int most = 0;
            StepLimit steps = new StepLimit("all packets arrive", 10_000);
            while (!pair.network.inFlight().isEmpty()) {
                steps.step();
                pair.deliver();
                pair.transmit();
                long large = pair.network.inFlight().stream()
                        .filter(parcel -> parcel.payloadBytes == 4096)
                        .count();
                assertThat(large).isLessThanOrEqualTo(48);
                most = Math.max(most, pair.network.inFlight().size());
            }
            assertThat(most).isGreaterThan(128);
            assertThat(pair.a.sendResults()).hasSize(1000);
        }
    }

    @Test
    void noMoreThanTwiceAsManySmallMessagesAreUnderWay() {
        PairSettings settings = new PairSettings().queueEntries(2047);
        try (EnginePair pair = new EnginePair(settings.mode(ScriptedNetwork.Mode.CUT))) {
            pair.postReceives(1600, 64);
            pair.postSends(1600, 64);
            pair.transmit();
            int most = 0;
            int completed = 0;
            StepLimit steps = new StepLimit("all packets arrive", 10_000);
            while (!pair.network.inFlight().isEmpty()) {
                steps.step();
                most = Math.max(most, pair.network.inFlight().size());
                pair.deliver();
                pair.transmit();
                completed += pair.a.sendResults().size();
                pair.b.receiveResults();
            }
            assertThat(most).isEqualTo(256);
            assertThat(completed).isEqualTo(1600);
        }
    }

    @Test
    void eachAcknowledgedPacketMakesRoomForOneMore() {
        try (EnginePair pair =
                new EnginePair(new PairSettings().mtu(Mtu.MTU_4096).budget(1))) {
            pair.postSends(1, 60 * 4096);
            pair.transmit();
            pair.network.dropAll();
            pair.network.forgetSent();
            pair.responseToA(Syndrome.ack(CreditCode.UNLIMITED), 102);
            pair.transmit();
            assertThat(pair.network.sent())
                    .extracting(Parcel::toString)
                    .containsExactly("RC SEND Middle 148", "RC SEND Middle 149", "RC SEND Middle 150");
        }
    }

    @Test
    void aRemnantOfTheWindowWaitsForTheAcknowledgementAndMakesALongTrain() {
        try (EnginePair pair = new EnginePair(new PairSettings().mtu(Mtu.MTU_4096))) {
            pair.postSends(1, 200 * 4096);
            pair.transmit();
            assertThat(pair.network.sent())
                    .extracting(Parcel::toString)
                    .containsExactly("RC SEND First 100..114", "RC SEND Middle 115..129", "RC SEND Middle 130..144");
            assertThat(pair.network.sent())
                    .extracting(parcel -> parcel.ackRequest)
                    .containsExactly(false, true, false);
            pair.network.forgetSent();
            pair.responseToA(Syndrome.ack(CreditCode.UNLIMITED), 129);
            pair.transmit();
            assertThat(pair.network.sent())
                    .extracting(Parcel::toString)
                    .containsExactly("RC SEND Middle 145..159", "RC SEND Middle 160..174");
        }
    }

    @Test
    void aRemnantOfTheWindowThatNothingWouldOpenIsSent() {
        try (EnginePair pair = new EnginePair(new PairSettings().mtu(Mtu.MTU_4096))) {
            pair.postSends(1, 200 * 4096);
            pair.transmit();
            pair.network.dropAll();
            pair.network.forgetSent();
            // All that asked is acknowledged, and so is a part of the rest.
            pair.responseToA(Syndrome.ack(CreditCode.UNLIMITED), 140);
            pair.transmit();
            assertThat(pair.network.sent())
                    .extracting(Parcel::toString)
                    .containsExactly("RC SEND Middle 145..159", "RC SEND Middle 160..174", "RC SEND Middle 175..188");
        }
    }

    private static long[] elements(SendQueue queue) {
        RingMemory memory = queue.memory();
        return LongStream.iterate(queue.ring().offset(0), at -> at < memory.byteSize(), at -> at + Long.BYTES)
                .map(memory::get)
                .toArray();
    }

    /** Status, PSNs and progress, which Linux writes into the element, lie where the application cannot. */
    @Test
    @Covers("RXE-68")
    void elementsBelongToTheApplicationAndTheirStateToTheDevice() {
        try (EnginePair pair = new EnginePair(new PairSettings().mode(ScriptedNetwork.Mode.CUT))) {
            TestRegion target = pair.postReceives(2, 3000);
            TestRegion source = pair.postSends(2, 3000);
            SendQueue queue = pair.a.sendQueue;
            long[] posted = elements(queue);
            pair.network.loseNext(parcel -> parcel.psn == 101);
            pair.transmit();
            assertThat(pair.network.requests())
                    .extracting(parcel -> parcel.psn)
                    .containsExactly(100, 101, 102, 103, 104, 105);
            pair.run();
            assertThat(pair.a.counters().retransmittedPackets).isPositive();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "1 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, 6000)).isTrue();
            assertThat(elements(queue)).isEqualTo(posted);
        }
    }

    @Test
    void messageOfTheLargestSizeOwnsHalfThePsnSpace() {
        PairSettings settings = new PairSettings()
                .mtu(Mtu.MTU_256)
                .maxSge(32)
                .signalsOnRequest()
                .psnA(0xFF_FF00);
        try (EnginePair pair = new EnginePair(settings)) {
            TestRegion part = pair.a.region(1 << 26);
            TestRegion.Piece[] pieces = new TestRegion.Piece[32];
            Arrays.fill(pieces, part.first(1 << 26));
            pair.a.send(1, pieces);
            pair.a.send(2);
            int next = settings.psnA;
            for (int packets = 0; packets < 1 << 23; packets += 128) {
                pair.transmit();
                pair.network.dropAll();
                pair.network.forgetSent();
                next = Psn.add(next, 128);
                pair.responseToA(Syndrome.ack(CreditCode.UNLIMITED), Psn.previous(next));
            }
            assertThat(pair.a.counters().sends).isEqualTo(1);
            pair.transmit();
            assertThat(pair.network.sent()).extracting(Parcel::toString).containsExactly("RC SEND Only " + 0x7F_FF00);
        }
    }

    private static int packetsOf(EnginePair pair) {
        pair.network.forgetSent();
        pair.transmit();
        pair.network.dropAll();
        return pair.network.sent().stream().mapToInt(parcel -> parcel.packets).sum();
    }

    @Test
    void eachLossHalvesTheWindowButNotWithoutEnd() {
        try (EnginePair pair = new EnginePair(
                new PairSettings().retryCount(7).mode(ScriptedNetwork.Mode.CUT).budget(1))) {
            pair.postSends(1, 500 * 1024);
            int[] sent = new int[7];
            for (int i = 0; i < sent.length; i++) {
                sent[i] = packetsOf(pair);
                pair.advanceTo(pair.nextDeadlineNs());
            }
            assertThat(sent).containsExactly(128, 64, 32, 16, 8, 4, 4);
        }
    }

    @Test
    void windowOpensAgainWhenPacketsArrive() {
        try (EnginePair pair =
                new EnginePair(new PairSettings().mode(ScriptedNetwork.Mode.CUT).budget(1))) {
            pair.postSends(10, 500 * 1024);
            assertThat(packetsOf(pair)).isEqualTo(128);
            pair.advanceTo(pair.nextDeadlineNs());
            assertThat(packetsOf(pair)).isEqualTo(64);
            int acknowledged = 100;
            int window = 64;
            for (int round = 0; window < 128; round++) {
                assertThat(round).isLessThan(100);
                pair.responseToA(Syndrome.ack(CreditCode.UNLIMITED), acknowledged + window - 1);
                acknowledged += window;
                int next = packetsOf(pair);
                assertThat(next).isBetween(window, window + window / 8);
                window = next;
            }
            assertThat(window).isEqualTo(128);
        }
    }
}
