// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import static io.rdma4j.mad.MadWire.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.Rmpp;
import io.rdma4j.wire.mad.RmppType;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RMPP with a peer that breaks the rules: answers, and bounded memory. */
class RmppFaultTest {
    private static final int GET_MULTI = MadMethod.GET_MULTI.code();

    private final MadWire wire = new MadWire(1);
    private final MadWire.Station a = wire.station("10.0.0.1");
    private final MadAddress peer =
            new MadAddress(AddressVector.roce(1, Gid.parse("10.0.0.9"), 0), 1, MadAddress.GSI_QKEY, 0);
    private final Recorder recorder = new Recorder();
    private final MadAgent agent = a.port.register(
            recorder.setup().rmppVersion(1).registration(MadRegistration.of(MadClass.SUBN_ADM, GET_MULTI)));

    private static MemorySegment rmpp(int method, long transactionId, int type, int flags, int status) {
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        Mad.write(mad, 0, MadClass.SUBN_ADM, method, 0x35, transactionId);
        Rmpp.VERSION.put(mad, Rmpp.OFFSET, 1);
        Rmpp.TYPE.put(mad, Rmpp.OFFSET, type);
        Rmpp.FLAGS.put(mad, Rmpp.OFFSET, flags);
        Rmpp.STATUS.put(mad, Rmpp.OFFSET, status);
        return mad;
    }

    private static MemorySegment data(long transactionId, int number, int flags) {
        MemorySegment mad = rmpp(GET_MULTI, transactionId, RmppType.DATA.code(), Rmpp.ACTIVE | flags, 0);
        Rmpp.SEGMENT_NUMBER.put(mad, Rmpp.OFFSET, number);
        Rmpp.PAYLOAD_LENGTH.put(mad, Rmpp.OFFSET, 220);
        return mad;
    }

    private MemorySegment ack(MadSend send, long segment, long newWindowLast) {
        MemorySegment mad = rmpp(GET_MULTI | 0x80, send.transactionId(), RmppType.ACK.code(), Rmpp.ACTIVE, 0);
        Rmpp.SEGMENT_NUMBER.put(mad, Rmpp.OFFSET, segment);
        Rmpp.NEW_WINDOW_LAST.put(mad, Rmpp.OFFSET, newWindowLast);
        return mad;
    }

    private void receive(MemorySegment mad) {
        a.port.received(mad, Mad.BYTES, peer, wire.nowNs);
        wire.pass(10_000);
    }

    private void assertAnswered(RmppType type, int status) {
        assertThat(Rmpp.TYPE.getInt(a.last(), Rmpp.OFFSET)).isEqualTo(type.code());
        assertThat(Rmpp.STATUS.getInt(a.last(), Rmpp.OFFSET)).isEqualTo(status);
        assertThat(Rmpp.FLAGS.getInt(a.last(), Rmpp.OFFSET)).isEqualTo(Rmpp.ACTIVE);
        assertThat(Rmpp.VERSION.getInt(a.last(), Rmpp.OFFSET)).isEqualTo(1);
        assertThat(a.destinations.getLast()).isEqualTo(peer);
    }

    private MadSend request(int dataBytes) {
        MadSend send = MadSend.request(peer, Recorder.rmpp(GET_MULTI, agent.nextTransactionId(), dataBytes), 60_000, 0);
        agent.send(send);
        wire.pass(10_000);
        return send;
    }

    // The receiver of a message

    @ParameterizedTest
    @CsvSource({
        "1, 0, 0, 120", // segment 1 without First
        "2, 2, 0, 120", // First on another segment
        "1, 2, 77, 124", // a status in DATA
        "1, 2, 1, 124"
    })
    void aBadSegmentIsAborted(int number, int flags, int status, int answer) {
        MemorySegment mad = data(5, number, flags);
        Rmpp.STATUS.put(mad, Rmpp.OFFSET, status);
        receive(mad);
        assertAnswered(RmppType.ABORT, answer);
        assertThat(Mad.METHOD.getInt(a.last(), 0)).isEqualTo(GET_MULTI | 0x80);
        assertThat(agent.usedReceiveBuffers()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"0, 121", "5, 121", "255, 121"})
    void anUnknownTypeIsAborted(int type, int answer) {
        receive(rmpp(GET_MULTI, 5, type, Rmpp.ACTIVE | Rmpp.FIRST, 0));
        assertAnswered(RmppType.ABORT, answer);
    }

