// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.wire.mad.CmMessage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections between two hosts in virtual time. */
class RdmaIdConnectionTest {
    private static final int PORT = 7471;

    private final VirtualHosts hosts = new VirtualHosts();
    private final VirtualHosts.VirtualHost client = hosts.host(hosts.new Port("c", "10.0.0.1", "fd00::1"));
    private final VirtualHosts.VirtualHost server = hosts.host(hosts.new Port("s", "10.0.0.2", "fd00::2"));
    private RdmaId listener = server.listener(PortSpace.TCP, VirtualHosts.address("0.0.0.0", PORT));

    private RdmaId active() {
        return client.resolved(PortSpace.TCP, VirtualHosts.address("10.0.0.2", PORT));
    }

    private static MemorySegment data(String text) {
        return MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(MemorySegment data) {
        return new String(data.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8).trim();
    }

    private static Errno errnoOf(Runnable call) {
        return catchThrowableOfType(RdmaException.class, call::run).errno();
    }

    @Test
    void twoIdsConnectAndDisconnect() {
        RdmaId active = active();
        VirtualHosts.TestQp activeQp = hosts.qp(active);
        active.connect(ConnectParameters.DEFAULT.withResources(3, 4).withPrivateData(data("hello")));
        ConnectionEvent request = server.expect(ConnectionEventType.CONNECT_REQUEST);
        assertThat(request.listenId()).isSameAs(listener);
        assertThat(request.privateData().byteSize()).isEqualTo(56);
        assertThat(text(request.privateData())).isEqualTo("hello");
        ConnectParameters asked = Objects.requireNonNull(request.parameters());
        assertThat(asked.responderResources()).isEqualTo(4);
        assertThat(asked.initiatorDepth()).isEqualTo(3);

        RdmaId passive = request.id();
        assertThat(passive.localAddress()).isEqualTo(VirtualHosts.address("10.0.0.2", PORT));
        assertThat(passive.peerAddress()).isEqualTo(active.localAddress());
        VirtualHosts.TestQp passiveQp = hosts.qp(passive);
        passive.accept(ConnectParameters.DEFAULT.withPrivateData(data("welcome")));
        ConnectionEvent established = client.expect(ConnectionEventType.ESTABLISHED);
        assertThat(established.privateData().byteSize()).isEqualTo(196);
        assertThat(text(established.privateData())).isEqualTo("welcome");
        server.expect(ConnectionEventType.ESTABLISHED);

        assertThat(activeQp.states()).containsExactly(QpState.INIT, QpState.INIT, QpState.RTR, QpState.RTS);
        assertThat(passiveQp.states()).isEqualTo(activeQp.states());
        assertThat(passiveQp.changes.get(2).rqPsn())
                .isEqualTo(activeQp.changes.get(3).sqPsn());
        assertThat(passiveQp.changes.get(3).sqPsn())
                .isEqualTo(activeQp.changes.get(2).rqPsn());
        assertThat(passiveQp.changes.get(2).maxDestRdAtomic()).isEqualTo(4);
        assertThat(activeQp.changes.get(3).maxRdAtomic()).isEqualTo(4);
        assertThat(passiveQp.changes.get(2).destinationQpn()).isEqualTo(activeQp.qpn());

        active.disconnect();
        server.expect(ConnectionEventType.DISCONNECTED);
        client.expectNothing();
        passive.disconnect();
        client.expect(ConnectionEventType.DISCONNECTED);
        assertThat(activeQp.states()).last().isEqualTo(QpState.ERR);
        assertThat(passiveQp.states()).last().isEqualTo(QpState.ERR);
        hosts.runToTheEnd();
        client.expect(ConnectionEventType.TIMEWAIT_EXIT);
        server.expect(ConnectionEventType.TIMEWAIT_EXIT);
        active.close();
        passive.close();
        assertThat(activeQp.isClosed).isTrue();
        assertThat(client.cm.ids()).isEmpty();
        assertThat(hosts.sent)
                .containsExactly(CmMessage.REQ, CmMessage.REP, CmMessage.RTU, CmMessage.DREQ, CmMessage.DREP);
    }

    @Test
    void aRejectionHasThePrivateDataOfTheListener() {
        RdmaId active = active();
        VirtualHosts.TestQp qp = hosts.qp(active);
        active.connect(ConnectParameters.DEFAULT);
        server.expect(ConnectionEventType.CONNECT_REQUEST).id().reject(data("no"));
        ConnectionEvent rejected = client.expect(ConnectionEventType.REJECTED);
        assertThat(rejected.status()).isEqualTo(28);
        assertThat(rejected.privateData().byteSize()).isEqualTo(148);
        assertThat(text(rejected.privateData())).isEqualTo("no");
        assertThat(qp.states()).last().isEqualTo(QpState.ERR);
        assertThat(active.state()).isEqualTo(RdmaIdState.CONNECT);
    }

    @Test
    void noListenerMeansReason8() {
        RdmaId active = client.resolved(PortSpace.TCP, VirtualHosts.address("10.0.0.2", PORT + 1));
        hosts.qp(active);
        active.connect(ConnectParameters.DEFAULT);
        assertThat(client.expect(ConnectionEventType.REJECTED).status()).isEqualTo(8);
    }

    @Test
    void aPeerThatDoesNotAnswerIsUnreachable() {
        RdmaId active = active();
        hosts.qp(active);
        hosts.isLost = _ -> true;
        active.connect(ConnectParameters.DEFAULT);
        hosts.runToTheEnd();
        assertThat(client.expect(ConnectionEventType.UNREACHABLE).status()).isEqualTo(-110);
        assertThat(hosts.sent).hasSize(16);
    }

    @Test
    void aFullBacklogIsSilentAndTheRepeatedRequestComesThrough() {
        listener.close();
        listener = server.id(PortSpace.TCP);
        listener.bindAddress(VirtualHosts.address("0.0.0.0", PORT));
        listener.listen(1);
        RdmaId first = active();
        RdmaId second = active();
        hosts.qp(first);
        hosts.qp(second);
        first.connect(ConnectParameters.DEFAULT);
        second.connect(ConnectParameters.DEFAULT);
        RdmaId passive = server.expect(ConnectionEventType.CONNECT_REQUEST).id();
        server.expectNothing();
        assertThat(hosts.sent).containsExactly(CmMessage.REQ, CmMessage.REQ);
        hosts.nextTimer();
        assertThat(server.expect(ConnectionEventType.CONNECT_REQUEST).id().peerAddress())
                .isEqualTo(second.localAddress());
        assertThat(passive.peerAddress()).isEqualTo(first.localAddress());
    }

    @Test
    void aProgramWithItsOwnQueuePairConfirmsTheConnection() {
        RdmaId active = active();
        active.connect(ConnectParameters.DEFAULT.withQueuePair(0x77, true));
        ConnectionEvent request = server.expect(ConnectionEventType.CONNECT_REQUEST);
        assertThat(Objects.requireNonNull(request.parameters()).qpn()).isEqualTo(0x77);
        assertThat(Objects.requireNonNull(request.parameters()).srq()).isTrue();
        request.id().accept(ConnectParameters.DEFAULT.withQueuePair(0x78, false));
        ConnectionEvent response = client.expect(ConnectionEventType.CONNECT_RESPONSE);
        assertThat(Objects.requireNonNull(response.parameters()).qpn()).isEqualTo(0x78);
        assertThat(active.initQpAttributes(QpState.RTR).destinationQpn()).isEqualTo(0x78);
        active.establish();
        server.expect(ConnectionEventType.ESTABLISHED);
        client.expectNothing();
    }

    @Test
    void aQueuePairThatFailsMakesAConnectError() {
        RdmaId active = active();
        VirtualHosts.TestQp qp = hosts.qp(active);
        active.connect(ConnectParameters.DEFAULT);
        RdmaId passive = server.expect(ConnectionEventType.CONNECT_REQUEST).id();
        hosts.qp(passive);
        qp.isBroken = true;
        passive.accept(ConnectParameters.DEFAULT);
        assertThat(client.expect(ConnectionEventType.CONNECT_ERROR).status()).isEqualTo(-Errno.EIO.code());
        assertThat(server.expect(ConnectionEventType.REJECTED).status()).isEqualTo(28);
    }

    @Test
    void whatThePeerDoesBeforeTheProgramAcceptsIsReportedAfterTheRequest() {
        RdmaId active = active();
        hosts.qp(active);
        active.connect(ConnectParameters.DEFAULT);
        hosts.settle();
        active.close();
        ConnectionEvent request = server.expect(ConnectionEventType.CONNECT_REQUEST);
        assertThat(server.expect(ConnectionEventType.REJECTED).id()).isSameAs(request.id());
        assertThat(errnoOf(() -> request.id().accept(ConnectParameters.DEFAULT)))
                .isEqualTo(Errno.EINVAL);
    }

    @Test
    void anIdThatIsClosedDisconnects() {
        RdmaId active = active();
        hosts.qp(active);
        active.connect(ConnectParameters.DEFAULT);
        RdmaId passive = server.expect(ConnectionEventType.CONNECT_REQUEST).id();
        hosts.qp(passive);
        passive.accept(ConnectParameters.DEFAULT);
        client.expect(ConnectionEventType.ESTABLISHED);
        server.expect(ConnectionEventType.ESTABLISHED);
        active.close();
        server.expect(ConnectionEventType.DISCONNECTED);
    }

    @Test
    void aListenerThatIsClosedRejectsWhatItHasNotFetched() {
        RdmaId active = active();
        hosts.qp(active);
        active.connect(ConnectParameters.DEFAULT);
        hosts.settle();
        listener.close();
        assertThat(client.expect(ConnectionEventType.REJECTED).status()).isEqualTo(28);
        assertThat(server.cm.ids()).isEmpty();
    }

    @Test
    void aLostRtuIsRepeated() {
        RdmaId active = active();
        hosts.qp(active);
        active.connect(ConnectParameters.DEFAULT);
        RdmaId passive = server.expect(ConnectionEventType.CONNECT_REQUEST).id();
        hosts.qp(passive);
        hosts.isLost = message -> message == CmMessage.RTU;
        passive.accept(ConnectParameters.DEFAULT);
        client.expect(ConnectionEventType.ESTABLISHED);
        server.expectNothing();
        hosts.isLost = _ -> false;
        hosts.nextTimer();
        server.expect(ConnectionEventType.ESTABLISHED);
    }

    @ParameterizedTest
    @EnumSource(names = {"REQ", "REP", "RTU", "DREQ", "DREP"})
    void anyMessageMayGetLostOnce(CmMessage lost) {
        AtomicBoolean isFirst = new AtomicBoolean(true);
        hosts.isLost = message -> message == lost && isFirst.getAndSet(false);
        RdmaId active = active();
        hosts.qp(active);
        active.connect(ConnectParameters.DEFAULT);
        RdmaId passive = awaited(server, ConnectionEventType.CONNECT_REQUEST).id();
        hosts.qp(passive);
        passive.accept(ConnectParameters.DEFAULT);
        awaited(client, ConnectionEventType.ESTABLISHED);
        awaited(server, ConnectionEventType.ESTABLISHED);
        active.disconnect();
        awaited(server, ConnectionEventType.DISCONNECTED);
        passive.disconnect();
        assertThat(awaited(client, ConnectionEventType.DISCONNECTED).status()).isZero();
        assertThat(isFirst).isFalse();
        hosts.runToTheEnd();
        client.expect(ConnectionEventType.TIMEWAIT_EXIT);
        server.expect(ConnectionEventType.TIMEWAIT_EXIT);
        client.expectNothing();
        server.expectNothing();
    }

    /** The next event, for which a message may have to be repeated. */
    private ConnectionEvent awaited(VirtualHosts.VirtualHost host, ConnectionEventType type) {
        hosts.settle();
        ConnectionEvent event = host.channel.poll();
        for (int timers = 0; event == null && timers < 3; timers++) {
            hosts.nextTimer();
            event = host.channel.poll();
        }
        ConnectionEvent arrived = Objects.requireNonNull(event);
        arrived.acknowledge();
        assertThat(arrived.type()).isEqualTo(type);
        return arrived;
    }

    @Test
    void aPacketOfThePeerCountsAsRtu() {
        RdmaId active = active();
        hosts.qp(active);
        active.connect(ConnectParameters.DEFAULT);
        RdmaId passive = server.expect(ConnectionEventType.CONNECT_REQUEST).id();
        hosts.qp(passive);
        hosts.isLost = message -> message == CmMessage.RTU;
        passive.accept(ConnectParameters.DEFAULT);
        hosts.settle();
        passive.happened(EventType.COMM_EST);
        server.expect(ConnectionEventType.ESTABLISHED);
        passive.happened(EventType.COMM_EST);
        server.expectNothing();
        assertThat(errnoOf(passive::notifyEstablished)).isEqualTo(Errno.EISCONN);
    }

    @Test
    void bothEndsMayDisconnectAtOnce() {
        RdmaId active = active();
        hosts.qp(active);
        active.connect(ConnectParameters.DEFAULT);
        RdmaId passive = server.expect(ConnectionEventType.CONNECT_REQUEST).id();
        hosts.qp(passive);
        passive.accept(ConnectParameters.DEFAULT);
        client.expect(ConnectionEventType.ESTABLISHED);
        server.expect(ConnectionEventType.ESTABLISHED);
        active.disconnect();
        passive.disconnect();
        client.expect(ConnectionEventType.DISCONNECTED);
        server.expect(ConnectionEventType.DISCONNECTED);
        client.expectNothing();
        active.disconnect();
        passive.close();
        active.close();
        hosts.runToTheEnd();
        client.expectNothing();
    }

    @Test
    void aDatagramServiceTellsItsQueuePair() {
        server.listener(PortSpace.UDP, VirtualHosts.address("10.0.0.2", PORT));
        RdmaId active = client.resolved(PortSpace.UDP, VirtualHosts.address("10.0.0.2", PORT));
        VirtualHosts.TestQp qp = hosts.qp(active);
        assertThat(qp.states()).containsExactly(QpState.INIT, QpState.RTR, QpState.RTS);
        active.connect(ConnectParameters.DEFAULT.withPrivateData(data("who?")));
        ConnectionEvent request = server.expect(ConnectionEventType.CONNECT_REQUEST);
        assertThat(text(request.privateData())).isEqualTo("who?");
        assertThat(request.privateData().byteSize()).isEqualTo(180);
        VirtualHosts.TestQp passiveQp = hosts.qp(request.id());
        request.id().accept(ConnectParameters.DEFAULT.withPrivateData(data("me")));
        ConnectionEvent resolved = client.expect(ConnectionEventType.ESTABLISHED);
        DatagramPeer peer = Objects.requireNonNull(resolved.datagram());
        assertThat(peer.qpn()).isEqualTo(passiveQp.qpn());
        assertThat(peer.qkey()).isEqualTo(0x0123_4567);
        assertThat(text(resolved.privateData())).isEqualTo("me");
        assertThat(resolved.privateData().byteSize()).isEqualTo(136);
        server.expectNothing();
    }

    @Test
    void aRefusedDatagramServiceIsUnreachable() {
        server.listener(PortSpace.UDP, VirtualHosts.address("10.0.0.2", PORT));
        RdmaId active = client.resolved(PortSpace.UDP, VirtualHosts.address("10.0.0.2", PORT));
        active.connect(ConnectParameters.DEFAULT);
        server.expect(ConnectionEventType.CONNECT_REQUEST).id().reject(MemorySegment.NULL);
        assertThat(client.expect(ConnectionEventType.UNREACHABLE).status()).isEqualTo(2);

        RdmaId other = client.resolved(PortSpace.UDP, VirtualHosts.address("10.0.0.2", PORT + 1));
        other.connect(ConnectParameters.DEFAULT);
        assertThat(client.expect(ConnectionEventType.UNREACHABLE).status()).isEqualTo(1);
    }

    @Test
    void privateDataHasLimits() {
        RdmaId active = active();
        hosts.qp(active);
        assertThat(errnoOf(() ->
                        active.connect(ConnectParameters.DEFAULT.withPrivateData(MemorySegment.ofArray(new byte[57])))))
                .isEqualTo(Errno.EINVAL);
        assertThat(active.state()).isEqualTo(RdmaIdState.ROUTE_RESOLVED);
        active.connect(ConnectParameters.DEFAULT.withPrivateData(MemorySegment.ofArray(new byte[56])));
        RdmaId passive = server.expect(ConnectionEventType.CONNECT_REQUEST).id();
        assertThat(errnoOf(() -> passive.accept(
                        ConnectParameters.DEFAULT.withPrivateData(MemorySegment.ofArray(new byte[197])))))
                .isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(() -> passive.reject(MemorySegment.ofArray(new byte[149]))))
                .isEqualTo(Errno.EINVAL);
        passive.reject(MemorySegment.ofArray(new byte[148]));
        client.expect(ConnectionEventType.REJECTED);
    }

