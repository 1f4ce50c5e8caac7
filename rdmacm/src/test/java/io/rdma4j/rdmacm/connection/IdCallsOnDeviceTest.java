// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import static io.rdma4j.rdmacm.connection.IdPair.errnoOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.ConnectionEventType;
import io.rdma4j.rdmacm.EventChannel;
import io.rdma4j.rdmacm.JoinMode;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.rdmacm.RdmaCmOptions;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.rdmacm.RdmaIdState;
import io.rdma4j.rdmacm.host.RdmaCmService;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.QpAttributes;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The calls of ids on real devices: what they refuse, and with which errno. */
@ProvedOn("device")
@Timeout(60)
class IdCallsOnDeviceTest {
    private static final InetSocketAddress ANY = DeviceHosts.address("0.0.0.0", IdPair.PORT);
    private static final InetSocketAddress ANY6 = DeviceHosts.address("::", IdPair.PORT);
    private static final InetSocketAddress SERVER6 = DeviceHosts.address("fd00::2", IdPair.PORT);
    private static final int FIRST_EPHEMERAL = 32_768;
    private static final int LAST_EPHEMERAL = 60_999;
    private static final int PORTS = 500;
    private static final int MAX_READS = 16;

    private final IdPair pair = new IdPair();

    @AfterEach
    void close() {
        pair.close();
    }

    private RdmaId bound(InetSocketAddress address) {
        RdmaId id = pair.server(PortSpace.TCP);
        id.bindAddress(address);
        return id;
    }

    private static MemorySegment data(int length) {
        return MemorySegment.ofArray(new byte[length]);
    }

    private static QueuePair qp(RdmaId id) {
        return Objects.requireNonNull(id.qp());
    }

