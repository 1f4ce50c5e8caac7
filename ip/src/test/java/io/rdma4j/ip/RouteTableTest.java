// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import static io.rdma4j.ip.WireTap.ip;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.ip.route.Route;
import io.rdma4j.ip.route.RouteTable;
import io.rdma4j.ip.route.RouteType;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.InterfaceAddress;
import io.rdma4j.net.address.IpPrefix;
import io.rdma4j.testing.ledger.Covers;
import java.util.List;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RouteTableTest {
    private final NetDevice eth0 = new WireTap("eth0", 2, 1500, "10.0.0.1/24", "fd00::1/64").device;
    private final NetDevice eth1 = new WireTap("eth1", 3, 1500, "10.1.0.1/16", "fd01::1/64").device;
    private final IpStack stack = new IpStack(IpSettings.DEFAULT, () -> 0);
    private final RouteTable routes = stack.routes();

    RouteTableTest() {
        stack.add(eth0);
        stack.add(eth1);
    }

    @AfterEach
    void close() {
        stack.close();
    }

    private @Nullable Route lookup(String address) {
        return routes.lookup(ip(address).prefix(), ip(address).interfaceId(), null);
    }

    private @Nullable NetDevice out(String address) {
        Route route = lookup(address);
        return route == null ? null : route.device();
    }

    private RouteType type(String address) {
        return stack.destinations().find(ip(address)).type();
    }

    private static void assertFails(Errno errno, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    void addressesOfDevicesMakeRoutes() {
        assertThat(routes.list())
                .extracting(Route::toString)
                .contains(
                        "local 10.0.0.1/32 dev eth0 src 10.0.0.1",
                        "10.0.0.0/24 dev eth0 src 10.0.0.1",
                        "broadcast 10.0.0.255/32 dev eth0 src 10.0.0.1",
                        "10.1.0.0/16 dev eth1 src 10.1.0.1",
                        "local fd00::1/128 dev eth0 src fd00::1",
                        "fd01::/64 dev eth1 src fd01::1");
        assertThat(out("10.0.0.7")).isSameAs(eth0);
        assertThat(out("10.1.200.7")).isSameAs(eth1);
        assertThat(out("fd01::77")).isSameAs(eth1);
        assertThat(out("10.2.0.1")).isNull();
        assertThat(out("fd02::1")).isNull();
    }

    @Test
    void routesFollowTheAddressesAndTheStateOfTheirDevice() {
        int before = routes.generation();
        eth0.ip().set(List.of(InterfaceAddress.parse("172.16.0.1/12")));
        assertThat(out("10.0.0.7")).isNull();
        assertThat(out("172.31.1.1")).isSameAs(eth0);
        assertThat(routes.generation()).isGreaterThan(before);
        eth0.down();
        assertThat(out("172.31.1.1")).isNull();
        eth0.up();
        assertThat(out("172.31.1.1")).isSameAs(eth0);
        stack.remove(eth0);
        assertThat(out("172.31.1.1")).isNull();
    }

    @Test
    void theLongestPrefixCountsThenTheLowestMetric() {
        routes.add(Route.via(IpPrefix.ALL_IPV4, ip("10.0.0.254")));
        routes.add(Route.via(IpPrefix.parse("192.168.0.0/16"), ip("10.1.0.254")));
        routes.add(Route.via(IpPrefix.parse("192.168.4.0/24"), ip("10.0.0.253")).withMetric(20));
        routes.add(Route.via(IpPrefix.parse("192.168.4.0/24"), ip("10.1.0.253")).withMetric(10));
        assertThat(out("8.8.8.8")).isSameAs(eth0);
        assertThat(out("192.168.1.1")).isSameAs(eth1);
        assertThat(Objects.requireNonNull(lookup("192.168.4.1")).gateway()).isEqualTo(ip("10.1.0.253"));
        eth1.down();
        assertThat(Objects.requireNonNull(lookup("192.168.4.1")).gateway())
                .as("a route over a device that is down does not count")
                .isEqualTo(ip("10.0.0.253"));
        routes.remove(IpPrefix.parse("192.168.4.0/24"), 20);
        assertThat(Objects.requireNonNull(lookup("192.168.4.1")).gateway()).isEqualTo(ip("10.0.0.254"));
    }

    @Test
    void aDefaultRouteIsForItsIpVersion() {
        routes.add(Route.via(IpPrefix.ALL_IPV6, ip("fd00::fe")));
        assertThat(out("2001:db8::1")).isSameAs(eth0);
        assertThat(out("192.0.2.1")).isNull();
    }

    @Test
    void theDeviceMayBeGiven() {
        routes.add(Route.via(IpPrefix.ALL_IPV4, ip("10.0.0.254")));
        RouteCache found = stack.destinations();
        assertThat(found.find(ip("192.0.2.1"), eth0).nextHop()).isEqualTo(ip("10.0.0.254"));
        Destination onLink = found.find(ip("192.0.2.1"), eth1);
        assertThat(onLink.nextHop())
                .as("no route over it: then it is on its link")
                .isEqualTo(ip("192.0.2.1"));
        assertThat(Objects.requireNonNull(onLink.out()).device()).isSameAs(eth1);
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        Route route = Route.via(IpPrefix.parse("192.0.2.0/24"), ip("10.0.0.254"));
        routes.add(route);
        assertFails(Errno.EEXIST, () -> routes.add(route));
        assertFails(Errno.ENETUNREACH, () -> routes.add(Route.via(IpPrefix.ALL_IPV4, ip("172.16.0.1"))));
        assertFails(Errno.ENETUNREACH, () -> routes.add(Route.via(IpPrefix.ALL_IPV4, ip("10.0.0.1"))));
        assertFails(Errno.EINVAL, () -> Route.via(IpPrefix.ALL_IPV4, ip("fd00::fe")));
        assertFails(Errno.EINVAL, () -> Route.reject(IpPrefix.ALL_IPV4, RouteType.LOCAL));
        assertFails(Errno.ENOENT, () -> routes.remove(IpPrefix.ALL_IPV4, 0));
        assertFails(Errno.ENOENT, () -> routes.remove(IpPrefix.parse("10.0.0.0/24"), 0));
        assertFails(Errno.EINVAL, () -> IpPrefix.parse("10.0.0.1/24"));
        assertFails(Errno.EINVAL, () -> IpPrefix.parse("10.0.0.0/33"));
        assertFails(Errno.EINVAL, () -> IpPrefix.parse("10.0.0.0/x"));
        assertFails(Errno.EINVAL, () -> InterfaceAddress.parse("224.0.0.1/8"));
        assertFails(Errno.EINVAL, () -> InterfaceAddress.parse("fd00::1/129"));
    }

    /** Results of a lookup: local delivery, transmission through a device, dropping, or an ICMP error. */
    @Test
    @Covers("SKB-17")
    void whatWasFoundSaysWhatBecomesOfAPacketAndIsFoundAnewWhenRoutesChange() {
        routes.add(Route.reject(IpPrefix.parse("192.0.2.0/24"), RouteType.BLACKHOLE));
        assertThat(type("10.0.0.1")).isEqualTo(RouteType.LOCAL);
        assertThat(type("10.0.0.255")).isEqualTo(RouteType.BROADCAST);
        assertThat(type("192.0.2.9")).isEqualTo(RouteType.BLACKHOLE);
        assertThat(type("203.0.113.1")).isEqualTo(RouteType.NONE);
        Destination found = stack.destinations().find(ip("10.0.0.9"));
        assertThat(found.type()).isEqualTo(RouteType.UNICAST);
        assertThat(Objects.requireNonNull(found.out()).device()).isSameAs(eth0);
        assertThat(stack.destinations().find(ip("10.0.0.9"))).isSameAs(found);
        assertThat(found.references()).isEqualTo(1);

        found.hold();
        routes.add(Route.via(IpPrefix.parse("10.0.0.8/30"), ip("10.1.0.254")));
        Destination anew = stack.destinations().find(ip("10.0.0.9"));
        assertThat(Objects.requireNonNull(anew.out()).device()).isSameAs(eth1);
        assertThat(found.references()).as("only who held it knows the old one").isEqualTo(1);
        found.release();
    }

    @Test
    void manyDestinationsPushTheOldestOut() {
        Destination first = stack.destinations().find(ip("10.1.0.2"));
        for (int i = 0; i < 20_000; i++) {
            stack.destinations().find(Gid.ofIpv4(ip("10.1.1.0").ipv4() + i));
        }
        assertThat(first.references()).isZero();
    }

    @Test
    void prefixesContainWhatBeginsSo() {
        IpPrefix ten = IpPrefix.parse("10.0.0.0/8");
        assertThat(ten.contains(ip("10.255.0.1"))).isTrue();
        assertThat(ten.contains(ip("11.0.0.1"))).isFalse();
        assertThat(ten.contains(ip("::a00:1"))).isFalse();
        assertThat(ten.last()).isEqualTo(ip("10.255.255.255"));
        IpPrefix odd = IpPrefix.parse("fd00::/63");
        assertThat(odd.contains(ip("fd00:0:0:1::5"))).isTrue();
        assertThat(odd.contains(ip("fd00:0:0:2::5"))).isFalse();
        assertThat(IpPrefix.ALL_IPV6.contains(ip("10.0.0.1"))).isFalse();
        assertThat(IpPrefix.parse("fd00::1").isSingle()).isTrue();
        assertThat(InterfaceAddress.parse("10.1.2.3/16").network()).isEqualTo(IpPrefix.parse("10.1.0.0/16"));
        assertThat(InterfaceAddress.parse("10.1.2.3/16")).hasToString("10.1.2.3/16");
    }
}
