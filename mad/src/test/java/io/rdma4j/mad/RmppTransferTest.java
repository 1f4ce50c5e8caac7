// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import static io.rdma4j.mad.MadWire.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.Rmpp;
import io.rdma4j.wire.mad.RmppType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RMPP between two agents: windows, losses, duplicates, reordering and double-sided transfers, in virtual time. */
class RmppTransferTest {
    private static final int GET_TABLE = MadMethod.GET_TABLE.code();
    private static final int GET_MULTI = MadMethod.GET_MULTI.code();
    private static final int RESPONSE = 0x92;

    private MadWire wire = new MadWire(1);
    private MadWire.Station a = wire.station("10.0.0.1");
    private MadWire.Station b = wire.station("10.0.0.2");
    private final Recorder client = new Recorder();
    private final Recorder server = new Recorder();
    private MadAgent requester = requester();
    private MadAgent responder = responder();

    private MadAgent requester() {
        return a.port.register(client.setup().rmppVersion(1));
    }

    private MadAgent responder() {
        return b.port.register(server.setup()
                .rmppVersion(1)
                .registration(MadRegistration.of(MadClass.SUBN_ADM, 1, GET_TABLE, GET_MULTI)));
    }

    private void network(long seed) {
        wire = new MadWire(seed);
        a = wire.station("10.0.0.1");
        b = wire.station("10.0.0.2");
        requester = requester();
        responder = responder();
    }

    /** A request in one datagram, whose response has many. */
    private MadSend table(int timeoutMs, int retries) {
        MemorySegment mad = Recorder.datagram(MadClass.SUBN_ADM, MadMethod.GET_TABLE, requester.nextTransactionId());
        return MadSend.request(b.address(), mad, timeoutMs, retries);
    }

    /** Answers the last request with a table of some bytes; returns the response. */
    private MadSend answer(int dataBytes, int retries) {
        ReceivedMad request = server.received.getLast().mad();
        MemorySegment message = Recorder.rmpp(RESPONSE, Mad.TRANSACTION_ID.get(request.datagram(), 0), dataBytes);
        MadSend response = MadSend.request(request.from(), message, 0, retries);
        responder.send(response);
        return response;
    }

    private MadSend transfer(int dataBytes, int retries, long limitNs) {
        requester.send(table(600_000, 0));
        assertThat(wire.run(() -> !server.received.isEmpty(), limitNs)).isTrue();
        MadSend response = answer(dataBytes, retries);
        assertThat(wire.run(() -> !client.sent.isEmpty() && !server.sent.isEmpty(), limitNs))
                .as("both ends know the end")
                .isTrue();
        return response;
    }

    private static int field(MadField field, MemorySegment datagram) {
        return field.getInt(datagram, Rmpp.OFFSET);
    }

