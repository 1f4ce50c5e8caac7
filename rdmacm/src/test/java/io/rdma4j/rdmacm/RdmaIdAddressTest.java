// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.ledger.Covers;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Addresses, ports, options and events of ids without a peer. */
class RdmaIdAddressTest {
    private static final InetSocketAddress OWN = VirtualHosts.address("10.0.0.1", 7471);
    private static final InetSocketAddress ANY = VirtualHosts.address("0.0.0.0", 7471);
    private static final InetSocketAddress ANY6 = VirtualHosts.address("::", 7471);

    private final VirtualHosts hosts = new VirtualHosts();
    private final VirtualHosts.VirtualHost host = hosts.host(hosts.new Port("c", "10.0.0.1", "fd00::1"));

    private RdmaId bound(InetSocketAddress address) {
        RdmaId id = host.id(PortSpace.TCP);
        id.bindAddress(address);
        return id;
    }

    private static Errno errnoOf(Runnable call) {
        return catchThrowableOfType(RdmaException.class, call::run).errno();
    }

    @Test
    void anAddressAndPortHasOneOwner() {
        RdmaId first = bound(OWN);
        assertThat(errnoOf(() -> bound(OWN))).isEqualTo(Errno.EADDRINUSE);
        assertThat(errnoOf(() -> bound(ANY))).isEqualTo(Errno.EADDRNOTAVAIL);
        first.close();
        RdmaId wildcard = bound(ANY);
        assertThat(errnoOf(() -> bound(OWN))).isEqualTo(Errno.EADDRNOTAVAIL);
        assertThat(errnoOf(() -> bound(ANY6))).isEqualTo(Errno.EADDRNOTAVAIL);
        wildcard.close();
        bound(OWN);
    }

    @Test
    void wildcardsOfBothFamiliesCoexistIfTheIpv6OneWantsNoIpv4() {
        bound(ANY);
        RdmaId id = host.id(PortSpace.TCP);
        id.setAddressFamilyOnly(true);
        id.bindAddress(ANY6);
        assertThat(id.state()).isEqualTo(RdmaIdState.ADDR_BOUND);
    }

    @Test
    @Covers("RCM-63")
    void twoInterfacesHaveTheSameLinkLocalAddress() throws UnknownHostException {
        VirtualHosts.Port first = hosts.new Port("first", "fe80::1");
        VirtualHosts.Port second = hosts.new Port("second", "fe80::1");
        VirtualHosts.VirtualHost both = hosts.host(first, second);
        for (VirtualHosts.Port port : List.of(first, second)) {
            RdmaId id = both.id(PortSpace.TCP);
            InetSocketAddress own = new InetSocketAddress(
                    Inet6Address.getByAddress(null, Gid.parse("fe80::1").toBytes(), port.interfaceIndex()), 7471);
            id.bindAddress(own);
            assertThat(id.requireDevice()).isSameAs(port);
            assertThat(id.localAddress()).isEqualTo(own);
            RdmaId other = both.id(PortSpace.TCP);
            assertThat(errnoOf(() -> other.bindAddress(own))).isEqualTo(Errno.EADDRINUSE);
        }
    }

    @Test
    void portSpacesAreSeparate() {
        bound(OWN);
        RdmaId id = host.id(PortSpace.UDP);
        id.bindAddress(OWN);
        assertThat(id.localAddress()).isEqualTo(OWN);
    }

    @Test
    void idsThatReuseAnAddressShareItUntilOneListens() {
        RdmaId first = host.id(PortSpace.TCP);
        RdmaId second = host.id(PortSpace.TCP);
        first.setReuseAddress(true);
        second.setReuseAddress(true);
        first.bindAddress(OWN);
        second.bindAddress(OWN);
        assertThat(errnoOf(() -> first.listen(1))).isEqualTo(Errno.EADDRINUSE);
        second.close();
        first.listen(1);
        assertThat(errnoOf(() -> first.setReuseAddress(false))).isEqualTo(Errno.EINVAL);
    }

    @Test
    void anAddressIsOneOfTheHostWithADevice() {
        assertThat(errnoOf(() -> bound(VirtualHosts.address("10.0.0.9", 1)))).isEqualTo(Errno.EADDRNOTAVAIL);
        assertThat(errnoOf(() -> bound(VirtualHosts.address("192.0.2.1", 1)))).isEqualTo(Errno.ENODEV);
        assertThat(errnoOf(() -> bound(VirtualHosts.address("10.0.0.1", 1023)))).isEqualTo(Errno.EACCES);
        assertThat(errnoOf(() -> host.id(PortSpace.IPOIB).bindAddress(OWN))).isEqualTo(Errno.EPROTONOSUPPORT);
        RdmaId id = bound(OWN);
        assertThat(errnoOf(() -> id.bindAddress(OWN))).isEqualTo(Errno.EINVAL);
    }

    @Test
    void ephemeralPortsAreDifferent() {
        Set<Integer> ports = new HashSet<>();
        for (int i = 0; i < 28_232; i++) {
            RdmaId id = bound(VirtualHosts.address("10.0.0.1", 0));
            int port = id.localAddress().getPort();
            assertThat(port).isBetween(32_768, 60_999);
            ports.add(port);
        }
        assertThat(ports).hasSize(28_232);
        assertThat(errnoOf(() -> bound(VirtualHosts.address("10.0.0.1", 0)))).isEqualTo(Errno.EADDRNOTAVAIL);
    }

