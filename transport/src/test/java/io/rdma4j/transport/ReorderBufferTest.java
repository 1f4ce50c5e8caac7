// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.transport.responder.ReorderBuffer;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.wire.Opcode;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Packets that come before their turn are kept until it comes, and only what is missing is sent again. */
class ReorderBufferTest {
    private static PairSettings settings() {
        return new PairSettings().rdma(4).mode(Mode.CUT).options(TransportOptions.DEFAULT.withOutOfOrderPlacement());
    }

    @Test
    void onlyTheMissingPacketIsSentAgainAndOneAckAnswersAll() {
        try (EnginePair pair = new EnginePair(settings().timeout(0))) {
            TestRegion target = pair.postReceives(4, 3000);
            TestRegion source = pair.postSends(4, 3000);
            pair.network.loseNext(parcel -> parcel.psn == 104);
            pair.transmit();
            pair.network.forgetSent();
            pair.settle();
            assertThat(pair.network.sent())
                    .extracting(Parcel::toString)
                    .containsExactly("NAK PSN sequence error 104", "RC SEND Middle 104", "ACK 111");
            assertThat(pair.a.sendResults()).hasSize(4);
            assertThat(pair.b.receiveResults()).hasSize(4);
            assertThat(EnginePair.sameBytes(source, target, 12_000)).isTrue();
            assertThat(pair.b.counters().heldRequests).isEqualTo(7);
            assertThat(pair.b.counters().droppedPackets).isZero();
        }
    }

    @Test
    void everyGapIsAskedForInItsTurn() {
        try (EnginePair pair = new EnginePair(settings().timeout(0))) {
            TestRegion target = pair.postReceives(9, 3000);
            TestRegion source = pair.postSends(9, 3000);
            pair.transmit();
            for (int index : new int[] {6, 3, 1}) {
                pair.network.drop(index);
            }
            pair.network.forgetSent();
            pair.settle();
            assertThat(pair.a.counters().receivedSequenceNaks).isEqualTo(3);
            assertThat(pair.a.counters().retransmittedPackets).isEqualTo(3);
            assertThat(pair.a.sendResults()).hasSize(9);
            assertThat(EnginePair.sameBytes(source, target, 27_000)).isTrue();
        }
    }

    @Test
    void aLongGapIsFilledByMoreAndMorePackets() {
        try (EnginePair pair = new EnginePair(settings().timeout(0))) {
            pair.postReceives(30, 10);
            pair.postSends(30, 10);
            pair.transmit();
            for (int i = 0; i < 20; i++) {
                pair.network.drop(1);
            }
            pair.network.forgetSent();
            pair.settle();
            assertThat(pair.network.responses())
                    .extracting(Parcel::toString)
                    .containsExactly(
                            "NAK PSN sequence error 101",
                            "NAK PSN sequence error 102",
                            "NAK PSN sequence error 104",
                            "NAK PSN sequence error 108",
                            "NAK PSN sequence error 116",
                            "ACK 129");
            assertThat(pair.a.sendResults()).hasSize(30);
        }
    }

    @Test
    void packetsThatOnlyOvertakeOneAnotherAreNeverAskedForAgain() {
        try (EnginePair pair = new EnginePair(settings())) {
            pair.postReceives(5, 10);
            pair.postSends(5, 10);
            pair.transmit();
            Collections.reverse(pair.network.inFlight());
            pair.deliver();
            pair.transmit();
            assertThat(pair.network.inFlight()).extracting(Parcel::toString).containsExactly("ACK 104");
            pair.settle();
            assertThat(pair.a.sendResults()).hasSize(5);
            assertThat(pair.b.receiveResults())
                    .containsExactly("0 SUCCESS", "1 SUCCESS", "2 SUCCESS", "3 SUCCESS", "4 SUCCESS");
            assertThat(pair.a.counters().retransmittedPackets).isZero();
        }
    }

