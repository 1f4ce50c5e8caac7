// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import static io.rdma4j.rdmacm.connection.IdPair.errnoOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.cm.Cm;
import io.rdma4j.cm.CmEvent;
import io.rdma4j.cm.CmId;
import io.rdma4j.cm.CmPath;
import io.rdma4j.cm.ReqParameters;
import io.rdma4j.cm.SidrReqParameters;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.ConnectionEventType;
import io.rdma4j.rdmacm.LocalDevice;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.rdmacm.RdmaIdState;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.RdmaCmHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** To which listener a request belongs, and what becomes of those that belong to none. */
@ProvedOn("device")
class ListenOnDeviceTest {
    private static final int CONSUMER_DEFINED = 28;
    private static final int MAX_BACKLOG = 1024;
    private static final Gid OWN = Gid.parse("10.0.0.1");
    private static final Gid PEER = Gid.parse("10.0.0.2");

    private final IdPair pair = new IdPair();
    private final CmPath path =
            Objects.requireNonNull(pair.resolved(PortSpace.TCP).path());
    /** What the client's communication manager receives for requests that no id sent. */
    private final List<CmEvent> answers = new ArrayList<>();

    private int nextQpn = 0x100;

    @AfterEach
    void close() {
        pair.close();
    }

    private static MemorySegment header(Gid source, Gid destination) {
        MemorySegment data = MemorySegment.ofArray(new byte[RdmaCmHeader.BYTES]);
        RdmaCmHeader.write(data, 0, 9, source, destination);
        return data;
    }

    /** Sends a request of the communication manager. */
    private void send(Consumer<CmId> request) {
        LocalDevice device = pair.hosts.client.service.openDevices().getFirst();
        pair.hosts.client.cm.lock().lock();
        try {
            device.call((Cm cm) -> {
                request.accept(cm.createId((_, event) -> answers.add(event)));
                return true;
            });
        } finally {
            pair.hosts.client.cm.lock().unlock();
        }
    }

    private void request(QpType type, MemorySegment data) {
        ReqParameters parameters = ReqParameters.builder(path, PortSpace.TCP.serviceId(IdPair.PORT))
                .queuePair(type, nextQpn++, 1)
                .privateData(data)
                .build();
        send(id -> id.sendReq(parameters));
    }

    private void resolve(MemorySegment data) {
        send(id -> id.sendSidrReq(SidrReqParameters.of(path, PortSpace.UDP.serviceId(IdPair.PORT), data)));
    }

    private void expectRejection(int reason) {
        pair.hosts.await("answer", () -> !answers.isEmpty());
        assertThat(answers)
                .singleElement()
                .isInstanceOfSatisfying(
                        CmEvent.RejReceived.class,
                        rejection -> assertThat(rejection.code()).isEqualTo(reason));
        assertThat(pair.ofServer.poll()).isNull();
        answers.clear();
    }

    private void expectRefusal(int status) {
        pair.hosts.await("answer", () -> !answers.isEmpty());
        assertThat(answers)
                .singleElement()
                .isInstanceOfSatisfying(
                        CmEvent.SidrRepReceived.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(status));
        assertThat(pair.ofServer.poll()).isNull();
        answers.clear();
    }

    @Test
    @Covers("RCM-44")
    void withoutListenerTheCommunicationManagerRefuses() {
        pair.openServer();
        request(QpType.RC, header(OWN, PEER));
        expectRejection(8);
        resolve(header(OWN, PEER));
        expectRefusal(1);
    }

    @ParameterizedTest
    @CsvSource({
        "224.0.0.1, 10.0.0.2", // a group
        "255.255.255.255, 10.0.0.2",
        "0.0.0.0, 10.0.0.2",
        "0.1.2.3, 10.0.0.2",
        "127.0.0.1, 10.0.0.2", // loopback on another device
        "10.0.0.1, 10.0.0.9", // not an address of the device
        "fd00::1, fd00::2" // the listener has the IPv4 address
    })
    @Covers("RCM-44")
    void addressesThatDoNotFitAreRejected(String source, String destination) {
        pair.listener(PortSpace.TCP);
        pair.listener(PortSpace.UDP);
        request(QpType.RC, header(Gid.parse(source), Gid.parse(destination)));
        expectRejection(CONSUMER_DEFINED);
        resolve(header(Gid.parse(source), Gid.parse(destination)));
        expectRefusal(2);
    }