    private static List<MemorySegment> ofType(MadWire.Station station, RmppType type) {
        return station.posted.stream()
                .filter(datagram -> Rmpp.isActive(datagram, Rmpp.OFFSET) && field(Rmpp.TYPE, datagram) == type.code())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 199, 200, 201, 400, 66 * 200, 1000 * 200, 1 << 20})
    void aMessageOfAnyLengthArrivesAsItWasSent(int dataBytes) {
        MadSend response = transfer(dataBytes, 3, 1000 * MS);
        int segments = Math.ceilDiv(dataBytes, 200);
        ReceivedMad mad = client.received.getFirst().mad();
        assertThat(mad.segmentCount()).isEqualTo(segments);
        assertThat(mad.lengthBytes()).isEqualTo(56 + dataBytes);
        assertThat(Recorder.data(mad.coalesce())
                        .mismatch(Recorder.data(response.message()).asSlice(0, dataBytes)))
                .isEqualTo(-1);
        assertThat(client.received.getFirst().request()).isNotNull();
        assertThat(client.sent.getFirst().status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(server.sent.getFirst()).isEqualTo(new Recorder.Sent(response, WcStatus.SUCCESS));
        assertThat(response.retriesDone()).isZero();
        assertThat(ofType(b, RmppType.DATA)).hasSize(segments);
        mad.close();
        assertThat(requester.usedReceiveBuffers()).isZero();
    }

    @Test
    void segmentsHaveFlagsNumbersAndLengths() {
        transfer(450, 0, MS);
        List<MemorySegment> data = ofType(b, RmppType.DATA);
        assertThat(data).extracting(one -> field(Rmpp.SEGMENT_NUMBER, one)).containsExactly(1, 2, 3);
        assertThat(data).extracting(one -> field(Rmpp.FLAGS, one)).containsExactly(3, 1, 5);
        // The SA header of each segment counts: 3 * 220 - 150, then the last one.
        assertThat(data).extracting(one -> field(Rmpp.PAYLOAD_LENGTH, one)).containsExactly(510, 0, 70);
        assertThat(data).allSatisfy(one -> {
            assertThat(Mad.METHOD.getInt(one, 0)).isEqualTo(RESPONSE);
            assertThat(Mad.TRANSACTION_ID.get(one, 0))
                    .isEqualTo(client.sent.getFirst().send().transactionId());
        });
    }

    /** The first window is one segment; each ACK of a window's last segment opens 64 more. */
    @Test
    void theReceiverOpensTheWindow() {
        transfer(200 * 200, 0, 10 * MS);
        List<MemorySegment> acks = ofType(a, RmppType.ACK);
        assertThat(acks).extracting(one -> field(Rmpp.SEGMENT_NUMBER, one)).containsExactly(1, 65, 129, 193, 200);
        assertThat(acks).extracting(one -> field(Rmpp.NEW_WINDOW_LAST, one)).containsExactly(65, 129, 193, 257, 257);
        assertThat(acks).allSatisfy(one -> {
            assertThat(Mad.METHOD.getInt(one, 0)).isEqualTo(GET_TABLE);
            assertThat(field(Rmpp.FLAGS, one)).isEqualTo(Rmpp.ACTIVE);
            assertThat(field(Rmpp.STATUS, one)).isZero();
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 64, 65, 66, 67})
    void anySegmentMayBeLost(int number) {
        wire.lossRule =
                once(one -> field(Rmpp.TYPE, one) == RmppType.DATA.code() && field(Rmpp.SEGMENT_NUMBER, one) == number);
        MadSend response = transfer(67 * 200, 1, 10_000 * MS);
        assertThat(server.sent.getFirst().status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(response.retriesDone()).isEqualTo(1);
        assertThat(client.received.getFirst().mad().segmentCount()).isEqualTo(67);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 65, 67})
    void anyAckMayBeLost(int number) {
        wire.lossRule =
                once(one -> field(Rmpp.TYPE, one) == RmppType.ACK.code() && field(Rmpp.SEGMENT_NUMBER, one) == number);
        transfer(67 * 200, 1, 10_000 * MS);
        assertThat(server.sent.getFirst().status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(client.received).hasSize(1);
        assertThat(a.port.counters().get(MadCounter.RMPP_DUPLICATES)).isPositive();
    }

    private static Predicate<MemorySegment> once(Predicate<MemorySegment> rule) {
        boolean[] done = {false};
        return datagram -> {
            if (done[0] || !Rmpp.isActive(datagram, Rmpp.OFFSET) || !rule.test(datagram)) {
                return false;
            }
            done[0] = true;
            return true;
        };
    }

    /** Loss, duplication and reordering at the same time, for several seeds. */
    @Test
    void aBadNetworkDelaysAMessageOnly() {
        for (long seed = 1; seed <= 20; seed++) {
            network(seed);
            client.received.clear();
            client.sent.clear();
            server.received.clear();
            server.sent.clear();
            wire.loss = 0.02;
            wire.duplication = 0.05;
            wire.reordering = 0.2;
            requester.send(table(2_000, 30));
            assertThat(wire.run(() -> !server.received.isEmpty(), 60_000 * MS))
                    .as("seed %d", seed)
                    .isTrue();
            MadSend response = answer(700 * 200 + 33, 50);
            assertThat(wire.run(() -> !client.received.isEmpty() && !server.sent.isEmpty(), 300_000 * MS))
                    .as("seed %d", seed)
                    .isTrue();
            assertThat(server.sent.getFirst().status()).as("seed %d", seed).isEqualTo(WcStatus.SUCCESS);
            ReceivedMad mad = client.received.getFirst().mad();
            assertThat(Recorder.data(mad.coalesce()).mismatch(Recorder.data(response.message())))
                    .as("seed %d", seed)
                    .isEqualTo(-1);
        }
    }

    /** 2 s for an ACK, unless the timeout of the message is shorter. */
    @Test
    void withoutAcksTheSenderGivesUp() {
        requester.send(table(600_000, 0));
        wire.run(() -> !server.received.isEmpty(), MS);
        wire.lossRule = _ -> true;
        MadSend response = answer(1000, 2);
        long startNs = wire.nowNs;
        assertThat(wire.run(() -> !server.sent.isEmpty(), 60_000 * MS)).isTrue();
        assertThat(server.sent).containsExactly(new Recorder.Sent(response, WcStatus.RESP_TIMEOUT_ERR));
        assertThat(wire.nowNs - startNs).isEqualTo(3 * (2000 * MS + 1_000));
        assertThat(ofType(b, RmppType.DATA)).hasSize(3);
    }

    @Test
    void aShorterTimeoutIsAlsoThatOfAcks() {
        wire.lossRule = _ -> true;
        MadSend send =
                MadSend.request(b.address(), Recorder.rmpp(GET_MULTI, requester.nextTransactionId(), 1000), 300, 1);
        requester.send(send);
        wire.run(() -> !client.sent.isEmpty(), 60_000 * MS);
        assertThat(wire.nowNs).isEqualTo(2 * (300 * MS + 1_000));
        assertThat(client.sent.getFirst().status()).isEqualTo(WcStatus.RESP_TIMEOUT_ERR);
    }

    /** A request and its response of several segments: the ACK of segment 0 turns the direction. */
    @Test
    void bothDirectionsMayHaveManySegments() {
        MadSend send = MadSend.request(
                b.address(), Recorder.rmpp(GET_MULTI, requester.nextTransactionId(), 5 * 200), 5_000, 0);
        requester.send(send);
        assertThat(wire.run(() -> !server.received.isEmpty(), 10 * MS)).isTrue();
        wire.pass(MS);
        ReceivedMad request = server.received.getFirst().mad();
        assertThat(request.segmentCount()).isEqualTo(5);
        assertThat(Recorder.data(request.coalesce()).mismatch(Recorder.data(send.message())))
                .isEqualTo(-1);
        List<MemorySegment> turns = ofType(a, RmppType.ACK);
        assertThat(turns).hasSize(1);
        assertThat(field(Rmpp.SEGMENT_NUMBER, turns.getFirst())).isZero();
        assertThat(field(Rmpp.NEW_WINDOW_LAST, turns.getFirst())).isEqualTo(1);
        assertThat(Mad.METHOD.getInt(turns.getFirst(), 0)).isEqualTo(GET_MULTI);

        MadSend response = MadSend.of(
                request.from(), Recorder.rmpp(GET_MULTI | MadMethod.RESPONSE, send.transactionId(), 100 * 200));
        responder.send(response);
        assertThat(wire.run(() -> !client.sent.isEmpty() && !server.sent.isEmpty(), 100 * MS))
                .isTrue();
        assertThat(client.sent.getFirst()).isEqualTo(new Recorder.Sent(send, WcStatus.SUCCESS));
        assertThat(client.received.getFirst().mad().segmentCount()).isEqualTo(100);
    }

    /** The timeout of a double-sided request counts for its response once the request is acknowledged; no retries then. */
    @Test
    void anAcknowledgedRequestWaitsForItsResponseOnce() {
        MadSend send = MadSend.request(
                b.address(), Recorder.rmpp(GET_MULTI, requester.nextTransactionId(), 5 * 200), 5_000, 7);
        requester.send(send);
        wire.run(() -> !client.sent.isEmpty(), 100_000 * MS);
        assertThat(client.sent).containsExactly(new Recorder.Sent(send, WcStatus.RESP_TIMEOUT_ERR));
        assertThat(wire.nowNs).isBetween(5_000 * MS, 5_001 * MS);
        assertThat(ofType(a, RmppType.DATA)).hasSize(5);
    }

    @Test
    void cancellingARequestEndsItsTransfer() {
        MadSend send = MadSend.request(
                b.address(), Recorder.rmpp(GET_MULTI, requester.nextTransactionId(), 1 << 19), 5_000, 7);
        requester.send(send);
        wire.run(() -> ofType(a, RmppType.DATA).size() > 100, 100 * MS);
        requester.cancel(send);
        int posted = a.posted.size();
        wire.pass(30_000 * MS);
        assertThat(client.sent).containsExactly(new Recorder.Sent(send, WcStatus.WR_FLUSH_ERR));
        assertThat(ofType(a, RmppType.DATA)).hasSizeLessThanOrEqualTo(posted);
        // The receiver keeps the part until its time is over.
        assertThat(responder.usedReceiveBuffers()).isPositive();
        wire.pass(11_000 * MS);
        assertThat(responder.usedReceiveBuffers()).isZero();
        assertThat(b.port.counters().get(MadCounter.RMPP_TIMEOUTS)).isEqualTo(1);
    }

    @Test
    void manyTransfersAtOnceDoNotMix() {
        List<MadSend> sends = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            sends.add(MadSend.request(
                    b.address(), Recorder.rmpp(GET_MULTI, requester.nextTransactionId(), 3000 + 200 * i), 60_000, 0));
            requester.send(sends.get(i));
        }
        assertThat(wire.run(() -> server.received.size() == 10, 100 * MS)).isTrue();
        assertThat(server.received).allSatisfy(received -> {
            MemorySegment message = received.mad().coalesce();
            MadSend send = sends.stream()
                    .filter(one -> one.transactionId() == Mad.TRANSACTION_ID.get(message, 0))
                    .findFirst()
                    .orElseThrow();
            assertThat(Recorder.data(message).mismatch(Recorder.data(send.message())))
                    .isEqualTo(-1);
        });
    }
}
