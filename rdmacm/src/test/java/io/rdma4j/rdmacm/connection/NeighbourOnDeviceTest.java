// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import static io.rdma4j.rdmacm.connection.IdPair.errnoOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.rdmacm.ConnectionEventType;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.rdmacm.RdmaIdState;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stations on the link that answer, and those that do not; and the interfaces of link-local addresses. */
@ProvedOn("device")
class NeighbourOnDeviceTest {
    private static final int TIMEOUT_MS = 2000;
    private static final int INTERFACE = 7;

    private final IdPair pair = new IdPair();

    @AfterEach
    void close() {
        pair.close();
    }

    private static InetSocketAddress linkLocal(String ip, int scope, int port) {
        try {
            return new InetSocketAddress(
                    Inet6Address.getByAddress(null, Gid.parse(ip).toBytes(), scope), port);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.99", "fd00::99"})
    @Covers("RCM-62")
    void aStationThatDoesNotAnswerIsAnErrorAfterTheTimeout(String missing) {
        RdmaId id = pair.client(PortSpace.TCP);
        id.resolveAddress(null, DeviceHosts.address(missing, IdPair.PORT), TIMEOUT_MS);
        assertThat(id.state()).isEqualTo(RdmaIdState.ADDR_QUERY);
        assertThat(id.verbs()).isNull();
        assertThat(pair.atClient(ConnectionEventType.ADDR_ERROR).status()).isEqualTo(-110);
        assertThat(Duration.ofNanos(pair.hosts.virtualNs())).isEqualTo(Duration.ofMillis(TIMEOUT_MS));
        assertThat(id.state()).isEqualTo(RdmaIdState.ADDR_BOUND);
    }

    @Test
    @Covers("RCM-62")
    void theIdMayTryAgain() {
        RdmaId id = pair.client(PortSpace.TCP);
        id.resolveAddress(null, DeviceHosts.address("10.0.0.99", IdPair.PORT), 0);
        pair.atClient(ConnectionEventType.ADDR_ERROR);
        assertThat(Duration.ofNanos(pair.hosts.virtualNs())).isZero();
        pair.resolved(id, IdPair.SERVER);
        assertThat(id.localAddress().getAddress())
                .isEqualTo(Gid.parse("10.0.0.1").toInetAddress());
    }

    @Test
    @Covers("RCM-62")
    void aCallDuringTheQueryIsRefusedAndAClosedIdGetsNoEvent() {
        RdmaId id = pair.client(PortSpace.TCP);
        id.resolveAddress(null, DeviceHosts.address("10.0.0.99", IdPair.PORT), TIMEOUT_MS);
        assertThat(errnoOf(() -> id.resolveAddress(null, IdPair.SERVER, TIMEOUT_MS)))
                .isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(() -> id.resolveRoute(TIMEOUT_MS))).isEqualTo(Errno.EINVAL);
        id.close();
        pair.hosts.pass(Duration.ofSeconds(5));
        assertThat(pair.ofClient.poll()).isNull();
    }

    @Test
    @Covers("RCM-62")
    void aDeviceThatGoesAwayEndsTheQuery() {
        RdmaId id = pair.client(PortSpace.TCP);
        id.resolveAddress(null, DeviceHosts.address("10.0.0.99", IdPair.PORT), TIMEOUT_MS);
        pair.hosts.client.unplug();
        assertThat(pair.atClient(ConnectionEventType.ADDR_ERROR).status()).isEqualTo(-19);
        assertThat(Duration.ofNanos(pair.hosts.virtualNs())).isLessThan(Duration.ofMillis(TIMEOUT_MS));
    }

    @Test
    @Covers("RCM-62")
    void theOwnAddressAndAGroupNeedNoNeighbour() throws UnknownHostException {
        pair.addressed(pair.client(PortSpace.TCP), null, DeviceHosts.address("10.0.0.1", IdPair.PORT));
        InetSocketAddress group = new InetSocketAddress(InetAddress.getByName("239.1.1.1"), IdPair.PORT);
        pair.addressed(pair.client(PortSpace.UDP), null, group);
        assertThat(Duration.ofNanos(pair.hosts.virtualNs())).isZero();
    }

    @Test
    @Covers("RCM-25")
    void theRouteSelectsTheDevice() {
        pair.hosts.addLink();
        pair.hosts.client.setNetwork("10.0.0.1", 8);
        pair.hosts.client.setSecondNetwork("10.1.0.1", 24);
        pair.hosts.server.setNetwork("10.1.9.9", 8);
        RdmaId far = pair.client(PortSpace.TCP);
        pair.addressed(far, null, DeviceHosts.address("10.1.9.9", IdPair.PORT));
        assertThat(far.localAddress().getAddress())
                .isEqualTo(Gid.parse("10.0.0.1").toInetAddress());
    }

    @Test
    @Covers("RCM-63")
    void aLinkLocalAddressNeedsItsInterface() {
        pair.hosts.client.setAddresses("10.0.0.1", "fe80::1");
        RdmaId id = pair.client(PortSpace.TCP);
        InetSocketAddress none = linkLocal("fe80::1", 0, IdPair.PORT);
        assertThat(errnoOf(() -> id.bindAddress(none))).isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(() -> id.resolveAddress(none, linkLocal("fe80::2", INTERFACE, 1), TIMEOUT_MS)))
                .isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(() -> id.resolveAddress(null, linkLocal("fe80::2", 0, 1), TIMEOUT_MS)))
                .isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(() -> id.bindAddress(linkLocal("fe80::1", INTERFACE + 1, IdPair.PORT))))
                .as("another interface does not have it")
                .isIn(Errno.EADDRNOTAVAIL, Errno.ENODEV);
        id.bindAddress(linkLocal("fe80::1", INTERFACE, IdPair.PORT));
        assertThat(errnoOf(() -> id.resolveAddress(null, linkLocal("fe80::2", INTERFACE + 1, 1), TIMEOUT_MS)))
                .as("the own address is of another interface")
                .isEqualTo(Errno.EINVAL);
    }

    @Test
    @Covers("RCM-63")
    void linkLocalAddressesConnect() {
        pair.hosts.client.setAddresses("10.0.0.1", "fe80::1");
        pair.hosts.server.setAddresses("10.0.0.2", "fe80::2");
        pair.listener(pair.server(PortSpace.TCP), linkLocal("fe80::2", INTERFACE, IdPair.PORT), 0);
        RdmaId active = pair.resolved(pair.client(PortSpace.TCP), linkLocal("fe80::2", INTERFACE, IdPair.PORT));
        IdPair.Connection connection = pair.connect(active);
        InetSocketAddress peer = connection.passive().peerAddress();
        assertThat(peer.getAddress()).isEqualTo(Gid.parse("fe80::1").toInetAddress());
        assertThat(((Inet6Address) peer.getAddress()).getScopeId()).isEqualTo(INTERFACE);
        assertThat(((Inet6Address) active.localAddress().getAddress()).getScopeId())
                .isEqualTo(INTERFACE);
    }
}