    @Test
    void anUnknownVersionIsAborted() {
        MemorySegment mad = data(5, 1, Rmpp.FIRST);
        Rmpp.VERSION.put(mad, Rmpp.OFFSET, 2);
        receive(mad);
        assertAnswered(RmppType.ABORT, 125);
    }

    /** Without the flag Active the rest of the header has no meaning. */
    @Test
    void anInactiveHeaderIsThatOfASingleDatagram() {
        MemorySegment mad = data(5, 9, 0);
        Rmpp.FLAGS.put(mad, Rmpp.OFFSET, 0);
        receive(mad);
        assertThat(recorder.received).hasSize(1);
        assertThat(a.posted).isEmpty();
    }

    @Test
    void segmentsOutsideOfTheWindowAreDropped() {
        receive(data(5, 3, 0));
        assertThat(a.posted).isEmpty();
        receive(data(5, 1, Rmpp.FIRST));
        assertThat(Rmpp.NEW_WINDOW_LAST.getInt(a.last(), Rmpp.OFFSET)).isEqualTo(65);
        receive(data(5, 66, 0));
        receive(data(5, 3, 0));
        receive(data(5, 3, 0));
        assertThat(a.posted).hasSize(1);
        assertThat(agent.usedReceiveBuffers()).isEqualTo(2);
        assertThat(a.port.counters().get(MadCounter.RMPP_OUT_OF_WINDOW)).isEqualTo(2);
        assertThat(a.port.counters().get(MadCounter.RMPP_DUPLICATES)).isEqualTo(1);
        // An acknowledged one is acknowledged again.
        receive(data(5, 1, Rmpp.FIRST));
        assertThat(a.posted).hasSize(2);
    }

    @Test
    void aLateSegmentOfACompleteMessageIsAcknowledgedForTenSeconds() {
        receive(data(5, 1, Rmpp.FIRST | Rmpp.LAST));
        assertThat(recorder.received).hasSize(1);
        receive(data(5, 1, Rmpp.FIRST | Rmpp.LAST));
        assertThat(recorder.received).hasSize(1);
        assertThat(a.posted).hasSize(2);
        wire.pass(10_001 * MS);
        receive(data(5, 1, Rmpp.FIRST | Rmpp.LAST));
        assertThat(recorder.received).hasSize(2);
    }

    @Test
    void anIncompleteMessageIsAbortedAfterFortySeconds() {
        receive(data(5, 1, Rmpp.FIRST));
        receive(data(5, 2, 0));
        wire.pass(39_999 * MS);
        assertThat(agent.usedReceiveBuffers()).isEqualTo(2);
        wire.pass(2 * MS);
        assertAnswered(RmppType.ABORT, 118);
        assertThat(agent.usedReceiveBuffers()).isZero();
        assertThat(a.port.counters().get(MadCounter.RMPP_TIMEOUTS)).isEqualTo(1);
    }

    @Test
    void theSenderMayAbortItsMessage() {
        receive(data(5, 1, Rmpp.FIRST));
        receive(rmpp(GET_MULTI, 5, RmppType.ABORT.code(), Rmpp.ACTIVE, 127));
        assertThat(agent.usedReceiveBuffers()).isZero();
        assertThat(a.posted).hasSize(1);
    }

    /** A payload length that is impossible for the last segment means no padding. */
    @ParameterizedTest
    @CsvSource({"220, 256", "20, 56", "21, 57", "0, 256", "19, 256", "221, 256", "4294967295, 256"})
    void anImpossibleLengthMeansNoPadding(long payload, int lengthBytes) {
        MemorySegment mad = data(5, 1, Rmpp.FIRST | Rmpp.LAST);
        Rmpp.PAYLOAD_LENGTH.put(mad, Rmpp.OFFSET, payload);
        receive(mad);
        ReceivedMad message = recorder.received.getFirst().mad();
        assertThat(message.lengthBytes()).isEqualTo(lengthBytes);
        assertThat(message.coalesce().byteSize()).isEqualTo(lengthBytes);
    }

