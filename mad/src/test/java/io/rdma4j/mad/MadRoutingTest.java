// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import static io.rdma4j.mad.MadWire.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.mad.ClassPortInfo;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What queue pair 1 takes, which agent gets it, and redirection of a class. */
class MadRoutingTest {
    private final MadWire wire = new MadWire(1);
    private final MadWire.Station a = wire.station("10.0.0.1");
    private final MadWire.Station b = wire.station("10.0.0.2");

    private static MemorySegment datagram(int mgmtClass, int version, int method, int attributeId) {
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        Mad.write(mad, 0, MadClass.PERF_MGT, method, attributeId, 0x5_0000_0001L);
        Mad.MGMT_CLASS.put(mad, 0, mgmtClass);
        Mad.CLASS_VERSION.put(mad, 0, version);
        return mad;
    }

    private void receive(MemorySegment mad) {
        a.port.received(mad, Mad.BYTES, b.address(), wire.nowNs);
        wire.pass(MS);
    }

    private static Recorder register(MadPort port, MadRegistration registration) {
        Recorder recorder = new Recorder();
        port.register(recorder.setup().registration(registration));
        return recorder;
    }

    @ParameterizedTest
    @CsvSource({
        "0x01, 1, 0x01, 0x0011, WRONG_QUEUE_PAIR",
        "0x81, 1, 0x01, 0x0011, WRONG_QUEUE_PAIR",
        "0x07, 2, 0x01, 0x0010, BAD_CM_METHOD",
        "0x07, 2, 0x81, 0x0010, BAD_CM_METHOD",
        "0x07, 2, 0x03, 0x0010, NO_AGENT", // a REQ where no CM runs
        "0x07, 2, 0x01, 0x0001, UNSUPPORTED", // ClassPortInfo of the CM
        "0x04, 1, 0x01, 0x0012, UNSUPPORTED",
        "0x04, 1, 0x02, 0x0012, UNSUPPORTED",
        "0x04, 1, 0x03, 0x0012, NO_AGENT",
        "0x03, 2, 0x12, 0x0035, NO_AGENT",
        "0x04, 1, 0x05, 0x0002, NO_AGENT",
        "0x04, 1, 0x07, 0x0002, UNMATCHED_RESPONSE", // TrapRepress
        "0x04, 1, 0x81, 0x0012, UNMATCHED_RESPONSE"
    })
    void whatNoAgentTakesIsAnsweredOrDropped(
            String mgmtClass, int version, String method, String attribute, MadCounter counter) {
        MemorySegment mad =
                datagram(Integer.decode(mgmtClass), version, Integer.decode(method), Integer.decode(attribute));
        receive(mad);
        assertThat(a.port.counters().get(counter)).isEqualTo(1);
        if (counter == MadCounter.UNSUPPORTED) {
            MemorySegment expected = MemorySegment.ofArray(mad.toArray(ValueLayout.JAVA_BYTE));
            Mad.METHOD.put(expected, 0, 0x81);
            Mad.STATUS.put(expected, 0, 0x000C);
            assertThat(a.last().mismatch(expected)).isEqualTo(-1);
            assertThat(a.destinations.getLast()).isEqualTo(b.address());
        } else {
            assertThat(a.posted).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "255, 1, BAD_LENGTH",
        "257, 1, BAD_LENGTH",
        "0, 1, BAD_LENGTH",
        "256, 0, BAD_VERSION",
        "256, 2, BAD_VERSION"
    })
    void lengthAndBaseVersionAreChecked(int length, int baseVersion, MadCounter counter) {
        MemorySegment mad = MemorySegment.ofArray(new byte[300]);
        mad.copyFrom(datagram(4, 1, 1, 1));
        Mad.BASE_VERSION.put(mad, 0, baseVersion);
        a.port.received(mad, length, b.address(), 0);
        assertThat(a.port.counters().get(counter)).isEqualTo(1);
        assertThat(a.posted).isEmpty();
    }