    @Test
    void moreReadsThanTheDeviceCanAreRefused() {
        RdmaId active = active();
        hosts.qp(active);
        assertThat(errnoOf(
                        () -> active.connect(ConnectParameters.DEFAULT.withResources(VirtualHosts.MAX_READS + 1, 0))))
                .isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(
                        () -> active.connect(ConnectParameters.DEFAULT.withResources(0, VirtualHosts.MAX_READS + 1))))
                .isEqualTo(Errno.EINVAL);
    }

    @Test
    void theAckTimeoutOfTheOptionIsThatOfBothQueuePairs() {
        RdmaId active = client.id(PortSpace.TCP);
        active.setAckTimeout(21);
        active.resolveAddress(null, VirtualHosts.address("10.0.0.2", PORT), 2000);
        active.resolveRoute(2000);
        client.expect(ConnectionEventType.ADDR_RESOLVED);
        client.expect(ConnectionEventType.ROUTE_RESOLVED);
        VirtualHosts.TestQp qp = hosts.qp(active);
        active.connect(ConnectParameters.DEFAULT);
        RdmaId passive = server.expect(ConnectionEventType.CONNECT_REQUEST).id();
        VirtualHosts.TestQp passiveQp = hosts.qp(passive);
        passive.accept(ConnectParameters.DEFAULT);
        client.expect(ConnectionEventType.ESTABLISHED);
        assertThat(qp.changes.getLast().timeout()).isEqualTo(21);
        assertThat(passiveQp.changes.getLast().timeout()).isEqualTo(21);
    }

    @Test
    void ipv6ConnectsToAWildcardOfBothFamilies() {
        RdmaId both = server.listener(PortSpace.TCP, VirtualHosts.address("::", PORT + 2));
        for (String address : new String[] {"fd00::2", "10.0.0.2"}) {
            RdmaId active = client.resolved(PortSpace.TCP, VirtualHosts.address(address, PORT + 2));
            active.connect(ConnectParameters.DEFAULT.withQueuePair(address.length(), false));
            ConnectionEvent request = server.expect(ConnectionEventType.CONNECT_REQUEST);
            assertThat(request.listenId()).isSameAs(both);
            assertThat(request.id().localAddress()).isEqualTo(VirtualHosts.address(address, PORT + 2));
        }
    }

    @Test
    void aRemovedDeviceEndsItsIds() {
        RdmaId active = active();
        hosts.qp(active);
        client.cm.deviceRemoved(client.devices.getFirst());
        assertThat(client.expect(ConnectionEventType.DEVICE_REMOVAL).id()).isSameAs(active);
        assertThat(errnoOf(() -> active.connect(ConnectParameters.DEFAULT))).isEqualTo(Errno.EINVAL);
        active.close();
    }

    @Test
    void aWildcardListenerUsesADeviceThatAppears() {
        VirtualHosts.Port second = hosts.new Port("t", "10.0.0.3");
        server.add(second);
        RdmaId active = client.resolved(PortSpace.TCP, VirtualHosts.address("10.0.0.3", PORT));
        active.connect(ConnectParameters.DEFAULT.withQueuePair(5, false));
        assertThat(server.expect(ConnectionEventType.CONNECT_REQUEST).id().localAddress())
                .isEqualTo(VirtualHosts.address("10.0.0.3", PORT));

        server.cm.deviceRemoved(second);
        RdmaId late = client.resolved(PortSpace.TCP, VirtualHosts.address("10.0.0.3", PORT));
        late.connect(ConnectParameters.DEFAULT.withQueuePair(6, false));
        assertThat(client.expect(ConnectionEventType.REJECTED).id()).isSameAs(late);
        assertThat(listener.state()).isEqualTo(RdmaIdState.LISTEN);
    }

    @Test
    void aHostConnectsToItself() {
        RdmaId active = server.resolved(PortSpace.TCP, VirtualHosts.address("10.0.0.2", PORT));
        active.connect(ConnectParameters.DEFAULT.withQueuePair(5, false));
        RdmaId passive = server.expect(ConnectionEventType.CONNECT_REQUEST).id();
        passive.accept(ConnectParameters.DEFAULT.withQueuePair(6, false));
        assertThat(server.expect(ConnectionEventType.CONNECT_RESPONSE).id()).isSameAs(active);
    }
}
