// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad.gsi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.mad.MadAddress;
import io.rdma4j.mad.MadAgent;
import io.rdma4j.mad.MadAgentSetup;
import io.rdma4j.mad.MadCounter;
import io.rdma4j.mad.MadRegistration;
import io.rdma4j.mad.MadSend;
import io.rdma4j.mad.MadSnoop;
import io.rdma4j.mad.MadSnoopEvent;
import io.rdma4j.mad.ReceivedMad;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.wr.WcStatus;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Agents of two real devices exchange datagrams over queue pair 1, in virtual time. */
@ProvedOn("device")
class GeneralServicesTest {
    private static final long MS = 1_000_000;

    private final TwoHosts hosts = new TwoHosts(true, TwoHosts.PLAIN, 3);
    private final GeneralServices a = hosts.a.services();
    private final GeneralServices b = hosts.b.services();
    private final List<ReceivedMad> received = new ArrayList<>();
    private final List<ReceivedMad> responses = new ArrayList<>();
    private final List<WcStatus> results = new ArrayList<>();
    private final MadAgent client = a.register(MadAgentSetup.DEFAULT
            .onSent((_, status) -> results.add(status))
            .onReceived((_, mad) -> responses.add(mad)));

    @AfterEach
    void close() {
        a.close();
        b.close();
        hosts.close();
    }

    private MadAgent server(int... methods) {
        return b.register(MadAgentSetup.DEFAULT
                .onSent((_, _) -> {})
                .onReceived((_, mad) -> received.add(mad))
                .registration(MadRegistration.of(MadClass.PERF_MGT, methods)));
    }

    private MadSend request(MadMethod method, MadAddress to, int timeoutMs, int retries) {
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        Mad.write(mad, 0, MadClass.PERF_MGT, method.code(), 0x12, client.nextTransactionId());
        mad.set(ValueLayout.JAVA_BYTE, 255, (byte) 77);
        return MadSend.request(to, mad, timeoutMs, retries);
    }

    private static void answer(MadAgent server, ReceivedMad mad) {
        MemorySegment response = MemorySegment.ofArray(mad.datagram().toArray(ValueLayout.JAVA_BYTE));
        Mad.METHOD.put(response, 0, MadMethod.GET.responseCode());
        server.send(MadSend.of(mad.from(), response));
    }

    /** QP1 to QP1, Q_Key 0x80010000, the P_Key's index; the reply goes back by the source of the datagram. */
    @Test
    @Covers({"MAD-2", "MAD-5", "MAD-6", "MAD-18"})
    void aRequestIsAnsweredOverQueuePair1() {
        MadAgent server = server(1);
        client.send(request(MadMethod.GET, hosts.b.address(), 100, 0));
        hosts.await("the request", () -> !received.isEmpty());
        ReceivedMad request = received.getFirst();
        assertThat(request.from().qpn()).isEqualTo(1);
        assertThat(request.from().gid()).isEqualTo(hosts.a.gid());
        assertThat(request.from().gidIndex()).isZero();
        assertThat(request.from().pkeyIndex()).isZero();
        assertThat(request.datagram().get(ValueLayout.JAVA_BYTE, 255)).isEqualTo((byte) 77);
        answer(server, request);
        hosts.await("the result", () -> !results.isEmpty());
        assertThat(results).containsExactly(WcStatus.SUCCESS);
        assertThat(responses).hasSize(1);
        assertThat(hosts.b.context.queryPort(1).qkeyViolationCounter()).isZero();
    }

    @Test
    void anUnhandledGetOrSetIsAnsweredAndTheOthersAreDropped() {
        client.send(request(MadMethod.GET, hosts.b.address(), 100, 0));
        client.send(request(MadMethod.SET, hosts.b.address(), 100, 0));
        client.send(request(MadMethod.SEND, hosts.b.address(), 100, 0));
        hosts.await("three results", () -> results.size() == 3);
        assertThat(results).containsExactly(WcStatus.SUCCESS, WcStatus.SUCCESS, WcStatus.RESP_TIMEOUT_ERR);
        assertThat(responses).hasSize(2).allSatisfy(mad -> {
            assertThat(Mad.METHOD.getInt(mad.datagram(), 0)).isEqualTo(0x81);
            assertThat(Mad.STATUS.getInt(mad.datagram(), 0)).isEqualTo(MadStatus.BAD_METHOD_ATTRIBUTE);
        });
        assertThat(b.mad().counters().get(MadCounter.UNSUPPORTED)).isEqualTo(2);
        assertThat(b.mad().counters().get(MadCounter.NO_AGENT)).isEqualTo(1);
    }

    @Test
    @Covers("MAD-3")
    void anAgentThatIsClosedReceivesNoMore() {
        MadAgent server = server(3);
        client.send(request(MadMethod.SEND, hosts.b.address(), 0, 0));
        hosts.await("the first one", () -> received.size() == 1);
        server.close();
        client.send(request(MadMethod.SEND, hosts.b.address(), 0, 0));
        hosts.await("the second one", () -> b.mad().counters().get(MadCounter.NO_AGENT) == 1);
        assertThat(received).hasSize(1);
    }

