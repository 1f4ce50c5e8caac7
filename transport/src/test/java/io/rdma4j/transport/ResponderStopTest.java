// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.Opcode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a responder still sends when its queue pair ends: nothing but a NAK that was owed before (IBA 10.3.1.7). */
class ResponderStopTest {
    private static final int PACKETS = 100;
    private static final int BYTES = PACKETS * 1024;

    /** B is asked for the whole memory at once, as Linux and adapters do, and has sent some of the answer. */
    private static TestRegion beginRead(EnginePair pair) {
        TestRegion source = pair.b.shared(BYTES);
        pair.requestToB(Opcode.RC_READ_REQUEST, 100, source.first(0), BYTES, 0);
        pair.b.engine.pollTransmit(pair.nowNs(), 10);
        assertThat(pair.network.sent()).isNotEmpty().hasSizeLessThan(PACKETS);
        pair.network.forgetSent();
        return source;
    }

    private static EnginePair cut() {
        return new EnginePair(new PairSettings().rdma(4).mode(Mode.CUT));
    }

    /** How a queue pair comes into a state in which it serves no requests. */
    enum End {
        MODIFY_TO_ERROR,
        RESET,
        DEVICE_FAILURE,
        OWN_SEND_FAILS
    }

    private static void end(EnginePair pair, End how) {
        switch (how) {
            case MODIFY_TO_ERROR -> pair.b.modify(QpState.ERR);
            case RESET -> pair.b.modify(QpState.RESET);
            case DEVICE_FAILURE -> pair.b.engine.breakDown(WcStatus.FATAL_ERR);
            case OWN_SEND_FAILS -> {
                pair.b.send(1, new TestRegion.Piece(0x7777_7700, 0, 10));
                // What a call that meets the error has sent before that counts as sent in time.
                pair.b.engine.pollTransmit(pair.nowNs(), 2);
                pair.network.forgetSent();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(End.class)
    @Covers("RXE-144")
    void theAnswerToAReadStops(End end) {
        try (EnginePair pair = cut()) {
            beginRead(pair);
            end(pair, end);
            assertThat(pair.b.state()).isEqualTo(end == End.RESET ? QpState.RESET : QpState.ERR);
            pair.transmit();
            pair.run();
            assertThat(pair.network.sent()).isEmpty();
        }
    }

    @Test
    void anAcknowledgementThatIsOwedIsNotSent() {
        try (EnginePair pair = cut()) {
            pair.postReceives(1, 0);
            pair.requestToB(Opcode.RC_SEND_ONLY, 100, true, 0);
            pair.b.modify(QpState.ERR);
            pair.transmit();
            assertThat(pair.network.sent()).isEmpty();
        }
    }

    @Test
    void aNakThatIsOwedIsSent() {
        try (EnginePair pair = cut()) {
            pair.requestToB(Opcode.RC_SEND_MIDDLE, 100, true, 1024);
            assertThat(pair.b.state()).isEqualTo(QpState.ERR);
            pair.transmit();
            assertThat(texts(pair)).containsExactly("NAK invalid request 100");
        }
    }

    @Test
    void aWrongRequestBehindAReadIsRefusedBehindItsAnswer() {
        try (EnginePair pair = cut()) {
            beginRead(pair);
            int psn = 100 + PACKETS;
            pair.requestToB(Opcode.RC_SEND_MIDDLE, psn, true, 1024);
            assertThat(pair.b.state()).as("the answer goes first").isEqualTo(QpState.RTS);
            pair.requestToB(Opcode.RC_SEND_MIDDLE, psn, true, 1024);
            pair.transmit();
            assertThat(texts(pair)).endsWith("RC RDMA READ Response Last " + (psn - 1), "NAK invalid request " + psn);
            assertThat(pair.b.state()).isEqualTo(QpState.ERR);
        }
    }

    @Test
    void aWrongRequestThatWaitsForItsTurnToBeRefusedEndsWithTheQueuePair() {
        try (EnginePair pair = cut()) {
            beginRead(pair);
            pair.requestToB(Opcode.RC_SEND_MIDDLE, 100 + PACKETS, true, 1024);
            pair.b.modify(QpState.ERR);
            pair.transmit();
            assertThat(pair.network.sent()).isEmpty();
        }
    }

    private static List<String> texts(EnginePair pair) {
        return pair.network.sent().stream().map(Parcel::toString).toList();
    }
}