    // The sender of a message

    @ParameterizedTest
    @CsvSource({
        "1, 0, 122", // the window ends before the acknowledged segment
        "2, 9, 123", // not sent yet
        "100, 200, 123", // no such segment
        "4294967295, 4294967295, 123"
    })
    void anImpossibleAckAbortsTheSend(long segment, long newWindowLast, int answer) {
        MadSend send = request(1000);
        receive(ack(send, segment, newWindowLast));
        assertAnswered(RmppType.ABORT, answer);
        assertThat(recorder.sent).containsExactly(new Recorder.Sent(send, WcStatus.REM_ABORT_ERR));
        assertThat(send.vendorError()).isEqualTo(answer);
    }

    @Test
    void anOldAckIsIgnored() {
        MadSend send = request(100 * 200);
        receive(ack(send, 1, 65));
        int posted = a.posted.size();
        receive(ack(send, 1, 10));
        receive(ack(send, 0, 70));
        assertThat(a.posted).hasSize(posted);
        assertThat(recorder.sent).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "STOP, 1, 1, false",
        "ABORT, 118, 118, false",
        "ABORT, 127, 127, false",
        "STOP, 5, 124, true",
        "ABORT, 117, 124, true",
        "ABORT, 128, 124, true",
        "ABORT, 0, 124, true"
    })
    void aStopOrAbortEndsTheSend(RmppType type, int status, int reported, boolean answered) {
        MadSend send = request(1000);
        int posted = a.posted.size();
        receive(rmpp(GET_MULTI | 0x80, send.transactionId(), type.code(), Rmpp.ACTIVE, status));
        assertThat(recorder.sent).containsExactly(new Recorder.Sent(send, WcStatus.REM_ABORT_ERR));
        assertThat(send.vendorError()).isEqualTo(reported);
        assertThat(a.posted).hasSize(answered ? posted + 1 : posted);
        if (answered) {
            assertAnswered(RmppType.ABORT, 124);
        }
    }

    @Test
    void anAckWithAStatusEndsTheSend() {
        MadSend send = request(1000);
        MemorySegment ack = ack(send, 1, 65);
        Rmpp.STATUS.put(ack, Rmpp.OFFSET, 3);
        receive(ack);
        assertAnswered(RmppType.ABORT, 124);
        assertThat(recorder.sent.getFirst().status()).isEqualTo(WcStatus.REM_ABORT_ERR);
    }

    @Test
    void acksStopsAndAbortsWithoutASendAreDropped() {
        long id = agent.nextTransactionId();
        receive(rmpp(GET_MULTI | 0x80, id, RmppType.ACK.code(), Rmpp.ACTIVE, 0));
        receive(rmpp(GET_MULTI | 0x80, id, RmppType.STOP.code(), Rmpp.ACTIVE, 1));
        receive(rmpp(GET_MULTI | 0x80, id, RmppType.ABORT.code(), Rmpp.ACTIVE, 120));
        assertThat(a.posted).isEmpty();
        assertThat(a.port.counters().get(MadCounter.RMPP_UNMATCHED)).isEqualTo(3);
    }

    // Floods

    @Test
    void aResponseWithoutRequestIsNotReassembled() {
        MemorySegment mad = data(agent.nextTransactionId(), 1, Rmpp.FIRST);
        Mad.METHOD.put(mad, 0, 0x92);
        receive(mad);
        assertThat(agent.usedReceiveBuffers()).isZero();
        assertThat(a.posted).isEmpty();
        assertThat(a.port.counters().get(MadCounter.UNMATCHED_RESPONSE)).isEqualTo(1);
    }

    @Test
    void aPeerHasALimitedNumberOfTransfers() {
        for (int i = 0; i < 100; i++) {
            receive(data(i, 1, Rmpp.FIRST));
        }
        assertThat(agent.usedReceiveBuffers()).isEqualTo(AgentRmpp.MAX_ACTIVE_OF_A_PORT);
        assertAnswered(RmppType.STOP, 1);
        wire.pass(41_000 * MS);
        assertThat(agent.usedReceiveBuffers()).isZero();
    }

    @Test
    void allPeersTogetherHaveALimitedNumberOfTransfers() {
        for (int i = 0; i < 1000; i++) {
            MadAddress from =
                    new MadAddress(AddressVector.roce(1, new Gid(0xFD00L << 48, i), 0), 1, MadAddress.GSI_QKEY, 0);
            a.port.received(data(7, 1, Rmpp.FIRST), Mad.BYTES, from, wire.nowNs);
        }
        wire.pass(MS);
        assertThat(agent.usedReceiveBuffers()).isEqualTo(AgentRmpp.MAX_ACTIVE);
        assertThat(a.port.counters().get(MadCounter.RMPP_STOPS)).isEqualTo(1000 - AgentRmpp.MAX_ACTIVE);
    }

    @Test
    void aMessageThatIsTooLongIsStopped() {
        receive(data(5, 1, Rmpp.FIRST));
        for (int number = 2; number <= AgentRmpp.MAX_SEGMENTS + 1; number++) {
            a.port.received(data(5, number, 0), Mad.BYTES, peer, wire.nowNs);
            if (number % 64 == 0) {
                wire.pass(10_000);
            }
        }
        wire.pass(10_000);
        assertAnswered(RmppType.STOP, 1);
        assertThat(agent.usedReceiveBuffers()).isZero();
    }

    @Test
    void withoutReceiveBuffersAMessageIsStopped() {
        MadAgent small = a.port.register(recorder.setup()
                .rmppVersion(1)
                .receiveBuffers(10)
                .registration(new MadRegistration(MadClass.SUBN_ADM.code(), 1, 0, Set.of(GET_MULTI))));
        for (int number = 1; number <= 11; number++) {
            MemorySegment mad = data(5, number, number == 1 ? Rmpp.FIRST : 0);
            Mad.CLASS_VERSION.put(mad, 0, 1);
            receive(mad);
        }
        assertAnswered(RmppType.STOP, 1);
        assertThat(small.usedReceiveBuffers()).isZero();
        small.close();
    }

    /** Random headers: no exception, and all memory comes back. */
    @Test
    void noHeaderDoesHarm() {
        SplittableRandom random = new SplittableRandom(4711);
        MadSend send = request(100 * 200);
        for (int i = 0; i < 200_000; i++) {
            MemorySegment mad = data(random.nextInt(4), random.nextInt(70), random.nextInt(8));
            if (random.nextBoolean()) {
                Mad.TRANSACTION_ID.put(mad, 0, send.transactionId());
            }
            Mad.METHOD.put(mad, 0, random.nextBoolean() ? GET_MULTI : GET_MULTI | 0x80);
            Rmpp.TYPE.put(mad, Rmpp.OFFSET, random.nextInt(6));
            Rmpp.VERSION.put(mad, Rmpp.OFFSET, random.nextInt(20) == 0 ? 2 : 1);
            Rmpp.STATUS.put(mad, Rmpp.OFFSET, random.nextInt(3) == 0 ? random.nextInt(256) : 0);
            Rmpp.FLAGS.put(mad, Rmpp.OFFSET, random.nextInt(8) | Rmpp.ACTIVE);
            Rmpp.PAYLOAD_LENGTH.put(mad, Rmpp.OFFSET, random.nextInt());
            a.port.received(mad, Mad.BYTES, peer, wire.nowNs);
            if (i % 100 == 0) {
                wire.pass(MS);
                a.posted.clear();
                a.destinations.clear();
                recorder.received.forEach(one -> one.mad().close());
                recorder.received.clear();
            }
        }
        wire.pass(100_000 * MS);
        recorder.received.forEach(one -> one.mad().close());
        assertThat(agent.usedReceiveBuffers()).isZero();
        assertThat(a.port.advance(wire.nowNs)).isEqualTo(Long.MAX_VALUE);
        assertThat(List.of(send))
                .isEqualTo(recorder.sent.stream().map(Recorder.Sent::send).toList());
    }
}