    /** The class of an agent, and what the port says while the agent is open. */
    @ParameterizedTest
    @CsvSource({
        "0x06, DEVICE_MGMT_SUP",
        "0x07, CM_SUP",
        "0x08, SNMP_TUNNEL_SUP",
        "0x09, VENDOR_CLASS_SUP",
        "0x0F, VENDOR_CLASS_SUP",
        "0x11, BOOT_MGMT_SUP",
        "0x30, VENDOR_CLASS_SUP",
        "0x4F, VENDOR_CLASS_SUP"
    })
    @Covers({"PORT-34", "PORT-35", "PORT-37", "PORT-38", "PORT-41"})
    void aListeningAgentIsAnnouncedOnThePort(String mgmtClass, PortCapability capability) {
        int code = Integer.decode(mgmtClass);
        MadRegistration registration = new MadRegistration(
                code, code == MadClass.COM_MGT.code() ? 2 : 1, MadClass.hasOui(code) ? 0x1405 : 0, Set.of(1));
        MadAgentSetup setup = MadAgentSetup.DEFAULT
                .onSent((_, _) -> {})
                .onReceived((_, mad) -> mad.close())
                .registration(registration);
        Set<PortCapability> before = b.context().queryPort(1).capabilities();
        assertThat(before).doesNotContain(capability);
        MadAgent agent = b.register(setup);
        assertThat(b.context().queryPort(1).capabilities()).contains(capability);
        assertThatExceptionOfType(RdmaException.class).isThrownBy(() -> b.register(setup));
        assertThat(b.context().queryPort(1).capabilities()).contains(capability);
        agent.close();
        agent.close();
        assertThat(b.context().queryPort(1).capabilities()).isEqualTo(before);
    }

    @Test
    void anAgentOfPerformanceManagementIsNotAnnounced() {
        Set<PortCapability> before = b.context().queryPort(1).capabilities();
        server(1);
        assertThat(b.context().queryPort(1).capabilities()).isEqualTo(before);
    }

    @Test
    @Covers("MAD-8")
    void aCancelledRequestIsFlushedAndItsResponseIsDropped() {
        MadAgent server = server(1);
        MadSend send = request(MadMethod.GET, hosts.b.address(), 60_000, 3);
        client.send(send);
        hosts.await("the request", () -> !received.isEmpty());
        client.cancel(send);
        hosts.await("the result", () -> !results.isEmpty());
        answer(server, received.getFirst());
        hosts.await("the response", () -> a.mad().counters().get(MadCounter.UNMATCHED_RESPONSE) == 1);
        assertThat(results).containsExactly(WcStatus.WR_FLUSH_ERR);
        assertThat(responses).isEmpty();
    }

    @Test
    void aRequestWithoutAnswerIsRepeatedAndThenTimesOut() {
        server(1);
        MadSend send = request(MadMethod.GET, hosts.b.address(), 50, 3);
        client.send(send);
        hosts.await("the result", () -> !results.isEmpty());
        assertThat(results).containsExactly(WcStatus.RESP_TIMEOUT_ERR);
        assertThat(received).hasSize(4);
        assertThat(send.retriesDone()).isEqualTo(3);
        assertThat(hosts.nowNs()).isBetween(200 * MS, 201 * MS);
    }

    /** MAD-7: the client returns the buffers; if it does not, it loses datagrams, and the queue pair does not. */
    @Test
    @Covers("MAD-7")
    void anAgentThatReturnsNoBuffersLosesDatagramsUntilItDoes() {
        MadAgent slow = b.register(MadAgentSetup.DEFAULT
                .onReceived((_, mad) -> received.add(mad))
                .receiveBuffers(2)
                .registration(MadRegistration.of(MadClass.PERF_MGT, 3)));
        for (int i = 0; i < 5; i++) {
            client.send(request(MadMethod.SEND, hosts.b.address(), 0, 0));
        }
        hosts.await("five datagrams", () -> b.mad().counters().get(MadCounter.RECEIVED) == 5);
        assertThat(received).hasSize(2);
        assertThat(slow.usedReceiveBuffers()).isEqualTo(2);
        assertThat(b.mad().counters().get(MadCounter.NO_RECEIVE_BUFFER)).isEqualTo(3);
        ReceivedMad first = received.getFirst();
        first.close();
        first.close();
        assertThat(slow.usedReceiveBuffers()).isEqualTo(1);
        assertThatExceptionOfType(RdmaException.class).isThrownBy(first::datagram);
        client.send(request(MadMethod.SEND, hosts.b.address(), 0, 0));
        hosts.await("one more", () -> received.size() == 3);
    }