    @Test
    void aRouteWithoutDeviceIsAnAddressError() {
        host.devices.clear();
        RdmaId id = host.id(PortSpace.TCP);
        id.resolveAddress(null, VirtualHosts.address("10.0.0.2", 1), 100);
        assertThat(host.expect(ConnectionEventType.ADDR_ERROR).status()).isEqualTo(-Errno.ENODEV.code());
        assertThat(id.state()).isEqualTo(RdmaIdState.ADDR_BOUND);
    }

    @Test
    void resolvingNeedsOneFamilyAndATimeout() {
        RdmaId id = host.id(PortSpace.TCP);
        assertThat(errnoOf(() -> id.resolveAddress(VirtualHosts.address("fd00::1", 0), OWN, 1)))
                .isEqualTo(Errno.EINVAL);
        id.resolveAddress(null, VirtualHosts.address("10.0.0.2", 1), 1);
        assertThat(id.localAddress().getAddress()).isEqualTo(OWN.getAddress());
        assertThat(errnoOf(() -> id.resolveRoute(0))).isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(() -> id.connect(ConnectParameters.DEFAULT))).isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(id::disconnect)).isEqualTo(Errno.EINVAL);
    }

    @Test
    void aSynchronousIdReturnsTheOutcome() {
        RdmaId id = host.cm.createId(null, PortSpace.TCP);
        id.resolveAddress(null, VirtualHosts.address("10.0.0.2", 1), 1);
        assertThat(Objects.requireNonNull(id.lastEvent()).type()).isEqualTo(ConnectionEventType.ADDR_RESOLVED);
        id.resolveRoute(1);
        assertThat(id.state()).isEqualTo(RdmaIdState.ROUTE_RESOLVED);
        assertThat(errnoOf(id::getRequest)).isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(() -> id.migrate(null))).isEqualTo(Errno.EINVAL);
        id.close();
        host.devices.clear();
        RdmaId lost = host.cm.createId(null, PortSpace.TCP);
        assertThat(errnoOf(() -> lost.resolveAddress(null, OWN, 1))).isEqualTo(Errno.ENODEV);
    }

    @Test
    void eventsMoveWithTheirId() {
        RdmaId id = host.id(PortSpace.TCP);
        id.writeEvent(3, "mine");
        EventChannel other = host.cm.createChannel();
        id.migrate(other);
        host.expectNothing();
        assertThat(errnoOf(other::close)).isEqualTo(Errno.EBUSY);
        ConnectionEvent event = Objects.requireNonNull(other.poll());
        assertThat(event.type()).isEqualTo(ConnectionEventType.USER);
        assertThat(event.status()).isEqualTo(3);
        assertThat(event.context()).isEqualTo("mine");
        assertThat(event.type().text()).isEqualTo("RDMA_CM_EVENT_USER");
        event.acknowledge();
        assertThat(errnoOf(event::acknowledge)).isEqualTo(Errno.EINVAL);
        id.close();
        other.close();
        assertThat(errnoOf(other::poll)).isEqualTo(Errno.EINVAL);
    }

    @Test
    void aFutureGetsTheNextEvent() {
        RdmaId id = host.id(PortSpace.TCP);
        var future = host.channel.next();
        assertThat(future).isNotDone();
        id.writeEvent(1, null);
        assertThat(future).isCompletedWithValueMatching(event -> event.status() == 1);
        future.join().acknowledge();
        var late = host.channel.next();
        id.close();
        host.channel.close();
        assertThat(late).isCompletedExceptionally();
    }

    @Test
    void multicastGroupsAttachTheQueuePair() {
        RdmaId id = host.id(PortSpace.UDP);
        Gid group = Gid.parse("239.1.1.1");
        assertThat(errnoOf(() -> id.joinMulticast(group.toInetAddress(), JoinMode.FULL_MEMBER, null)))
                .isEqualTo(Errno.EINVAL);
        id.bindAddress(OWN);
        VirtualHosts.TestQp qp = hosts.qp(id);
        id.joinMulticast(group.toInetAddress(), JoinMode.FULL_MEMBER, "context");
        ConnectionEvent event = host.expect(ConnectionEventType.MULTICAST_JOIN);
        assertThat(Objects.requireNonNull(event.datagram()).qpn()).isEqualTo(0xFF_FFFF);
        assertThat(event.context()).isEqualTo("context");
        assertThat(qp.groups).containsExactly(group);
        id.leaveMulticast(group.toInetAddress());
        assertThat(qp.groups).isEmpty();
        assertThat(errnoOf(() -> id.leaveMulticast(group.toInetAddress()))).isEqualTo(Errno.EADDRNOTAVAIL);
    }

    @Test
    void aMemberThatOnlySendsIsNotAttached() {
        RdmaId id = host.id(PortSpace.UDP);
        Gid group = Gid.parse("239.1.1.1");
        id.bindAddress(OWN);
        id.joinMulticast(group.toInetAddress(), JoinMode.SEND_ONLY_FULL_MEMBER, null);
        host.expect(ConnectionEventType.MULTICAST_JOIN);
        VirtualHosts.TestQp qp = hosts.qp(id);
        id.leaveMulticast(group.toInetAddress());
        assertThat(errnoOf(() -> id.leaveMulticast(group.toInetAddress()))).isEqualTo(Errno.EADDRNOTAVAIL);
        id.joinMulticast(group.toInetAddress(), JoinMode.SEND_ONLY_FULL_MEMBER, null);
        assertThat(qp.groups).isEmpty();
        id.joinMulticast(group.toInetAddress(), JoinMode.FULL_MEMBER, null);
        id.joinMulticast(group.toInetAddress(), JoinMode.SEND_ONLY_FULL_MEMBER, null);
        assertThat(qp.groups).containsExactly(group);
        id.leaveMulticast(group.toInetAddress());
        assertThat(qp.groups).isEmpty();
    }
}
