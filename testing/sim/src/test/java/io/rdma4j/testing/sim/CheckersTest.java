// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.sim.message.MessagePlan;
import io.rdma4j.testing.sim.message.PlannedMessage;
import io.rdma4j.testing.sim.message.Poster;
import io.rdma4j.testing.sim.message.QueueAccount;
import io.rdma4j.testing.sim.message.Receiver;
import io.rdma4j.testing.sim.message.Sender;
import io.rdma4j.testing.sim.run.ScenarioRun;
import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.verbs.wr.SignalType;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Proves that each checker detects its error. */
class CheckersTest {
    private static final int DEPTH = 15;

    private final Pair pair = new Pair(Pair.connection(10, 7, 7));
    private final RunReport report = new RunReport(pair.simulation.clock(), pair.simulation.trace());
    private final SimScenario scenario = SimScenario.of(5).withMessages(DEPTH).withSizes(100, 100);
    private final MessagePlan plan = new MessagePlan(1, scenario, Mtu.MTU_1024.bytes(), pair.sender.capabilities());

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    void aNetworkThatChangesBytesAndMakesTheIcrcFitIsFoundOut() {
        RunResult result = new ScenarioRun(SimScenario.of(1).withSizes(100, 1000))
                .prepare(network -> network.link(0, 1).hook(Tampering.flipPayload()))
                .run();
        assertThat(result.violations())
                .first()
                .asString()
                .contains("host1: message 0 of")
                .contains("is wrong");
        assertThat(result.trace()).anyMatch(line -> line.contains("host1 completed receive 0"));
    }

    @Test
    void messagesThatNeverArriveAreFoundOut() {
        RunResult result = new ScenarioRun(SimScenario.of(1))
                .prepare(network -> network.link(0, 1).hook(packet -> false))
                .run();
        assertThat(result.violations()).singleElement().asString().contains("the messages never arrived");
    }

    @Test
    void aCompletionOutOfTurnIsFoundOut() {
        Receiver receiver = receiver();
        receiver.onCompletion(received(1, plan.message(1)));
        assertThat(report.violations()).singleElement().asString().contains("where that of receive 0 is due");
    }

    @Test
    void aSendThatCompletesOutOfTurnIsFoundOut() {
        sender().onCompletion(sent(DEPTH - 1, WcStatus.SUCCESS));
        assertThat(report.violations()).singleElement().asString().contains("where that of send 0 is due");
    }

    @Test
    void aSendThatCompletesTwiceIsFoundOut() {
        Sender sender = sender();
        for (int i = 0; i < DEPTH; i++) {
            if (isSignaled(i)) {
                sender.onCompletion(sent(i, WcStatus.SUCCESS));
            }
        }
        assertThat(report.violations()).isEmpty();
        assertThat(sender.isDone()).isTrue();
        sender.onCompletion(sent(DEPTH - 1, WcStatus.SUCCESS));
        assertThat(report.violations()).singleElement().asString().contains("where none is due");
    }

    @Test
    void aSendThatFailedIsFoundOut() {
        sender().onCompletion(sent(0, WcStatus.RETRY_EXC_ERR));
        assertThat(report.violations()).singleElement().asString().contains("RETRY_EXC_ERR");
    }

    @Test
    void aSendThatCompletesBeforeItsMessageArrivedIsFoundOut() {
        RunResult result = new ScenarioRun(SimScenario.of(3))
                .prepare(network -> Tampering.acknowledgeWhatWasLost(network.link(0, 1), network.link(1, 0)))
                .run();
        assertThat(result.violations()).anyMatch(text -> text.contains("but the peer has received only"));
    }

    @Test
    void aWrongLengthAndAWrongFlagAreFoundOut() {
        Receiver receiver = receiver();
        WorkCompletion first = received(0, plan.message(0));
        receiver.onCompletion(with(first, first.byteLength() - 1, first.flags()));
        assertThat(report.violations()).anyMatch(text -> text.contains("index=0") && text.contains("received as"));

        WorkCompletion second = received(1, plan.message(1));
        Set<WcFlag> wrong = plan.message(1).hasImmediate() ? Set.of() : Set.of(WcFlag.WITH_IMM);
        receiver.onCompletion(with(second, second.byteLength(), wrong));
        assertThat(report.violations()).anyMatch(text -> text.contains("index=1") && text.contains("received as"));
    }

    @Test
    void memoryThatTheDeviceDidNotWriteIsFoundOut() {
        // The completion is valid, but no packet has arrived, so the bytes cannot be there.
        receiver().onCompletion(received(0, plan.message(0)));
        assertThat(report.violations()).singleElement().asString().contains("is wrong");
    }

    @Test
    void aRefusedPostIsFoundOut() {
        QueueAccount account = new QueueAccount(1, 1);
        Poster poster = new Poster("host0: sends", account, new SplittableRandom(1), 1, 0, report);
        poster.act(1, count -> {
            throw new RdmaException(Errno.ENOMEM, "the send queue is full");
        });
        assertThat(report.violations()).singleElement().asString().contains("host0: sends 0..0 were refused");
    }

    private boolean isSignaled(int index) {
        return plan.message(index).signaled()
                || pair.sender.qp().initAttributes().signalType() == SignalType.ALL_WR;
    }

    /** Returns a receiver that has posted all receives. */
    private Receiver receiver() {
        Receiver receiver = new Receiver(pair.receiver, plan, 1, report);
        receiver.act(Long.MAX_VALUE / 2);
        return receiver;
    }

    /** Returns a sender that has posted all sends. */
    private Sender sender() {
        Sender sender = new Sender(pair.sender, plan, 1, 0, report);
        sender.act(Long.MAX_VALUE / 2);
        return sender;
    }

    private WorkCompletion sent(long wrId, WcStatus status) {
        return new WorkCompletion(
                wrId, status, WcOpcode.SEND, 0, 100, pair.sender.qp().qpn(), 0, 0, Set.of(), 0, 0, 0, 0, 0);
    }

    private WorkCompletion received(int index, PlannedMessage message) {
        return new WorkCompletion(
                index | Receiver.WR_ID_MARK,
                WcStatus.SUCCESS,
                WcOpcode.RECV,
                0,
                message.length(),
                pair.receiver.qp().qpn(),
                message.immediate(),
                0,
                message.hasImmediate() ? Set.of(WcFlag.WITH_IMM) : Set.of(),
                0,
                0,
                0,
                0,
                0);
    }

    private static WorkCompletion with(WorkCompletion wc, int bytes, Set<WcFlag> flags) {
        return new WorkCompletion(
                wc.wrId(), wc.status(), wc.opcode(), 0, bytes, wc.qpNumber(), wc.immediate(), 0, flags, 0, 0, 0, 0, 0);
    }
}
