// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import static io.rdma4j.rdmacm.connection.IdPair.errnoOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Mtu;
import io.rdma4j.cm.CmPath;
import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.ConnectionEventType;
import io.rdma4j.rdmacm.DatagramPeer;
import io.rdma4j.rdmacm.EventChannel;
import io.rdma4j.rdmacm.JoinMode;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.rdmacm.RdmaIdState;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WorkCompletion;
import io.rdma4j.wire.mad.CmMessage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each event of ids on real devices: when it comes, and what it contains. */
@ProvedOn("device")
class IdEventsOnDeviceTest {
    private static final int TIMED_OUT = -Errno.ETIMEDOUT.code();
    private static final int CONSUMER_DEFINED = 28;
    private static final int GRH_BYTES = 40;

    private final IdPair pair = new IdPair();

    @AfterEach
    void close() {
        pair.close();
    }

    private static QueuePair qp(RdmaId id) {
        return Objects.requireNonNull(id.qp());
    }

    private static MemorySegment data(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i + 1);
        }
        return MemorySegment.ofArray(bytes);
    }

    /** The field of a message: the data, and 0 to its end. */
    private static byte[] field(int length, int fieldLength) {
        byte[] bytes = new byte[fieldLength];
        MemorySegment.copy(data(length), 0, MemorySegment.ofArray(bytes), 0, length);
        return bytes;
    }

    private static byte[] bytes(ConnectionEvent event) {
        return event.privateData().toArray(ValueLayout.JAVA_BYTE);
    }

    private RdmaId connecting(ConnectParameters parameters) {
        RdmaId active = pair.resolved(PortSpace.TCP);
        IdPair.createQp(active);
        active.connect(parameters);
        return active;
    }

    private double seconds() {
        return pair.hosts.virtualNs() / (double) TimeUnit.SECONDS.toNanos(1);
    }

    @Test
    @Covers("RCM-25")
    void anAddressWithoutDeviceIsAnError() {
        pair.hosts.client.unplug();
        RdmaId id = pair.client(PortSpace.TCP);
        id.resolveAddress(null, IdPair.SERVER, 2000);
        assertThat(pair.atClient(ConnectionEventType.ADDR_ERROR).status()).isEqualTo(-Errno.ENODEV.code());
        assertThat(id.state()).isEqualTo(RdmaIdState.ADDR_BOUND);
        pair.hosts.client.plug();
        pair.resolved(id, IdPair.SERVER);
        assertThat(id.state()).isEqualTo(RdmaIdState.ROUTE_RESOLVED);
    }

    @Test
    @Covers("RCM-25")
    void aWildcardStandsForTheOwnAddress() {
        RdmaId id = pair.addressed(pair.client(PortSpace.TCP), null, DeviceHosts.address("0.0.0.0", IdPair.PORT));
        assertThat(id.peerAddress()).isEqualTo(DeviceHosts.address("10.0.0.1", IdPair.PORT));
        RdmaId ipv6 = pair.addressed(pair.client(PortSpace.TCP), null, DeviceHosts.address("::", IdPair.PORT));
        assertThat(ipv6.peerAddress()).isEqualTo(DeviceHosts.address("fd00::1", IdPair.PORT));
    }

    @Test
    @Covers("RCM-26")
    void aRouteNeedsTheAddressOfTheDevice() {
        RdmaId id = pair.addressed(pair.client(PortSpace.TCP), null, IdPair.SERVER);
        assertThat(errnoOf(() -> id.resolveRoute(0))).isEqualTo(Errno.EINVAL);
        pair.hosts.client.setAddresses("fd00::1");
        pair.atClient(ConnectionEventType.ADDR_CHANGE);
        assertThat(errnoOf(() -> id.resolveRoute(2000))).isEqualTo(Errno.ENODEV);
        assertThat(id.state()).isEqualTo(RdmaIdState.ADDR_RESOLVED);
        pair.hosts.client.setAddresses("10.0.0.1", "fd00::1");
        id.resolveRoute(2000);
        pair.atClient(ConnectionEventType.ROUTE_RESOLVED);
        CmPath path = Objects.requireNonNull(id.path());
        GlobalRoute route = Objects.requireNonNull(path.addressVector().route());
        int port = id.localAddress().getPort();
        assertThat(route.flowLabel()).isEqualTo(port * 31 + IdPair.PORT & 0xF_FFFF);
        assertThat(route.hopLimit()).isEqualTo(64);
        assertThat(path.mtu()).isEqualTo(Mtu.MTU_4096);
        assertThat(path.pkey()).isEqualTo(0xFFFF);
        assertThat(path.packetLifetime()).isEqualTo(18);
    }

    @Test
    @Covers("RCM-27")
    void aRequestTellsWhatThePeerAsksFor() {
        RdmaId listener = pair.listener(PortSpace.TCP);
        listener.setUserContext("context");
        RdmaId active = connecting(
                IdPair.DEFAULT.withResources(3, 4).withRetryCounts(5, 9).withPrivateData(data(56)));
        ConnectionEvent event = pair.atServer(ConnectionEventType.CONNECT_REQUEST);
        RdmaId passive = pair.kept(event.id());
        assertThat(event.listenId()).isSameAs(listener);
        assertThat(bytes(event)).isEqualTo(field(56, 56));
        ConnectParameters asked = Objects.requireNonNull(event.parameters());
        assertThat(asked.responderResources()).isEqualTo(4);
        assertThat(asked.initiatorDepth()).isEqualTo(3);
        assertThat(asked.retryCount()).isEqualTo(5);
        assertThat(asked.rnrRetryCount()).as("9 is cut").isEqualTo(7);
        assertThat(asked.qpn()).isEqualTo(qp(active).qpn());
        assertThat(asked.srq()).isFalse();
        assertThat(passive.channel()).isSameAs(listener.channel());
        assertThat(passive.userContext()).isEqualTo("context");
        assertThat(passive.portSpace()).isEqualTo(PortSpace.TCP);
        assertThat(passive.state()).isEqualTo(RdmaIdState.CONNECT);
        assertThat(passive.qp()).isNull();
        assertThat(passive.localAddress()).isEqualTo(IdPair.SERVER);
        assertThat(passive.peerAddress()).isEqualTo(active.localAddress());
        assertThat(passive.verbs())
                .isSameAs(pair.hosts.server.service.openDevices().getFirst().context());
    }

    @Test
    @Covers("RCM-28")
    void bothEndsLearnThatTheConnectionIsEstablished() {
        pair.listener(PortSpace.TCP);
        RdmaId active = connecting(IdPair.DEFAULT.withResources(3, 4));
        RdmaId passive = pair.request();
        IdPair.createQp(passive);
        passive.accept(IdPair.DEFAULT.withPrivateData(data(196)));
        ConnectionEvent event = pair.atClient(ConnectionEventType.ESTABLISHED);
        assertThat(bytes(event)).isEqualTo(field(196, 196));
        assertThat(Objects.requireNonNull(event.parameters()).qpn())
                .isEqualTo(qp(passive).qpn());
        ConnectionEvent ofServer = pair.atServer(ConnectionEventType.ESTABLISHED);
        assertThat(ofServer.privateData().byteSize()).isZero();
        assertThat(ofServer.parameters()).isNull();
        QpAttributes activeQp = qp(active).query();
        QpAttributes passiveQp = qp(passive).query();
        assertThat(activeQp.state()).isEqualTo(QpState.RTS);
        assertThat(passiveQp.state()).isEqualTo(QpState.RTS);
        assertThat(activeQp.maxRdAtomic())
                .isEqualTo(passiveQp.maxDestRdAtomic())
                .isEqualTo(4);
        assertThat(activeQp.maxDestRdAtomic())
                .isEqualTo(passiveQp.maxRdAtomic())
                .isEqualTo(3);
        assertThat(activeQp.rqPsn()).isEqualTo(passiveQp.sqPsn());
        assertThat(activeQp.sqPsn()).isEqualTo(passiveQp.rqPsn());
    }

    @Test
    @Covers("RCM-29")
    void aQueuePairThatCannotConnectIsAnError() {
        pair.listener(PortSpace.TCP);
        RdmaId active = connecting(IdPair.DEFAULT);
        RdmaId passive = pair.request();
        IdPair.createQp(passive);
        qp(active).modify(QpAttributes.builder().state(QpState.ERR).build());
        passive.accept(IdPair.DEFAULT);
        assertThat(pair.atClient(ConnectionEventType.CONNECT_ERROR).status()).isEqualTo(-Errno.EINVAL.code());
        assertThat(pair.atServer(ConnectionEventType.REJECTED).status()).isEqualTo(CONSUMER_DEFINED);
        assertThat(qp(passive).state()).isEqualTo(QpState.ERR);
    }

    @Test
    @Covers("RCM-29")
    void aQueuePairThatCannotAcceptLeavesTheDecisionToTheProgram() {
        pair.listener(PortSpace.TCP);
        connecting(IdPair.DEFAULT);
        RdmaId passive = pair.request();
        IdPair.createQp(passive);
        qp(passive).modify(QpAttributes.builder().state(QpState.ERR).build());
        assertThat(errnoOf(() -> passive.accept(IdPair.DEFAULT))).isEqualTo(Errno.EINVAL);
        pair.expectNothing();
        passive.close();
        assertThat(pair.atClient(ConnectionEventType.REJECTED).status()).isEqualTo(CONSUMER_DEFINED);
    }

    @Test
    @Covers("RCM-30")
    void aRequestWithoutAnswerIsRepeatedFor98Seconds() {
        pair.hosts.server.isLost = message -> message == CmMessage.REQ;
        RdmaId active = connecting(IdPair.DEFAULT);
        assertThat(pair.atClient(ConnectionEventType.UNREACHABLE).status()).isEqualTo(TIMED_OUT);
        // 16 times 1024 ms twice for the path and 4096 ms for the peer.
        assertThat(seconds()).isBetween(98.3, 98.4);
        assertThat(qp(active).state()).isEqualTo(QpState.ERR);
        assertThat(active.state()).isEqualTo(RdmaIdState.CONNECT);
    }

    @Test
    @Covers("RCM-30")
    void aReplyWithoutAnswerIsRepeatedFor65Seconds() {
        pair.listener(PortSpace.TCP);
        connecting(IdPair.DEFAULT);
        RdmaId passive = pair.request();
        IdPair.createQp(passive);
        pair.hosts.client.isLost = message -> message == CmMessage.REP;
        passive.accept(IdPair.DEFAULT);
        ConnectionEvent event = pair.atServer(ConnectionEventType.UNREACHABLE);
        assertThat(event.id()).isSameAs(passive);
        assertThat(event.status()).isEqualTo(TIMED_OUT);
        assertThat(seconds()).isBetween(65.5, 65.6);
    }

    @Test
    @Covers("RCM-30")
    void aDatagramServiceMayBeSilentOrRefuse() {
        pair.openServer();
        pair.hosts.server.isLost = message -> message == CmMessage.SIDR_REQ;
        pair.resolved(PortSpace.UDP).connect(IdPair.DEFAULT);
        assertThat(pair.atClient(ConnectionEventType.UNREACHABLE).status()).isEqualTo(TIMED_OUT);
        assertThat(seconds()).isBetween(65.5, 65.6);
        pair.hosts.server.isLost = _ -> false;
        pair.resolved(PortSpace.UDP).connect(IdPair.DEFAULT);
        assertThat(pair.atClient(ConnectionEventType.UNREACHABLE).status())
                .as("no program listens")
                .isOne();
        pair.listener(PortSpace.UDP);
        pair.resolved(PortSpace.UDP).connect(IdPair.DEFAULT);
        pair.request().reject(data(136));
        ConnectionEvent refusal = pair.atClient(ConnectionEventType.UNREACHABLE);
        assertThat(refusal.status()).isEqualTo(2);
        assertThat(bytes(refusal)).isEqualTo(field(136, 136));
    }

    @Test
    @Covers("RCM-31")
    void aRejectionTellsItsReason() {
        pair.openServer();
        RdmaId active = connecting(IdPair.DEFAULT);
        assertThat(pair.atClient(ConnectionEventType.REJECTED).status())
                .as("no program listens")
                .isEqualTo(8);
        assertThat(qp(active).state()).isEqualTo(QpState.ERR);
        assertThat(active.state()).isEqualTo(RdmaIdState.CONNECT);
        pair.listener(PortSpace.TCP);
        connecting(IdPair.DEFAULT);
        pair.request().reject(data(100));
        ConnectionEvent rejection = pair.atClient(ConnectionEventType.REJECTED);
        assertThat(rejection.status()).isEqualTo(CONSUMER_DEFINED);
        assertThat(bytes(rejection)).isEqualTo(field(100, 148));
    }

    @Test
    @Covers("RCM-31")
    void aPeerThatGivesUpRejectsItsOwnRequest() {
        pair.listener(PortSpace.TCP);
        RdmaId active = connecting(IdPair.DEFAULT);
        RdmaId passive = pair.request();
        active.close();
        ConnectionEvent rejection = pair.atServer(ConnectionEventType.REJECTED);
        assertThat(rejection.id()).isSameAs(passive);
        assertThat(rejection.status()).as("timeout").isEqualTo(4);
        assertThat(errnoOf(() -> passive.accept(IdPair.DEFAULT))).isEqualTo(Errno.EINVAL);
    }

    @Test
    @Covers("RCM-50")
    void aProgramMayTakeItsTimeForARequest() {
        pair.listener(PortSpace.TCP);
        RdmaId active = connecting(IdPair.DEFAULT);
        RdmaId passive = pair.request();
        // Without an MRA the peer gives up after 98 s.
        pair.hosts.pass(Duration.ofMinutes(5));
        assertThat(pair.ofClient.poll()).isNull();
        IdPair.createQp(passive);
        passive.accept(IdPair.DEFAULT);
        assertThat(pair.atClient(ConnectionEventType.ESTABLISHED).id()).isSameAs(active);
        pair.atServer(ConnectionEventType.ESTABLISHED);
    }

    @Test
    @Covers("RCM-50")
    void aProgramMayTakeItsTimeForAResponse() {
        pair.listener(PortSpace.TCP);
        RdmaId active = pair.resolved(PortSpace.TCP);
        active.connect(IdPair.DEFAULT.withQueuePair(0x17, false));
        RdmaId passive = pair.request();
        IdPair.createQp(passive);
        passive.accept(IdPair.DEFAULT);
        pair.atClient(ConnectionEventType.CONNECT_RESPONSE);
        pair.hosts.pass(Duration.ofMinutes(5));
        assertThat(pair.ofServer.poll()).isNull();
        active.establish();
        assertThat(pair.atServer(ConnectionEventType.ESTABLISHED).id()).isSameAs(passive);
    }

    @Test
    @Covers("RCM-51")
    void aDeviceConnectsToItself() {
        RdmaId listener = pair.listener(PortSpace.TCP);
        RdmaId active = pair.server(PortSpace.TCP);
        active.resolveAddress(null, IdPair.SERVER, 2000);
        pair.atServer(ConnectionEventType.ADDR_RESOLVED);
        active.resolveRoute(2000);
        pair.atServer(ConnectionEventType.ROUTE_RESOLVED);
        IdPair.createQp(active);
        active.connect(IdPair.DEFAULT);
        ConnectionEvent request = pair.atServer(ConnectionEventType.CONNECT_REQUEST);
        RdmaId passive = pair.kept(request.id());
        assertThat(request.listenId()).isSameAs(listener);
        assertThat(passive.verbs()).isSameAs(active.verbs());
        IdPair.createQp(passive);
        passive.accept(IdPair.DEFAULT);
        List<RdmaId> established = List.of(
                pair.atServer(ConnectionEventType.ESTABLISHED).id(),
                pair.atServer(ConnectionEventType.ESTABLISHED).id());
        assertThat(established).containsExactly(active, passive);
        active.disconnect();
        assertThat(pair.atServer(ConnectionEventType.DISCONNECTED).id()).isSameAs(passive);
        passive.disconnect();
        assertThat(pair.atServer(ConnectionEventType.DISCONNECTED).id()).isSameAs(active);
    }

    @Test
    @Covers("RCM-32")
    void aDatagramServiceTellsItsQueuePair() {
        pair.listener(PortSpace.UDP);
        RdmaId active = pair.resolved(PortSpace.UDP);
        active.connect(IdPair.DEFAULT.withPrivateData(data(180)));
        ConnectionEvent request = pair.atServer(ConnectionEventType.CONNECT_REQUEST);
        RdmaId passive = pair.kept(request.id());
        assertThat(bytes(request)).isEqualTo(field(180, 180));
        assertThat(request.parameters()).isNull();
        QueuePair qp = IdPair.createQp(passive);
        assertThat(qp.state()).isEqualTo(QpState.RTS);
        assertThat(qp.query().qkey()).isEqualTo(0x0123_4567);
        passive.accept(IdPair.DEFAULT.withPrivateData(data(10)));
        ConnectionEvent event = pair.atClient(ConnectionEventType.ESTABLISHED);
        DatagramPeer peer = Objects.requireNonNull(event.datagram());
        assertThat(peer.qpn()).isEqualTo(qp.qpn());
        assertThat(peer.qkey()).isEqualTo(0x0123_4567);
        assertThat(peer.addressVector())
                .isEqualTo(Objects.requireNonNull(active.path()).addressVector());
        assertThat(bytes(event)).isEqualTo(field(10, 136));
        active.disconnect();
        pair.expectNothing();
    }

    @Test
    @Covers("RCM-33")
    void aDisconnectionWaitsForTheOtherProgram() {
        pair.listener(PortSpace.TCP);
        IdPair.Connection connection = pair.connect(pair.resolved(PortSpace.TCP));
        connection.active().disconnect();
        assertThat(qp(connection.active()).state()).isEqualTo(QpState.ERR);
        assertThat(pair.atServer(ConnectionEventType.DISCONNECTED).status()).isZero();
        assertThat(qp(connection.passive()).state()).isEqualTo(QpState.RTS);
        pair.hosts.pass(Duration.ofSeconds(5));
        assertThat(pair.ofClient.poll()).as("no DREP yet").isNull();
        connection.passive().disconnect();
        assertThat(qp(connection.passive()).state()).isEqualTo(QpState.ERR);
        assertThat(pair.atClient(ConnectionEventType.DISCONNECTED).status()).isZero();
        connection.active().disconnect();
        connection.passive().disconnect();
        assertThat(connection.active().state()).isEqualTo(RdmaIdState.DISCONNECT);
    }

    @Test
    @Covers("RCM-33")
    void aDisconnectionWithoutAnswerTimesOut() {
        pair.listener(PortSpace.TCP);
        IdPair.Connection connection = pair.connect(pair.resolved(PortSpace.TCP));
        pair.hosts.server.isLost = message -> message == CmMessage.DREQ;
        connection.active().disconnect();
        assertThat(pair.atClient(ConnectionEventType.DISCONNECTED).status()).isEqualTo(TIMED_OUT);
        assertThat(seconds()).isBetween(98.3, 98.4);
    }

    @Test
    @Covers("RCM-33")
    void bothEndsDisconnectAtOnce() {
        pair.listener(PortSpace.TCP);
        IdPair.Connection connection = pair.connect(pair.resolved(PortSpace.TCP));
        connection.active().disconnect();
        connection.passive().disconnect();
        pair.atClient(ConnectionEventType.DISCONNECTED);
        pair.atServer(ConnectionEventType.DISCONNECTED);
        pair.expectNothing();
    }

    @Test
    @Covers("RCM-34")
    void theTimeWaitOfBothEndsIsOver() {
        pair.listener(PortSpace.TCP);
        IdPair.Connection connection = pair.connect(pair.resolved(PortSpace.TCP));
        connection.active().disconnect();
        pair.atServer(ConnectionEventType.DISCONNECTED);
        connection.passive().disconnect();
        pair.atClient(ConnectionEventType.DISCONNECTED);
        double startSeconds = seconds();
        assertThat(pair.atClient(ConnectionEventType.TIMEWAIT_EXIT).status()).isZero();
        assertThat(pair.atServer(ConnectionEventType.TIMEWAIT_EXIT).status()).isZero();
        // 2^(19 - 8) ms, the ACK timeout of the queue pairs.
        assertThat(seconds() - startSeconds).isBetween(2.04, 2.06);
    }

    @Test
    @Covers("RCM-35")
    void aProgramWritesEvents() {
        RdmaId id = pair.client(PortSpace.TCP);
        id.writeEvent(-5, "mine");
        ConnectionEvent event = pair.atClient(ConnectionEventType.USER);
        assertThat(event.id()).isSameAs(id);
        assertThat(event.status()).isEqualTo(-5);
        assertThat(event.context()).isEqualTo("mine");
        id.close();
        assertThat(errnoOf(() -> id.writeEvent(1, null))).isEqualTo(Errno.EINVAL);
    }

    @Test
    @Covers("RCM-36")
    void aGroupWithTooManyMembersCannotBeJoined() {
        InetAddress group = DeviceHosts.address("239.1.1.1", 0).getAddress();
        List<RdmaId> members = new ArrayList<>();
        ConnectionEvent event = null;
        while (event == null || event.type() == ConnectionEventType.MULTICAST_JOIN) {
            RdmaId member = pair.server(PortSpace.UDP);
            member.bindAddress(DeviceHosts.address("10.0.0.2", 0));
            IdPair.createQp(member);
            member.joinMulticast(group, JoinMode.FULL_MEMBER, member);
            members.add(member);
            event = pair.hosts.await(pair.ofServer);
            assertThat(event.context()).isSameAs(member);
        }
        assertThat(event.type()).isEqualTo(ConnectionEventType.MULTICAST_ERROR);
        assertThat(event.status()).isEqualTo(-Errno.ENOMEM.code());
        RdmaId refused = members.getLast();
        assertThat(errnoOf(() -> refused.leaveMulticast(group))).isEqualTo(Errno.EADDRNOTAVAIL);
        members.getFirst().leaveMulticast(group);
        refused.joinMulticast(group, JoinMode.FULL_MEMBER, null);
        DatagramPeer peer = Objects.requireNonNull(
                pair.atServer(ConnectionEventType.MULTICAST_JOIN).datagram());
        assertThat(peer.qpn()).isEqualTo(0xFF_FFFF);
        assertThat(peer.qkey()).isEqualTo(0x0123_4567);
    }

    private RdmaId datagramId(RdmaId id, String address) {
        id.bindAddress(DeviceHosts.address(address, 0));
        IdPair.createQp(id);
        return id;
    }

    @Test
    @Covers("RCM-36")
    void anIpv6GroupReceivesDatagrams() {
        InetAddress group = DeviceHosts.address("ff0e::7", 0).getAddress();
        RdmaId member = datagramId(pair.server(PortSpace.UDP), "fd00::2");
        member.joinMulticast(group, JoinMode.FULL_MEMBER, null);
        pair.atServer(ConnectionEventType.MULTICAST_JOIN);
        RdmaId sender = datagramId(pair.client(PortSpace.UDP), "fd00::1");
        sender.joinMulticast(group, JoinMode.SEND_ONLY_FULL_MEMBER, null);
        DatagramPeer peer = Objects.requireNonNull(
                pair.atClient(ConnectionEventType.MULTICAST_JOIN).datagram());
        CompletionQueue receives = Objects.requireNonNull(member.queues().receiveCq());
        try (MemoryRegion header =
                        member.queues().protectionDomain().allocateMemory(GRH_BYTES, Set.of(AccessFlag.LOCAL_WRITE));
                AddressHandle handle = sender.queues().protectionDomain().createAddressHandle(peer.addressVector())) {
            qp(member).postReceive(ReceiveRequest.of(1, header.sge()));
            qp(sender)
                    .postSend(SendRequest.sendWithImmediate(5)
                            .destination(handle, peer.qpn(), peer.qkey())
                            .build());
            List<WorkCompletion> received = new ArrayList<>();
            pair.hosts.await("datagram", () -> received.addAll(receives.poll(1)));
            assertThat(received.getFirst().immediate()).isEqualTo(5);
            sender.destroyQp();
        }
    }

    @Test
    @Covers("RCM-37")
    void eventsComeInTheOrderOfTheirArrival() {
        EventChannel other = pair.hosts.client.cm.createChannel();
        RdmaId first = pair.client(PortSpace.TCP);
        RdmaId second = pair.client(PortSpace.TCP);
        first.writeEvent(1, null);
        second.writeEvent(2, null);
        first.writeEvent(3, null);
        assertThat(pair.atClient(ConnectionEventType.USER).status()).isEqualTo(1);
        first.migrate(other);
        assertThat(pair.atClient(ConnectionEventType.USER).status()).isEqualTo(2);
        assertThat(pair.ofClient.poll()).as("moved with its id").isNull();
        assertThat(pair.hosts.await(other).status()).isEqualTo(3);
        first.migrate(pair.ofClient);
        other.close();
    }
}