    @Test
    @Covers("RCM-61")
    void theRouteBackLeavesThroughTheInterfaceOfTheListener() {
        pair.hosts.server.setNetwork("10.0.0.2", 24);
        pair.listener(PortSpace.TCP);
        pair.listener(PortSpace.UDP);
        Gid elsewhere = Gid.parse("10.9.0.1");
        request(QpType.RC, header(elsewhere, PEER));
        expectRejection(CONSUMER_DEFINED);
        resolve(header(elsewhere, PEER));
        expectRefusal(2);
        request(QpType.RC, header(Gid.parse("10.0.0.7"), PEER));
        assertThat(pair.request().peerAddress()).isEqualTo(DeviceHosts.address("10.0.0.7", 9));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1", // another version
        "1, 80", // IP version 5
        "1, 0" // AF_IB has no header
    })
    @Covers("RCM-44")
    void anUnknownHeaderIsRejected(int offset, byte value) {
        pair.listener(PortSpace.TCP);
        MemorySegment data = header(OWN, PEER);
        data.set(ValueLayout.JAVA_BYTE, offset, value);
        request(QpType.RC, data);
        expectRejection(CONSUMER_DEFINED);
    }

    @Test
    @Covers("RCM-44")
    void aListenerAcceptsQueuePairsOfItsTypeOnly() {
        pair.listener(PortSpace.TCP);
        request(QpType.UC, header(OWN, PEER));
        expectRejection(CONSUMER_DEFINED);
        request(QpType.RC, header(OWN, PEER));
        RdmaId child = pair.request();
        assertThat(child.peerAddress()).isEqualTo(DeviceHosts.address("10.0.0.1", 9));
        pair.listener(
                pair.kept(pair.hosts.server.cm.createId(pair.ofServer, PortSpace.IB, QpType.UC)), IdPair.SERVER, 0);
        send(id -> id.sendReq(ReqParameters.builder(path, PortSpace.IB.serviceId(IdPair.PORT))
                .queuePair(QpType.UC, nextQpn++, 1)
                .privateData(header(OWN, PEER))
                .build()));
        assertThat(pair.request().qpType()).isEqualTo(QpType.UC);
    }

    @Test
    @Covers("RCM-44")
    void anExactAddressComesBeforeAWildcardOfAnotherFamily() {
        RdmaId only = pair.server(PortSpace.TCP);
        only.setAddressFamilyOnly(true);
        pair.listener(only, DeviceHosts.address("::", IdPair.PORT), 0);
        RdmaId exact = pair.listener(PortSpace.TCP);
        request(QpType.RC, header(OWN, PEER));
        ConnectionEvent request = pair.atServer(ConnectionEventType.CONNECT_REQUEST);
        pair.kept(request.id());
        assertThat(request.listenId()).isSameAs(exact);
    }

    @ParameterizedTest
    @CsvSource({"0.0.0.0, 10.0.0.2, 10.1.0.2", "::, fd00::2, fd01::2", "::, 10.0.0.2, fd01::2"})
    @Covers("RCM-64")
    void aWildcardListenerServesTwoDevicesAtOnce(String wildcard, String first, String second) {
        pair.hosts.addLink();
        RdmaId listener = pair.listener(pair.server(PortSpace.TCP), DeviceHosts.address(wildcard, IdPair.PORT), 0);
        assertThat(listener.verbs()).as("the wildcard has no device").isNull();
        IdPair.Connection overFirst = connectTo(first, "rxe0");
        IdPair.Connection overSecond = connectTo(second, "rxe1");
        overFirst.active().disconnect();
        pair.atServer(ConnectionEventType.DISCONNECTED);
        assertThat(overSecond.passive().state()).isEqualTo(RdmaIdState.CONNECT);
        connectTo(second, "rxe1");
    }

    private IdPair.Connection connectTo(String address, String device) {
        RdmaId active = pair.resolved(pair.client(PortSpace.TCP), DeviceHosts.address(address, IdPair.PORT));
        IdPair.Connection connection = pair.connect(active);
        RdmaId passive = connection.passive();
        assertThat(Objects.requireNonNull(passive.verbs()).device().name()).isEqualTo(device);
        assertThat(passive.localAddress()).isEqualTo(active.peerAddress());
        assertThat(passive.peerAddress()).isEqualTo(active.localAddress());
        return connection;
    }

    @Test
    @Covers("RCM-43")
    void aRequestBeyondTheBacklogComesWithItsRepetition() {
        pair.listener(pair.server(PortSpace.TCP), IdPair.SERVER, 1);
        request(QpType.RC, header(OWN, PEER));
        request(QpType.RC, header(OWN, PEER));
        ConnectionEvent first = pair.atServer(ConnectionEventType.CONNECT_REQUEST);
        pair.kept(first.id());
        pair.expectNothing();
        assertThat(answers).as("no rejection").isEmpty();
        long startNs = pair.hosts.virtualNs();
        pair.request();
        assertThat(pair.hosts.virtualNs() - startNs).as("after 6.1 s").isGreaterThan(6_000_000_000L);
    }

    @Test
    @Covers("RCM-43")
    void aDatagramServiceWithFullBacklogRefuses() {
        pair.listener(pair.server(PortSpace.UDP), IdPair.SERVER, 1);
        resolve(header(OWN, PEER));
        pair.settle();
        resolve(header(OWN, PEER));
        pair.hosts.await("answer", () -> !answers.isEmpty());
        assertThat(answers)
                .singleElement()
                .isInstanceOfSatisfying(
                        CmEvent.SidrRepReceived.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(2));
        pair.request();
    }

    @Test
    @Covers("RCM-43")
    void theBacklogIsAtMost1024() {
        RdmaId listener = pair.listener(pair.server(PortSpace.TCP), IdPair.SERVER, 5000);
        for (int i = 0; i <= MAX_BACKLOG; i++) {
            request(QpType.RC, header(OWN, PEER));
            if (i % 64 == 0) {
                pair.settle();
            }
        }
        pair.settle();
        assertThat(pair.hosts.server.cm.ids()).hasSize(1 + MAX_BACKLOG);
        assertThat(answers).isEmpty();
        listener.close();
        pair.hosts.await("rejections", () -> answers.size() == MAX_BACKLOG);
        assertThat(answers)
                .as("the program has not taken them")
                .allSatisfy(answer ->
                        assertThat(((CmEvent.RejReceived) answer).code()).isEqualTo(CONSUMER_DEFINED));
        assertThat(pair.hosts.server.cm.ids()).isEmpty();
    }

    @Test
    @Covers("RCM-37")
    void theRequestComesBeforeTheEventsOfItsId() {
        pair.listener(PortSpace.TCP);
        RdmaId active = pair.resolved(PortSpace.TCP);
        IdPair.createQp(active);
        active.connect(IdPair.DEFAULT);
        pair.settle();
        active.close();
        pair.settle();
        RdmaId child = pair.request();
        assertThat(pair.atServer(ConnectionEventType.REJECTED).id()).isSameAs(child);
    }

    @Test
    @Covers("RCM-47")
    void aListenerNeedsAnIdThatDoesNothingElse() {
        RdmaId resolved = pair.resolved(PortSpace.TCP);
        assertThat(errnoOf(() -> resolved.listen(1))).isEqualTo(Errno.EINVAL);
        RdmaId unbound = pair.server(PortSpace.TCP);
        unbound.listen(1);
        assertThat(unbound.localAddress().getAddress().isAnyLocalAddress()).isTrue();
        assertThat(unbound.localAddress().getPort()).isBetween(32_768, 60_999);
        assertThat(errnoOf(() -> unbound.listen(1))).isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(() -> unbound.connect(IdPair.DEFAULT))).isEqualTo(Errno.EINVAL);
    }
}