    /** What has not left this JVM is still the sender's, who may take it back. */
    @Test
    void trainsThatPointIntoTheSendersMemoryAreNotHeld() {
        try (EnginePair pair = new EnginePair(settings().mode(Mode.WHOLE).timeout(0))) {
            TestRegion target = pair.b.shared(64 << 10);
            TestRegion source = pair.a.region(64 << 10).filled(3);
            pair.a.write(1, target.first(0), source.first(30 << 10));
            pair.a.write(2, target.piece(30 << 10, 0), source.piece(30 << 10, 30 << 10));
            pair.transmit();
            assertThat(pair.network.inFlight()).allMatch(Parcel::isTrain).hasSize(2);
            pair.network.drop(0);
            pair.settle();
            assertThat(pair.b.counters().heldRequests).isZero();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, 60 << 10)).isTrue();
        }
    }

    @Test
    void aSenderInThisJvmDoesNotWaitForWhatIsHeld() {
        try (EnginePair pair =
                new EnginePair(settings().mode(Mode.WHOLE).timeout(0).queueEntries(127))) {
            pair.postReceives(120, 0);
            pair.postSends(120, 0);
            pair.network.loseNext(parcel -> parcel.psn == 100);
            pair.run();
            assertThat(pair.a.sendResults()).hasSize(120);
            assertThat(pair.b.counters().heldRequests).isPositive();
        }
    }

    @Test
    void readsAndAtomicsBehindAGapAreCarriedOutOnceInTheirTurn() {
        try (EnginePair pair = new EnginePair(settings())) {
            TestRegion far = pair.b.shared(64);
            TestRegion near = pair.a.region(64).filled(9);
            pair.a.write(1, far.first(0), near.first(8));
            pair.a.read(2, far.first(0), near.piece(8, 8));
            pair.a
                    .sends()
                    .wrId(3)
                    .atomicFetchAdd(far.lkey(), far.address() + 16, 5)
                    .sge(near.lkey(), near.address() + 16, 8)
                    .complete();
            pair.network.loseNext(parcel -> parcel.psn == 100);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
            assertThat(near.bytes(8, 8)).isEqualTo(near.bytes(0, 8));
            assertThat(far.bytes(16, 8)[0] + far.bytes(16, 8)[7]).isEqualTo(5);
            assertThat(pair.a.counters().retransmittedPackets).isEqualTo(1);
        }
    }

    @Test
    void aPeerThatGoesBackSkipsWhatWasHeld() {
        PairSettings settings = settings().timeout(0);
        try (EnginePair pair = new EnginePair(settings)) {
            pair.postReceives(6, 10);
            pair.postSends(6, 10);
            pair.transmit();
            pair.network.drop(0);
            // A whole window again, as a peer sends it that goes back.
            for (int psn = 100; psn < 103; psn++) {
                pair.network.post(new Parcel(
                        pair.packet(Opcode.RC_SEND_ONLY, psn, true, EnginePair.QPN_B, 10), pair.b, 0, pair.nowNs()));
            }
            pair.deliver();
            pair.transmit();
            assertThat(pair.network.inFlight()).extracting(Parcel::toString).containsExactly("ACK 105");
            pair.settle();
            assertThat(pair.b.receiveResults()).hasSize(6);
            assertThat(pair.a.sendResults()).hasSize(6);
        }
    }

    @Test
    void aHeldMessageWithoutReceiveIsAskedForAgainByAnRnrNak() {
        try (EnginePair pair = new EnginePair(settings())) {
            pair.postReceives(2, 10);
            pair.postSends(4, 10);
            pair.transmit();
            pair.network.drop(0);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "1 SUCCESS");
            assertThat(pair.a.counters().receivedRnrNaks).isEqualTo(1);
            pair.postReceives(2, 10);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("2 SUCCESS", "3 SUCCESS");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = QpState.class,
            names = {"RESET", "ERR"})
    void whatIsHeldIsFreedWithTheQueuePair(QpState end) {
        try (EnginePair pair = new EnginePair(settings())) {
            pair.requestToB(Opcode.RC_SEND_ONLY, 101, true, 10);
            pair.requestToB(Opcode.RC_SEND_ONLY, 103, true, 10);
            assertThat(pair.b.counters().heldRequests).isEqualTo(2);
            pair.b.modify(end);
            // Closing the pair counts the buffers.
        }
    }

    @Test
    void aRequestThatBreaksTheConnectionFreesThoseBehindIt() {
        try (EnginePair pair = new EnginePair(settings())) {
            pair.postReceives(3, 10);
            pair.requestToB(Opcode.RC_SEND_MIDDLE, 101, true, 1024);
            pair.requestToB(Opcode.RC_SEND_ONLY, 102, true, 10);
            pair.requestToB(Opcode.RC_SEND_ONLY, 100, true, 10);
            assertThat(pair.b.state()).isEqualTo(QpState.ERR);
            assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS", "1 WR_FLUSH_ERR", "2 WR_FLUSH_ERR");
        }
    }

    @Test
    void packetsFarAheadAreDropped() {
        try (EnginePair pair = new EnginePair(settings())) {
            pair.requestToB(Opcode.RC_SEND_ONLY, 100 + ReorderBuffer.MAX_PACKETS, false, 10);
            assertThat(pair.b.counters().heldRequests).isZero();
            pair.requestToB(Opcode.RC_SEND_ONLY, 100 + ReorderBuffer.MAX_PACKETS - 1, false, 10);
            assertThat(pair.b.counters().heldRequests).isEqualTo(1);
            pair.b.modify(QpState.RESET);
        }
    }

    @Test
    void bytesHeldAreBounded() {
        try (EnginePair pair = new EnginePair(settings().mtu(Mtu.MTU_4096))) {
            for (int psn = 101; psn < 200; psn++) {
                pair.requestToB(Opcode.RC_SEND_MIDDLE, psn, false, 4096);
            }
            int each = 4096 + Opcode.RC_SEND_MIDDLE.headerBytes();
            assertThat(pair.b.counters().heldRequests).isEqualTo(ReorderBuffer.MAX_BYTES / each);
            pair.b.modify(QpState.RESET);
        }
    }

    @Test
    void withoutTheOptionNothingIsHeld() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.requestToB(Opcode.RC_SEND_ONLY, 101, true, 10);
            assertThat(pair.b.counters().heldRequests).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void aBadNetworkDoesNoHarm(Mode mode) {
        try (EnginePair pair = new EnginePair(settings().mode(mode).budget(3))) {
            int[] counter = {0};
            pair.network.lose(parcel -> ++counter[0] % 7 == 0);
            TestRegion target = pair.postReceives(60, 5000);
            TestRegion source = pair.postSends(60, 5000);
            pair.run();
            assertThat(pair.a.sendResults()).hasSize(60);
            assertThat(EnginePair.sameBytes(source, target, 300_000)).isTrue();
        }
    }
}