    @Test
    @Covers("RCM-38")
    void anAddressAndPortHasOneOwner() {
        RdmaId first = bound(IdPair.SERVER);
        assertThat(first.state()).isEqualTo(RdmaIdState.ADDR_BOUND);
        assertThat(first.verbs()).as("bound to its device").isNotNull();
        assertThat(first.port()).isOne();
        assertThat(errnoOf(() -> first.bindAddress(IdPair.SERVER))).isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(() -> bound(IdPair.SERVER))).isEqualTo(Errno.EADDRINUSE);
        assertThat(errnoOf(() -> bound(ANY))).isEqualTo(Errno.EADDRNOTAVAIL);
        assertThat(errnoOf(() -> bound(ANY6))).isEqualTo(Errno.EADDRNOTAVAIL);
        bound(SERVER6);
        RdmaId datagrams = pair.server(PortSpace.UDP);
        datagrams.bindAddress(IdPair.SERVER);
        first.close();
        bound(IdPair.SERVER);
    }

    @Test
    @Covers("RCM-38")
    void anAddressIsOneOfTheHostWithADevice() {
        assertThat(errnoOf(() -> bound(DeviceHosts.address("10.0.0.9", 1)))).isEqualTo(Errno.EADDRNOTAVAIL);
        assertThat(errnoOf(() -> bound(DeviceHosts.address("127.0.0.1", 1))))
                .as("a device has 10.0.0.2 only")
                .isEqualTo(Errno.ENODEV);
        assertThat(errnoOf(() -> bound(InetSocketAddress.createUnresolved("no-host", 1))))
                .isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(() -> pair.server(PortSpace.IPOIB).bindAddress(IdPair.SERVER)))
                .isEqualTo(Errno.EPROTONOSUPPORT);
        RdmaId wildcard = bound(ANY);
        assertThat(wildcard.verbs()).as("bound to no device").isNull();
        assertThat(wildcard.port()).isZero();
    }

    @Test
    @Covers("RCM-39")
    void portsBelow1024NeedAPrivilege() {
        assertThat(errnoOf(() -> bound(DeviceHosts.address("10.0.0.2", 1023)))).isEqualTo(Errno.EACCES);
        bound(DeviceHosts.address("10.0.0.2", 1024));
        try (RdmaCmService privileged = RdmaCmService.openDrivenByCaller(
                        pair.hosts.client.host, RdmaCmOptions.of(7).privileged(), () -> 0);
                EventChannel channel = privileged.cm().createChannel();
                RdmaId id = privileged.cm().createId(channel, PortSpace.TCP)) {
            id.bindAddress(DeviceHosts.address("10.0.0.1", 1023));
            assertThat(id.localAddress().getPort()).isEqualTo(1023);
        }
    }

    @Test
    @Covers("RCM-40")
    void ephemeralPortsAreDifferent() {
        Set<Integer> ports = new HashSet<>();
        RdmaCm cm = pair.hosts.server.cm;
        EventChannel channel = pair.ofServer;
        for (int i = 0; i < PORTS; i++) {
            RdmaId id = pair.kept(cm.createId(channel, PortSpace.TCP));
            id.bindAddress(DeviceHosts.address("10.0.0.2", 0));
            ports.add(id.localAddress().getPort());
        }
        assertThat(ports).hasSize(PORTS).allMatch(port -> port >= FIRST_EPHEMERAL && port <= LAST_EPHEMERAL);
    }

    @Test
    @Covers("RCM-41")
    void privateDataHasLimits() {
        pair.listener(PortSpace.TCP);
        pair.listener(PortSpace.UDP);
        RdmaId active = pair.resolved(PortSpace.TCP);
        IdPair.createQp(active);
        assertThat(errnoOf(() -> active.connect(IdPair.DEFAULT.withPrivateData(data(57)))))
                .isEqualTo(Errno.EINVAL);
        assertThat(active.state()).isEqualTo(RdmaIdState.ROUTE_RESOLVED);
        active.connect(IdPair.DEFAULT.withPrivateData(data(56)));
        RdmaId passive = pair.request();
        assertThat(errnoOf(() -> passive.accept(IdPair.DEFAULT.withPrivateData(data(197)))))
                .isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(() -> passive.reject(data(149)))).isEqualTo(Errno.EINVAL);
        passive.reject(data(148));
        pair.atClient(ConnectionEventType.REJECTED);

        RdmaId datagrams = pair.resolved(PortSpace.UDP);
        assertThat(errnoOf(() -> datagrams.connect(IdPair.DEFAULT.withPrivateData(data(181)))))
                .isEqualTo(Errno.EINVAL);
        datagrams.connect(IdPair.DEFAULT.withPrivateData(data(180)));
        RdmaId service = pair.request();
        assertThat(errnoOf(() -> service.accept(IdPair.DEFAULT.withPrivateData(data(137)))))
                .isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(() -> service.reject(data(137)))).isEqualTo(Errno.EINVAL);
        service.accept(IdPair.DEFAULT.withPrivateData(data(136)));
        pair.atClient(ConnectionEventType.ESTABLISHED);
    }

    @Test
    @Covers("RCM-42")
    void readsAtOnceAreThoseThatBothEndsCan() {
        pair.listener(PortSpace.TCP);
        RdmaId active = pair.resolved(PortSpace.TCP);
        IdPair.createQp(active);
        int max = pair.hosts.client.service.openDevices().getFirst().maxResponderResources();
        assertThat(errnoOf(() -> active.connect(IdPair.DEFAULT.withResources(max + 1, 1))))
                .isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(() -> active.connect(IdPair.DEFAULT.withResources(1, max + 1))))
                .isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(() -> IdPair.DEFAULT.withResources(256, 1))).isEqualTo(Errno.EINVAL);
        active.connect(IdPair.DEFAULT.withResources(3, ConnectParameters.MAXIMUM));
        ConnectionEvent request = pair.atServer(ConnectionEventType.CONNECT_REQUEST);
        assertThat(Objects.requireNonNull(request.parameters()).responderResources())
                .isEqualTo(Math.min(max, ConnectParameters.MAXIMUM - 1));
        RdmaId passive = pair.kept(request.id());
        IdPair.createQp(passive);
        assertThat(errnoOf(() -> passive.accept(IdPair.DEFAULT.withResources(max + 1, 1))))
                .isEqualTo(Errno.EINVAL);
        passive.accept(IdPair.DEFAULT.withResources(MAX_READS, ConnectParameters.MAXIMUM));
        pair.atClient(ConnectionEventType.ESTABLISHED);
        QpAttributes passiveQp = qp(passive).query();
        assertThat(passiveQp.maxDestRdAtomic()).isEqualTo(MAX_READS);
        assertThat(passiveQp.maxRdAtomic()).as("the peer serves no more").isEqualTo(3);
        assertThat(qp(active).query().maxRdAtomic()).isEqualTo(MAX_READS);
    }

    @Test
    @Covers("RCM-47")
    void aCallInAnotherStateIsRefused() {
        RdmaId id = pair.client(PortSpace.TCP);
        assertThat(errnoOf(() -> id.resolveRoute(1))).isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(() -> id.connect(IdPair.DEFAULT))).isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(() -> id.accept(IdPair.DEFAULT))).isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(() -> id.reject(MemorySegment.NULL))).isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(id::disconnect)).isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(() -> id.resolveAddress(SERVER6, IdPair.SERVER, 1)))
                .as("two families")
                .isEqualTo(Errno.EINVAL);
        pair.listener(PortSpace.TCP);
        pair.resolved(id, IdPair.SERVER);
        assertThat(errnoOf(() -> id.resolveAddress(null, IdPair.SERVER, 1))).isEqualTo(Errno.EINVAL);
        IdPair.createQp(id);
        assertThat(errnoOf(() -> IdPair.createQp(id))).as("a second queue pair").isEqualTo(Errno.EINVAL);
        id.connect(IdPair.DEFAULT);
        assertThat(errnoOf(() -> id.connect(IdPair.DEFAULT))).isEqualTo(Errno.EINVAL);
        RdmaId passive = pair.request();
        passive.reject(MemorySegment.NULL);
        assertThat(errnoOf(() -> passive.reject(MemorySegment.NULL))).isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(() -> passive.accept(IdPair.DEFAULT))).isEqualTo(Errno.EINVAL);
        pair.atClient(ConnectionEventType.REJECTED);
    }

    @Test
    @Covers("RCM-47")
    void aClosedIdIsRefused() {
        RdmaId id = pair.addressed(pair.client(PortSpace.TCP), null, IdPair.SERVER);
        id.close();
        id.close();
        assertThat(id.state()).isEqualTo(RdmaIdState.DESTROYING);
        List<Runnable> calls = List.of(
                () -> id.bindAddress(IdPair.SERVER),
                () -> id.resolveAddress(null, IdPair.SERVER, 1),
                () -> id.resolveRoute(1),
                () -> id.listen(1),
                () -> id.connect(IdPair.DEFAULT),
                () -> id.accept(IdPair.DEFAULT),
                () -> IdPair.createQp(id),
                () -> id.queues().protectionDomain(),
                () -> id.migrate(pair.ofClient),
                () -> id.setReuseAddress(true),
                () -> id.setAddressFamilyOnly(true));
        assertThat(calls).allSatisfy(call -> assertThat(errnoOf(call)).isEqualTo(Errno.EINVAL));
    }

    /** Starts a call that waits for the acknowledgement of an event. */
    private static Thread waiting(Runnable call) {
        Thread thread = Thread.ofPlatform().start(call);
        while (thread.getState() != Thread.State.WAITING) {
            assertThat(thread.isAlive()).as("it waits").isTrue();
            Thread.onSpinWait();
        }
        return thread;
    }

    private static ConnectionEvent fetched(EventChannel channel) {
        return Objects.requireNonNull(channel.poll());
    }

    @Test
    @Covers("RCM-45")
    void anIdIsDestroyedWhenItsEventsAreAcknowledged() throws InterruptedException {
        RdmaId id = pair.client(PortSpace.TCP);
        id.writeEvent(1, null);
        id.writeEvent(2, null);
        ConnectionEvent event = fetched(pair.ofClient);
        Thread closing = waiting(id::close);
        assertThat(pair.ofClient.poll()).as("the other event is dropped").isNull();
        event.acknowledge();
        closing.join();
        assertThat(errnoOf(event::acknowledge)).as("a second time").isEqualTo(Errno.EINVAL);
        assertThat(pair.hosts.client.cm.ids()).isEmpty();
    }

    @Test
    @Covers("RCM-45")
    void anIdMovesWhenItsEventsAreAcknowledged() throws InterruptedException {
        EventChannel other = pair.hosts.client.cm.createChannel();
        RdmaId id = pair.client(PortSpace.TCP);
        id.writeEvent(1, null);
        ConnectionEvent event = fetched(pair.ofClient);
        Thread moving = waiting(() -> id.migrate(other));
        event.acknowledge();
        moving.join();
        assertThat(id.channel()).isSameAs(other);
        assertThat(errnoOf(other::close)).isEqualTo(Errno.EBUSY);
        id.close();
        other.close();
        assertThat(errnoOf(other::poll)).isEqualTo(Errno.EINVAL);
    }

    @Test
    @Covers("RCM-46")
    void aGroupIsLeftWhenTheEventsOfItsJoinAreAcknowledged() throws InterruptedException {
        InetAddress group = DeviceHosts.address("239.1.1.1", 0).getAddress();
        InetAddress other = DeviceHosts.address("239.1.1.2", 0).getAddress();
        RdmaId id = pair.client(PortSpace.UDP);
        id.bindAddress(DeviceHosts.address("10.0.0.1", 0));
        IdPair.createQp(id);
        id.joinMulticast(group, JoinMode.FULL_MEMBER, null);
        id.joinMulticast(other, JoinMode.FULL_MEMBER, null);
        ConnectionEvent event = fetched(pair.ofClient);
        id.leaveMulticast(other);
        assertThat(pair.ofClient.poll())
                .as("the event of a group that was left")
                .isNull();
        Thread leaving = waiting(() -> id.leaveMulticast(group));
        event.acknowledge();
        leaving.join();
        assertThat(errnoOf(() -> id.leaveMulticast(group))).isEqualTo(Errno.EADDRNOTAVAIL);
    }

    @Test
    @Covers("RCM-46")
    void onlyDatagramIdsWithAnAddressJoinGroups() {
        InetAddress group = DeviceHosts.address("239.1.1.1", 0).getAddress();
        RdmaId unbound = pair.client(PortSpace.UDP);
        assertThat(errnoOf(() -> unbound.joinMulticast(group, JoinMode.FULL_MEMBER, null)))
                .isEqualTo(Errno.EINVAL);
        unbound.bindAddress(DeviceHosts.address("0.0.0.0", 0));
        assertThat(errnoOf(() -> unbound.joinMulticast(group, JoinMode.FULL_MEMBER, null)))
                .isEqualTo(Errno.ENODEV);
        RdmaId connection = pair.client(PortSpace.TCP);
        connection.bindAddress(DeviceHosts.address("10.0.0.1", 0));
        assertThat(errnoOf(() -> connection.joinMulticast(group, JoinMode.FULL_MEMBER, null)))
                .isEqualTo(Errno.EINVAL);
        RdmaId bound = pair.client(PortSpace.UDP);
        bound.bindAddress(DeviceHosts.address("10.0.0.1", 0));
        assertThat(errnoOf(() -> bound.joinMulticast(IdPair.SERVER.getAddress(), JoinMode.FULL_MEMBER, null)))
                .as("no group")
                .isEqualTo(Errno.EINVAL);
        bound.joinMulticast(group, JoinMode.FULL_MEMBER, "context");
        assertThat(pair.atClient(ConnectionEventType.MULTICAST_JOIN).context()).isEqualTo("context");
    }

    @Test
    @Covers("RCM-46")
    void aGroupIsJoinedWithOrWithoutQueuePair() {
        InetAddress group = DeviceHosts.address("239.1.1.1", 0).getAddress();
        RdmaId id = pair.client(PortSpace.UDP);
        id.bindAddress(DeviceHosts.address("10.0.0.1", 0));
        id.joinMulticast(group, JoinMode.FULL_MEMBER, null);
        pair.atClient(ConnectionEventType.MULTICAST_JOIN);
        IdPair.createQp(id);
        id.leaveMulticast(group);
        id.joinMulticast(group, JoinMode.FULL_MEMBER, null);
        pair.atClient(ConnectionEventType.MULTICAST_JOIN);
        id.destroyQp();
        IdPair.createQp(id);
        id.leaveMulticast(group);
        assertThat(errnoOf(() -> id.leaveMulticast(group))).isEqualTo(Errno.EADDRNOTAVAIL);
    }
}