    @Test
    void classVersionAndMethodSelectTheAgent() {
        Recorder gets = register(a.port, new MadRegistration(4, 1, 0, Set.of(1)));
        Recorder others = register(a.port, new MadRegistration(4, 1, 0, Set.of(2, 3, 127)));
        Recorder version2 = register(a.port, new MadRegistration(4, 2, 0, Set.of(1)));
        receive(datagram(4, 1, 1, 1));
        receive(datagram(4, 1, 2, 1));
        receive(datagram(4, 1, 127, 1));
        receive(datagram(4, 2, 1, 1));
        receive(datagram(4, 3, 3, 1));
        receive(datagram(5, 1, 3, 1));
        assertThat(gets.received).hasSize(1);
        assertThat(others.received).hasSize(2);
        assertThat(version2.received).hasSize(1);
        assertThat(a.port.counters().get(MadCounter.NO_AGENT)).isEqualTo(2);
    }

    @Test
    void theOuiSelectsTheAgentOfTheSecondVendorRange() {
        Recorder first = register(a.port, MadRegistration.vendor(0x30, 0x001405, 3));
        Recorder second = register(a.port, MadRegistration.vendor(0x30, 0x0002C9, 3));
        MemorySegment mad = datagram(0x30, 1, 3, 1);
        mad.set(ValueLayout.JAVA_BYTE, 38, (byte) 0x02);
        mad.set(ValueLayout.JAVA_BYTE, 39, (byte) 0xC9);
        receive(mad);
        mad.set(ValueLayout.JAVA_BYTE, 37, (byte) 1);
        receive(mad);
        assertThat(first.received).isEmpty();
        assertThat(second.received).hasSize(1);
        assertThat(a.port.counters().get(MadCounter.NO_AGENT)).isEqualTo(1);
    }

    @Test
    void aFloodOfRequestsCausesALimitedNumberOfAnswers() {
        for (int i = 0; i < 1000; i++) {
            a.port.received(datagram(4, 1, 1, 1), Mad.BYTES, b.address(), 0);
        }
        assertThat(a.posted).hasSize(DatagramPosts.MAX_REPLIES);
        assertThat(a.port.counters().get(MadCounter.REPLIES_DROPPED)).isEqualTo(1000 - DatagramPosts.MAX_REPLIES);
        wire.pass(MS);
        receive(datagram(4, 1, 1, 1));
        assertThat(a.posted).hasSize(DatagramPosts.MAX_REPLIES + 1);
    }

    @Test
    void aSlowObserverLosesCopiesAndNoMemory() {
        List<MadSnoopEvent> seen = new ArrayList<>();
        a.port.snoop(EnumSet.of(MadSnoopEvent.RECEIVED), (event, _, _) -> seen.add(event));
        for (int i = 0; i < 5000; i++) {
            a.port.received(datagram(4, 1, 3, 1), Mad.BYTES, b.address(), 0);
        }
        wire.pass(MS);
        assertThat(seen).hasSize(4096);
        assertThat(a.port.counters().get(MadCounter.SNOOPS_DROPPED)).isEqualTo(5000 - 4096);
        receive(datagram(4, 1, 3, 1));
        assertThat(seen).hasSize(4097);
    }

    // Redirection

    private static MemorySegment place(MadWire.Station station) {
        MemorySegment info = MemorySegment.ofArray(new byte[ClassPortInfo.LAYOUT.bytes()]);
        ClassPortInfo.REDIRECT_GID.put(info, 0, station.gid);
        ClassPortInfo.REDIRECT_QP.put(info, 0, station.qpn);
        ClassPortInfo.REDIRECT_QKEY.put(info, 0, MadAddress.GSI_QKEY);
        ClassPortInfo.REDIRECT_PKEY.put(info, 0, 0xFFFF);
        return info;
    }

    private void answerAll(MadAgent server, Recorder recorder) {
        recorder.received.forEach(one -> server.send(
                MadSend.of(one.mad().from(), Recorder.response(one.mad().datagram()))));
        recorder.received.clear();
    }

