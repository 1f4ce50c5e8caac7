// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.verbs.wr.FlushLevel;
import io.rdma4j.verbs.wr.FlushType;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.wire.Opcode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What was received before is acknowledged again and not delivered again. */
@Covers("RXE-169")
class DuplicateTest {
    @ParameterizedTest
    @EnumSource(Mode.class)
    void messageWhoseAcknowledgementWasLostIsDeliveredOnce(Mode mode) {
        try (EnginePair pair = new EnginePair(new PairSettings().mode(mode))) {
            TestRegion target = pair.postReceives(2, 3000);
            pair.postSends(1, 3000);
            pair.network.loseNext(parcel -> !parcel.isRequest());
            pair.settle();
            assertThat(pair.a.sendResults()).isEmpty();
            byte[] untouched = target.filled(9).bytes(0, 6000);

            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
            assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS");
            assertThat(target.bytes(0, 6000)).isEqualTo(untouched);
            assertThat(pair.b.counters().duplicateRequests).isEqualTo(3);
        }
    }

    @Test
    void duplicateThatDoesNotAskIsAcknowledgedAllTheSame() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(2, 10);
            pair.requestToB(Opcode.RC_SEND_ONLY, 100, false, 10);
            pair.requestToB(Opcode.RC_SEND_ONLY, 101, false, 10);
            pair.requestToB(Opcode.RC_SEND_ONLY, 100, false, 10);
            pair.transmit();
            assertThat(pair.network.responses()).extracting(Parcel::toString).containsExactly("ACK 101");
        }
    }

    /**
     * Linux takes an acknowledgement with the number of its READ or atomic for the answer, which may have been lost.
     */
    @ParameterizedTest
    @ValueSource(strings = {"READ", "FETCH_ADD", "ATOMIC_WRITE", "FLUSH"})
    @Covers("RXE-189")
    void duplicateIsNotAcknowledgedWithTheNumberOfARequestThatHasItsOwnAnswer(String operation) {
        try (EnginePair pair = EnginePair.rdma()) {
            pair.postReceives(2, 10);
            pair.postSends(1, 10);
            pair.settle();
            postWithOwnAnswer(pair, operation);
            pair.network.loseNext(parcel -> !parcel.isRequest());
            pair.settle();
            assertThat(pair.network.responses()).hasSize(2);
            pair.requestToB(Opcode.RC_SEND_ONLY, 100, true, 10);
            pair.transmit();
            assertThat(pair.network.responses().getLast()).hasToString("ACK 100");
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "1 SUCCESS");
        }
    }

    private static void postWithOwnAnswer(EnginePair pair, String operation) {
        TestRegion.Piece remote = pair.b.shared(8).first(8);
        TestRegion.Piece local = pair.a.region(8).first(8);
        SendBatch batch = pair.a.sends().wrId(1);
        switch (operation) {
            case "READ" -> batch.rdmaRead(remote.lkey(), remote.address());
            case "FETCH_ADD" -> batch.atomicFetchAdd(remote.lkey(), remote.address(), 1);
            case "ATOMIC_WRITE" -> batch.atomicWrite(remote.lkey(), remote.address(), 1);
            default -> batch.flush(remote.lkey(), remote.address(), 8, FlushType.GLOBAL.bit(), FlushLevel.RANGE);
        }
        if (operation.equals("READ") || operation.equals("FETCH_ADD")) {
            batch.sge(local.lkey(), local.address(), 8);
        }
        batch.complete();
    }

    @Test
    void halfTheSequenceSpaceIsBehindAndTheOtherHalfAhead() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(1, 10);
            pair.requestToB(Opcode.RC_SEND_ONLY, 100, false, 10);
            pair.requestToB(Opcode.RC_SEND_ONLY, 101 + (1 << 23), true, 10);
            pair.transmit();
            assertThat(pair.network.responses()).extracting(Parcel::toString).containsExactly("ACK 100");
            pair.requestToB(Opcode.RC_SEND_ONLY, 101 + (1 << 23) - 1, true, 10);
            pair.transmit();
            assertThat(pair.network.responses().getLast()).hasToString("NAK PSN sequence error 101");
        }
    }

    @Test
    void trainThatIsPartlyKnownAddsOnlyWhatIsNew() {
        try (EnginePair pair =
                new EnginePair(new PairSettings().mtu(Mtu.MTU_256).budget(3))) {
            TestRegion target = pair.postReceives(1, 8 * 256);
            TestRegion source = pair.postSends(1, 8 * 256 - 7);
            // Trains 100..102, 103..105, 106..107, of which only the first arrives.
            pair.transmit();
            assertThat(pair.network.inFlight()).hasSize(3);
            pair.network.drop(2);
            pair.network.drop(1);
            pair.deliver();
            pair.transmit();
            // After the timeout a larger budget makes one train of it all.
            pair.advanceTo(pair.nextDeadlineNs());
            pair.a.engine.pollTransmit(pair.nowNs(), 100);
            assertThat(pair.network.inFlight()).extracting(Parcel::toString).containsExactly("RC SEND First 100..107");
            target.memory().asSlice(0, 3 * 256).fill((byte) 0);
            pair.settle();

            assertThat(pair.b.counters().duplicateRequests).isEqualTo(3);
            assertThat(pair.b.receiveCompletions().getFirst().byteLength()).isEqualTo(8 * 256 - 7);
            assertThat(target.bytes(0, 3 * 256)).containsOnly(0);
            assertThat(target.bytes(3 * 256, 5 * 256 - 7)).isEqualTo(source.bytes(3 * 256, 5 * 256 - 7));
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
        }
    }

    @Test
    void trainOfWhichOnlyTheLastPacketIsNewEndsTheMessage() {
        try (EnginePair pair =
                new EnginePair(new PairSettings().mtu(Mtu.MTU_256).budget(3))) {
            pair.postReceives(1, 1000);
            TestRegion source = pair.a.region(1000).filled(1);
            pair.a.sends().sendImm(5).sge(source.lkey(), source.address(), 1000).complete();
            pair.transmit();
            pair.network.drop(1);
            pair.deliver();
            pair.advanceTo(pair.nextDeadlineNs());
            pair.a.engine.pollTransmit(pair.nowNs(), 100);
            assertThat(pair.network.inFlight()).extracting(Parcel::toString).containsExactly("RC SEND First 100..103");
            pair.settle();
            assertThat(pair.b.receiveCompletions().getFirst().immediate()).isEqualTo(5);
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
        }
    }

    @Test
    void duplicateDoesNotReplaceANakThatIsOwed() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(3, 10);
            pair.requestToB(Opcode.RC_SEND_ONLY, 100, false, 10);
            pair.requestToB(Opcode.RC_SEND_ONLY, 102, true, 10);
            pair.requestToB(Opcode.RC_SEND_ONLY, 100, true, 10);
            pair.transmit();
            assertThat(pair.network.responses())
                    .extracting(Parcel::toString)
                    .containsExactly("NAK PSN sequence error 101");
        }
    }
}
