// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.NakCode;
import io.rdma4j.wire.Syndrome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Failed completions say in {@code vendor_err} what went over the wire: the syndrome that ended them, on either side.
 */
class VendorErrorTest {
    private static final int NOTHING = 0;

    /** IBA has one status for two of these. */
    @ParameterizedTest
    @EnumSource(
            value = NakCode.class,
            names = {"INVALID_REQUEST", "REMOTE_ACCESS_ERROR", "REMOTE_OPERATIONAL_ERROR", "INVALID_RD_REQUEST"})
    void refusedRequestNamesTheRefusal(NakCode code) {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postSends(3, 10);
            pair.transmit();
            pair.network.dropAll();
            pair.responseToA(Syndrome.nak(code), 101);
            assertThat(pair.a.sendCompletions())
                    .extracting(Completion::vendorError)
                    .containsExactly(NOTHING, Syndrome.nak(code), NOTHING);
        }
    }

    @Test
    void requestThatNobodyAnsweredNamesNothing() {
        try (EnginePair pair = new EnginePair(new PairSettings().retryCount(1))) {
            pair.network.lose(_ -> true);
            pair.postSends(1, 10);
            pair.run();
            assertThat(pair.a.sendCompletions())
                    .extracting(Completion::status, Completion::vendorError)
                    .containsExactly(tuple(WcStatus.RETRY_EXC_ERR, NOTHING));
        }
    }

    @Test
    void requestThatThePeerNeverHeardAllOfNamesTheGap() {
        try (EnginePair pair = new EnginePair(new PairSettings().retryCount(0))) {
            pair.postSends(2, 10);
            pair.transmit();
            pair.network.dropAll();
            pair.responseToA(Syndrome.nak(NakCode.PSN_SEQUENCE_ERROR), 100);
            Completion failed = pair.a.sendCompletions().getFirst();
            assertThat(failed.status()).isEqualTo(WcStatus.RETRY_EXC_ERR);
            assertThat(failed.vendorError()).isEqualTo(0x60);
        }
    }

    @Test
    void requestThatWaitedInVainNamesThePeersTimer() {
        try (EnginePair pair = new EnginePair(new PairSettings().rnrRetry(0).minRnrTimer(12))) {
            pair.postSends(1, 10);
            pair.settle();
            Completion failed = pair.a.sendCompletions().getFirst();
            assertThat(failed.status()).isEqualTo(WcStatus.RNR_RETRY_EXC_ERR);
            assertThat(failed.vendorError()).isEqualTo(Syndrome.rnrNak(12));
        }
    }

    @Test
    void failedReceiveNamesWhatThePeerWasTold() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(2, 5);
            pair.postSends(1, 10);
            pair.settle();
            assertThat(pair.b.receiveCompletions())
                    .extracting(Completion::brief, Completion::vendorError)
                    .containsExactly(
                            tuple("0 LOC_LEN_ERR", Syndrome.nak(NakCode.INVALID_REQUEST)),
                            tuple("1 WR_FLUSH_ERR", NOTHING));
        }
    }

    /** The data cannot be placed, but there is a receive request that says so. */
    @Test
    void writeWithImmediateToForbiddenMemoryEndsItsReceive() {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion target = pair.b.region(8);
            TestRegion source = pair.a.region(8).filled(1);
            pair.b.receive(1);
            pair.b.receive(2);
            pair.a
                    .sends()
                    .wrId(3)
                    .rdmaWriteImm(target.lkey(), target.address(), 7)
                    .sge(source.lkey(), source.address(), 8)
                    .complete();
            pair.settle();
            assertThat(pair.b.receiveCompletions())
                    .extracting(Completion::brief, Completion::vendorError)
                    .containsExactly(
                            tuple("1 LOC_ACCESS_ERR", Syndrome.nak(NakCode.REMOTE_ACCESS_ERROR)),
                            tuple("2 WR_FLUSH_ERR", NOTHING));
            assertThat(pair.a.sendResults()).containsExactly("3 REM_ACCESS_ERR");
            assertThat(pair.b.events).containsExactly(EventType.QP_ACCESS_ERR);
            assertThat(target.bytes(0, 8)).containsOnly(0);
        }
    }

    /** A SEND that is half there has nothing to do with a WRITE that is refused; its receive is flushed. */
    @Test
    void writeWithoutImmediateEndsNoReceive() {
        try (EnginePair pair = EnginePair.rdma()) {
            pair.b.receive(1);
            pair.a.write(2, pair.b.region(8).first(8), pair.a.region(8).first(8));
            pair.settle();
            assertThat(pair.b.receiveResults()).containsExactly("1 WR_FLUSH_ERR");
        }
    }

    @Test
    @Covers("CQ-47")
    void deviceThatBreaksDownEndsTheRequestAtHandAndFlushesTheOthers() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postSends(2, 10);
            pair.transmit();
            pair.a.receive(5);
            pair.a.engine.breakDown(WcStatus.FATAL_ERR);
            assertThat(pair.a.state()).isEqualTo(QpState.ERR);
            assertThat(pair.a.sendResults()).containsExactly("0 FATAL_ERR", "1 WR_FLUSH_ERR");
            assertThat(pair.a.receiveResults()).containsExactly("5 WR_FLUSH_ERR");
            pair.a.engine.breakDown(WcStatus.FATAL_ERR);
            assertThat(pair.a.sendResults()).isEmpty();
        }
    }
}