    @Test
    void aRequestFollowsARedirectAndLaterOnesGoThereAtOnce() {
        MadWire.Station elsewhere = wire.station("10.0.0.3", 0x77);
        Recorder served = new Recorder();
        MadAgent server =
                elsewhere.port.register(served.setup().registration(MadRegistration.of(MadClass.PERF_MGT, 1)));
        b.port.redirect(MadClass.PERF_MGT.code(), place(elsewhere));
        Recorder client = new Recorder();
        MadAgent agent = a.port.register(client.setup());
        for (int i = 0; i < 2; i++) {
            MadSend send = MadSend.request(
                    b.address(),
                    Recorder.datagram(MadClass.PERF_MGT, MadMethod.GET, agent.nextTransactionId()),
                    100,
                    0);
            agent.send(send);
            wire.run(() -> !served.received.isEmpty(), 10 * MS);
            answerAll(server, served);
            wire.pass(MS);
            assertThat(client.sent.get(i)).isEqualTo(new Recorder.Sent(send, WcStatus.SUCCESS));
        }
        assertThat(client.received).hasSize(2);
        assertThat(a.destinations).extracting(MadAddress::qpn).containsExactly(1, 0x77, 0x77);
        assertThat(b.port.counters().get(MadCounter.REDIRECTS_SENT)).isEqualTo(1);
        assertThat(a.port.counters().get(MadCounter.REDIRECTS_FOLLOWED)).isEqualTo(1);
        assertThat(Mad.STATUS.getInt(b.last(), 0)).isEqualTo(MadStatus.REDIRECT);

        b.port.endRedirect(MadClass.PERF_MGT.code());
        a.port.forgetRedirects();
        agent.send(MadSend.request(
                b.address(), Recorder.datagram(MadClass.PERF_MGT, MadMethod.GET, agent.nextTransactionId()), 100, 0));
        wire.pass(MS);
        assertThat(a.destinations.getLast().qpn()).isEqualTo(1);
        assertThat(b.port.counters().get(MadCounter.UNSUPPORTED)).isEqualTo(1);
    }

    @Test
    void aPlaceThatDoesNotAnswerIsForgotten() {
        MadWire.Station gone = wire.station("10.0.0.3", 0x77);
        b.port.redirect(MadClass.PERF_MGT.code(), place(gone));
        Recorder client = new Recorder();
        MadAgent agent = a.port.register(client.setup());
        wire.lossRule = mad ->
                Mad.METHOD.getInt(mad, 0) == 1 && a.destinations.getLast().qpn() == 0x77;
        for (int i = 0; i < 2; i++) {
            agent.send(MadSend.request(
                    b.address(),
                    Recorder.datagram(MadClass.PERF_MGT, MadMethod.GET, agent.nextTransactionId()),
                    10,
                    0));
            wire.pass(100 * MS);
        }
        assertThat(client.sent).extracting(Recorder.Sent::status).containsOnly(WcStatus.RESP_TIMEOUT_ERR);
        assertThat(a.destinations).extracting(MadAddress::qpn).containsExactly(1, 0x77, 1, 0x77);
    }

    /** Two ports that redirect to each other do not keep a request for ever. */
    @Test
    void aCircleOfRedirectsEnds() {
        MadWire.Station c = wire.station("10.0.0.3");
        b.port.redirect(MadClass.PERF_MGT.code(), place(c));
        c.port.redirect(MadClass.PERF_MGT.code(), place(b));
        Recorder client = new Recorder();
        MadAgent agent = a.port.register(client.setup());
        agent.send(MadSend.request(
                b.address(), Recorder.datagram(MadClass.PERF_MGT, MadMethod.GET, agent.nextTransactionId()), 100, 0));
        wire.pass(MS);
        assertThat(client.calls).containsExactly("received", "sent");
        assertThat(Mad.STATUS.getInt(client.received.getFirst().mad().datagram(), 0))
                .isEqualTo(MadStatus.REDIRECT);
        assertThat(a.posted).hasSize(5);
    }

    @Test
    void aRedirectToNowhereIsAnOrdinaryResponse() {
        b.port.redirect(MadClass.PERF_MGT.code(), MemorySegment.ofArray(new byte[ClassPortInfo.LAYOUT.bytes()]));
        Recorder client = new Recorder();
        MadAgent agent = a.port.register(client.setup());
        agent.send(MadSend.request(
                b.address(), Recorder.datagram(MadClass.PERF_MGT, MadMethod.SET, agent.nextTransactionId()), 100, 0));
        wire.pass(MS);
        MemorySegment response = client.received.getFirst().mad().datagram();
        assertThat(Mad.METHOD.getInt(response, 0)).isEqualTo(0x81);
        assertThat(ClassPortInfo.REDIRECT_GID.gid(response, MadClass.PERF_MGT.dataOffset()))
                .isEqualTo(Gid.ZERO);
    }
}
