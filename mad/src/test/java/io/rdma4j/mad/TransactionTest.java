// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import static io.rdma4j.mad.MadWire.MS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests, responses, timeouts, retries and cancellation, in virtual time. */
class TransactionTest {
    private final MadWire wire = new MadWire(1);
    private final MadWire.Station a = wire.station("10.0.0.1");
    private final MadWire.Station b = wire.station("10.0.0.2");
    private final Recorder client = new Recorder();
    private final Recorder server = new Recorder();
    private final MadAgent agent = a.port.register(client.setup());
    private MadAgent responder =
            b.port.register(server.setup().registration(MadRegistration.of(MadClass.PERF_MGT, 1, 2, 3)));

    private MadSend request(int timeoutMs, int retries) {
        return MadSend.request(
                b.address(),
                Recorder.datagram(MadClass.PERF_MGT, MadMethod.GET, agent.nextTransactionId()),
                timeoutMs,
                retries);
    }

    private void answer(Recorder.Received request) {
        responder.send(
                MadSend.of(request.mad().from(), Recorder.response(request.mad().datagram())));
    }

    private void refused(MadSend send, String word) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> agent.send(send))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                .satisfies(e -> assertThat(e.getMessage()).contains(word));
    }

    @Test
    void aResponseComesWithItsRequestAndThenTheSendEnds() {
        MadSend send = request(100, 0).withUserContext("mine");
        agent.send(send);
        assertThat(wire.run(() -> !server.received.isEmpty(), MS)).isTrue();
        Recorder.Received arrived = server.received.getFirst();
        assertThat(arrived.request()).isNull();
        assertThat(arrived.mad().from()).isEqualTo(a.address());
        assertThat(arrived.mad().lengthBytes()).isEqualTo(256);
        assertThat(arrived.mad().datagram().mismatch(send.message())).isEqualTo(-1);
        assertThat(client.calls).isEmpty();
        answer(arrived);
        assertThat(wire.run(() -> !client.sent.isEmpty(), MS)).isTrue();
        assertThat(client.calls).containsExactly("received", "sent");
        assertThat(client.received.getFirst().request()).isSameAs(send);
        assertThat(client.sent).containsExactly(new Recorder.Sent(send, WcStatus.SUCCESS));
        assertThat(send.userContext()).isEqualTo("mine");
        assertThat(server.sent).hasSize(1);
        // No timer is left.
        assertThat(a.port.advance(wire.nowNs)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void withoutTimeoutASendEndsWhenItIsSent() {
        MadSend send = request(0, 0);
        agent.send(send);
        assertThat(client.sent).isEmpty();
        wire.pass(1_000);
        assertThat(client.sent).containsExactly(new Recorder.Sent(send, WcStatus.SUCCESS));
        wire.pass(MS);
        server.received.forEach(this::answer);
        wire.pass(MS);
        // The response has no request.
        assertThat(client.received).isEmpty();
        assertThat(a.port.counters().get(MadCounter.UNMATCHED_RESPONSE)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"100,0", "100,3", "1,10", "2500,2"})
    void theTimeoutCountsFromTheCompletionOfEachTransmission(int timeoutMs, int retries) {
        MadSend send = request(timeoutMs, retries);
        responder.close();
        wire.lossRule = _ -> true;
        agent.send(send);
        assertThat(wire.run(() -> !client.sent.isEmpty(), Long.MAX_VALUE / 2)).isTrue();
        // 1 µs until each completion.
        assertThat(wire.nowNs).isEqualTo((retries + 1) * (timeoutMs * MS + 1_000));
        assertThat(client.sent).containsExactly(new Recorder.Sent(send, WcStatus.RESP_TIMEOUT_ERR));
        assertThat(a.posted).hasSize(retries + 1);
        assertThat(a.posted)
                .allSatisfy(one -> assertThat(one.mismatch(send.message())).isEqualTo(-1));
        assertThat(send.retriesDone()).isEqualTo(retries);
        assertThat(a.port.counters().get(MadCounter.RETRIES)).isEqualTo(retries);
    }

    @Test
    void aLostRequestIsRepeatedAndAnswered() {
        int[] count = {0};
        wire.lossRule = _ -> count[0]++ < 2;
        MadSend send = request(10, 5);
        agent.send(send);
        wire.run(() -> !server.received.isEmpty(), 100 * MS);
        answer(server.received.getFirst());
        wire.run(() -> !client.sent.isEmpty(), 100 * MS);
        assertThat(client.sent).containsExactly(new Recorder.Sent(send, WcStatus.SUCCESS));
        assertThat(send.retriesDone()).isEqualTo(2);
    }

    @Test
    void aChangedTimeoutCountsFromTheChange() {
        MadSend send = request(1000, 0);
        wire.lossRule = _ -> true;
        agent.send(send);
        wire.pass(900 * MS);
        agent.modify(send, 500);
        wire.run(() -> !client.sent.isEmpty(), 10_000 * MS);
        assertThat(wire.nowNs).isEqualTo(1400 * MS);
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> agent.modify(send, 5))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    void aCancelledRequestIsFlushedAndItsResponseDropped() {
        MadSend send = request(1000, 5);
        agent.send(send);
        wire.run(() -> !server.received.isEmpty(), MS);
        agent.cancel(send);
        assertThat(client.sent).isEmpty();
        assertThat(a.port.hasHandlersToRun()).isTrue();
        wire.pass(0);
        assertThat(client.sent).containsExactly(new Recorder.Sent(send, WcStatus.WR_FLUSH_ERR));
        answer(server.received.getFirst());
        wire.pass(10_000 * MS);
        assertThat(client.received).isEmpty();
        assertThat(client.sent).hasSize(1);
        assertThatExceptionOfType(RdmaException.class).isThrownBy(() -> agent.cancel(send));
    }

    @Test
    void aRequestCanBeCancelledBeforeItIsSentAndPostedAgain() {
        MadSend send = request(1000, 0);
        agent.send(send);
        refused(send, "in progress");
        agent.cancel(send);
        wire.pass(0);
        agent.send(send);
        wire.run(() -> server.received.size() == 2, MS);
        // The completion of the first posting does not end the second one.
        assertThat(client.sent).containsExactly(new Recorder.Sent(send, WcStatus.WR_FLUSH_ERR));
        answer(server.received.getFirst());
        wire.run(() -> client.sent.size() == 2, MS);
        assertThat(client.sent.getLast().status()).isEqualTo(WcStatus.SUCCESS);
    }

    @Test
    void aFailedSendEndsWithItsError() {
        a.sendStatus = WcStatus.LOC_QP_OP_ERR;
        MadSend send = request(1000, 5);
        agent.send(send);
        wire.pass(MS);
        assertThat(client.sent).containsExactly(new Recorder.Sent(send, WcStatus.LOC_QP_OP_ERR));
        assertThat(a.posted).hasSize(1);
    }

    @Test
    void closingAnAgentFlushesItsSendsInOrder() {
        List<MadSend> sends = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            sends.add(request(1000, 0));
            agent.send(sends.get(i));
        }
        agent.close();
        assertThat(client.sent).extracting(Recorder.Sent::send).containsExactlyElementsOf(sends);
        assertThat(client.sent).extracting(Recorder.Sent::status).containsOnly(WcStatus.WR_FLUSH_ERR);
        wire.run(() -> server.received.size() == 20, MS);
        server.received.forEach(this::answer);
        wire.pass(MS);
        assertThat(client.received).isEmpty();
    }

    @Test
    void aHandlerMayCloseItsAgent() {
        MadAgent[] self = new MadAgent[1];
        List<WcStatus> results = new ArrayList<>();
        self[0] = a.port.register(
                MadAgentSetup.DEFAULT.onReceived((_, mad) -> mad.close()).onSent((_, status) -> {
                    results.add(status);
                    self[0].close();
                }));
        MadAgent closing = self[0];
        closing.send(MadSend.of(
                b.address(), Recorder.datagram(MadClass.PERF_MGT, MadMethod.SEND, closing.nextTransactionId())));
        closing.send(MadSend.request(
                b.address(), Recorder.datagram(MadClass.PERF_MGT, MadMethod.GET, closing.nextTransactionId()), 50, 0));
        wire.pass(MS);
        assertThat(results).containsExactly(WcStatus.SUCCESS, WcStatus.WR_FLUSH_ERR);
    }

    @Test
    void aFailingHandlerDoesNotStopTheOthers() {
        MadAgent bad = a.port.register(MadAgentSetup.DEFAULT.onSent((_, _) -> {
            throw new IllegalStateException("of the test");
        }));
        bad.send(
                MadSend.of(b.address(), Recorder.datagram(MadClass.PERF_MGT, MadMethod.SEND, bad.nextTransactionId())));
        agent.send(request(0, 0));
        wire.pass(MS);
        assertThat(client.sent).hasSize(1);
        assertThat(a.port.counters().get(MadCounter.HANDLER_FAILURES)).isEqualTo(1);
    }

    // Matching

    private void deliver(MemorySegment response, MadWire.Station from) {
        MadAgent sender = from.port.register(MadAgentSetup.DEFAULT.onSent((_, _) -> {}));
        sender.send(MadSend.of(a.address(), response));
        wire.pass(MS);
        sender.close();
    }

    @Test
    void aResponseMatchesTransactionClassAndPort() {
        MadWire.Station c = wire.station("10.0.0.3");
        MadSend send = request(1000, 0);
        agent.send(send);
        wire.run(() -> !server.received.isEmpty(), MS);
        MemorySegment right = Recorder.response(send.message());

        MemorySegment otherTransaction = Recorder.response(send.message());
        Mad.TRANSACTION_ID.put(otherTransaction, 0, send.transactionId() + 1);
        deliver(otherTransaction, b);
        MemorySegment otherAgent = Recorder.response(send.message());
        Mad.TRANSACTION_ID.put(otherAgent, 0, send.transactionId() + (1L << 32));
        deliver(otherAgent, b);
        MemorySegment otherClass = Recorder.response(send.message());
        Mad.MGMT_CLASS.put(otherClass, 0, MadClass.DEV_MGT.code());
        deliver(otherClass, b);
        deliver(right, c);
        assertThat(client.calls).isEmpty();
        assertThat(a.port.counters().get(MadCounter.UNMATCHED_RESPONSE)).isEqualTo(4);

        deliver(right, b);
        assertThat(client.calls).containsExactly("received", "sent");
        // A repeated response has no request any more.
        deliver(right, b);
        assertThat(client.calls).hasSize(2);
    }

    /** The network may deliver a response before the completion of its request is polled. */
    @Test
    void aResponseMayComeBeforeTheCompletionOfItsRequest() {
        MadSend send = request(1000, 0);
        agent.send(send);
        a.port.received(Recorder.response(send.message()), Mad.BYTES, b.address(), 0);
        wire.pass(MS);
        assertThat(client.calls).containsExactly("received", "sent");
        assertThat(client.sent.getFirst().status()).isEqualTo(WcStatus.SUCCESS);
        wire.pass(10_000 * MS);
        assertThat(client.calls).hasSize(2);
    }

    @Test
    void twoRequestsOfOneTransactionIdToTwoPortsAreTwoTransactions() {
        MadWire.Station c = wire.station("10.0.0.3");
        MadSend toB = request(1000, 0);
        MadSend toC = MadSend.request(c.address(), toB.message(), 1000, 0);
        agent.send(toB);
        agent.send(toC);
        wire.pass(MS);
        deliver(Recorder.response(toB.message()), c);
        assertThat(client.received).hasSize(1);
        assertThat(Objects.requireNonNull(client.received.getFirst().request())).isSameAs(toC);
    }

    // Arguments

    @Test
    void whatAnAgentCannotSendIsRefused() {
        MadAgent deaf = a.port.register(MadAgentSetup.DEFAULT.onSent((_, _) -> {}));
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> deaf.send(request(5, 0)))
                .satisfies(e -> assertThat(e.getMessage()).contains("receive handler"));
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> responderWithoutSends().send(request(0, 0)))
                .satisfies(e -> assertThat(e.getMessage()).contains("send handler"));
        assertThatExceptionOfType(RdmaException.class).isThrownBy(() -> request(-1, 0));
        assertThatExceptionOfType(RdmaException.class).isThrownBy(() -> request(1, -1));
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> MadSend.of(b.address(), MemorySegment.ofArray(new byte[23])));
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> MadSend.of(b.address(), MemorySegment.ofArray(new byte[257])))
                .satisfies(e -> assertThat(e.getMessage()).contains("257"));
        refused(MadSend.of(b.address(), Recorder.rmpp(0x12, 5, 500)), "without RMPP");
        MadAgent rmpp = a.port.register(client.setup().rmppVersion(1));
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> rmpp.send(request(0, 0)))
                .satisfies(e -> assertThat(e.getMessage()).contains("0x04"));
    }

    private MadAgent responderWithoutSends() {
        return b.port.register(MadAgentSetup.DEFAULT
                .onReceived((_, mad) -> mad.close())
                .registration(MadRegistration.of(MadClass.BIS, 1)));
    }
}