    @Test
    @Covers("MAD-4")
    void anObserverSeesWhatIsSentAndReceived() {
        MadAgent server = server(1);
        List<String> seen = new ArrayList<>();
        MadSnoop snoop = a.mad()
                .snoop(
                        EnumSet.allOf(MadSnoopEvent.class),
                        (event, peer, copy) ->
                                seen.add(event + " " + peer.gid() + " " + MadMethod.text(Mad.METHOD.getInt(copy, 0))));
        client.send(request(MadMethod.GET, hosts.b.address(), 100, 0));
        hosts.await("the request", () -> !received.isEmpty());
        answer(server, received.getFirst());
        hosts.await("the result", () -> !results.isEmpty());
        Gid peer = hosts.b.gid();
        assertThat(seen)
                .containsExactly(
                        "SENT " + peer + " Get", "RECEIVED " + peer + " GetResp", "COMPLETED " + peer + " Get");
        snoop.close();
        client.send(request(MadMethod.SEND, hosts.b.address(), 0, 0));
        hosts.await("the send", () -> results.size() == 2);
        assertThat(seen).hasSize(3);
    }

    @Test
    @Covers("MAD-17")
    void eachDatagramHasItsPartition() {
        server(3);
        MadAddress to = new MadAddress(hosts.b.address().vector(), 1, MadAddress.GSI_QKEY, 1);
        client.send(request(MadMethod.SEND, to, 0, 0));
        client.send(request(MadMethod.SEND, hosts.b.address(), 0, 0));
        hosts.await("both", () -> received.size() == 2);
        assertThat(received).extracting(mad -> mad.from().pkeyIndex()).containsExactly(2, 0);
    }

    /** A path that cannot be used is reported to the sender; the others are sent. */
    @Test
    void anInvalidPathFailsOnlyItsOwnSend() {
        server(3);
        AddressVector nowhere = AddressVector.roce(1, hosts.b.gid(), 200);
        client.send(request(MadMethod.SEND, MadAddress.gsi(nowhere, 0), 1000, 5));
        client.send(request(MadMethod.SEND, hosts.b.address(), 0, 0));
        hosts.await("both results", () -> results.size() == 2);
        assertThat(results).containsExactlyInAnyOrder(WcStatus.LOC_QP_OP_ERR, WcStatus.SUCCESS);
        hosts.await("the datagram", () -> received.size() == 1);
    }

    /** More than the send queue holds: the rest waits and is sent in order. */
    @Test
    void moreSendsThanTheQueueHoldsWaitInOrder() {
        server(3);
        for (int i = 0; i < 1000; i++) {
            client.send(request(MadMethod.SEND, hosts.b.address(), 0, 0));
        }
        hosts.await("all results", () -> results.size() == 1000);
        hosts.await("all datagrams", () -> received.size() == 1000);
        assertThat(received.stream().map(mad -> Mad.TRANSACTION_ID.get(mad.datagram(), 0)))
                .isSorted();
        assertThat(results).containsOnly(WcStatus.SUCCESS);
    }

    @Test
    void usersOfAPortShareItsQueuePair() {
        GeneralServices second = GeneralServices.openDrivenByCaller(hosts.a.device, 1);
        assertThat(second.mad()).isSameAs(a.mad());
        assertThat(second.context().device()).isSameAs(a.context().device());
        second.close();
        second.close();
        client.send(request(MadMethod.SEND, hosts.b.address(), 0, 0));
        hosts.await("the result", () -> !results.isEmpty());
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> second.register(MadAgentSetup.DEFAULT.onSent((_, _) -> {})))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> GeneralServices.open(hosts.a.device, 1))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> GeneralServices.open(hosts.a.device, 2))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENODEV));
    }

    /** Sends in progress and later ones end with an error; agents and the use can be closed. */
    @Test
    void theSendsOfARemovedDeviceFail() {
        for (int i = 0; i < 300; i++) {
            client.send(request(MadMethod.GET, hosts.b.address(), 60_000, 3));
        }
        hosts.a.remove();
        hosts.await("the results", () -> results.size() == 300);
        assertThat(results).doesNotContain(WcStatus.SUCCESS);
        client.send(request(MadMethod.GET, hosts.b.address(), 60_000, 3));
        hosts.await("the last result", () -> results.size() == 301);
        assertThat(results.getLast()).isEqualTo(WcStatus.LOC_QP_OP_ERR);
        client.close();
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> GeneralServices.openDrivenByCaller(hosts.a.device, 2))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENODEV));
    }

    /** The queue pair is created for the first user and destroyed after the last one. */
    @Test
    void theQueuePairLivesFromTheFirstToTheLastUser() {
        hosts.stopDriving(a);
        a.close();
        GeneralServices again = hosts.a.services();
        assertThat(again.mad()).isNotSameAs(a.mad());
        again.close();
        hosts.stopDriving(again);
    }
}
