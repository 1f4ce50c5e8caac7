// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.values.QpType;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lookups of names and ports, by themselves and for an id. */
class AddressInfoTest {
    private static final InetSocketAddress OWN = VirtualHosts.address("10.0.0.1", 0);

    private final VirtualHosts hosts = new VirtualHosts();
    private final VirtualHosts.VirtualHost host = hosts.host(hosts.new Port("c", "10.0.0.1", "fd00::1"));

    private static Errno errnoOf(Runnable call) {
        return catchThrowableOfType(RdmaException.class, call::run).errno();
    }

    private static Errno errnoOf(@Nullable String node, @Nullable String service, @Nullable AddressHints hints) {
        return errnoOf(() -> AddressInfo.find(node, service, hints));
    }

    @Test
    @Covers("RCM-5")
    void anAddressOfAPeerIsADestination() {
        AddressInfo info = AddressInfo.find("10.0.0.2", "7471", null).getFirst();
        assertThat(info.destination()).isEqualTo(VirtualHosts.address("10.0.0.2", 7471));
        assertThat(info.source()).isNull();
        assertThat(info.isPassive()).isFalse();
        assertThat(info.family()).isEqualTo(AddressFamily.INET);
        assertThat(info.qpType()).isEqualTo(QpType.RC);
        assertThat(info.portSpace()).isEqualTo(PortSpace.TCP);
        AddressInfo from = AddressInfo.find("fd00::2", null, AddressHints.NONE.withAddresses(OWN, null))
                .getFirst();
        assertThat(from.source()).isEqualTo(OWN);
        assertThat(from.destination()).isEqualTo(VirtualHosts.address("fd00::2", 0));
        assertThat(from.family()).isEqualTo(AddressFamily.INET6);
    }

    @Test
    @Covers("RCM-5")
    void aListenerGetsOwnAddresses() {
        AddressHints passive = AddressHints.NONE.with(AddressFlag.PASSIVE);
        List<AddressInfo> all = AddressInfo.find(null, "7471", passive);
        assertThat(all).allMatch(AddressInfo::isPassive).allMatch(info -> info.destination() == null);
        assertThat(all)
                .extracting(AddressInfo::source)
                .containsExactly(VirtualHosts.address("0.0.0.0", 7471), VirtualHosts.address("::", 7471));
        assertThat(AddressInfo.find(null, "7471", passive.withFamily(AddressFamily.INET6)))
                .extracting(AddressInfo::source)
                .containsExactly(VirtualHosts.address("::", 7471));
        assertThat(AddressInfo.find("10.0.0.1", "1", passive).getFirst().source())
                .isEqualTo(VirtualHosts.address("10.0.0.1", 1));
    }

    @Test
    @Covers("RCM-5")
    void withoutNodeThePeerIsThisHost() {
        assertThat(AddressInfo.find(null, "7471", null))
                .extracting(AddressInfo::destination)
                .containsExactly(VirtualHosts.address("127.0.0.1", 7471), VirtualHosts.address("::1", 7471));
        assertThat(AddressInfo.find("localhost", "7471", AddressHints.NONE.withFamily(AddressFamily.INET)))
                .isNotEmpty()
                .allMatch(info -> info.family() == AddressFamily.INET);
    }

    @ParameterizedTest
    @CsvSource({", , RC, TCP", "UD, , UD, UDP", ", UDP, UD, UDP", "XRC_INI, IB, XRC_INI, IB", "RC, IB, RC, IB"})
    @Covers("RCM-5")
    void typeAndPortSpaceFollowFromEachOther(
            @Nullable QpType type, @Nullable PortSpace space, QpType expectedType, PortSpace expectedSpace) {
        AddressInfo info = AddressInfo.find(
                        "10.0.0.2",
                        "1",
                        AddressHints.NONE.with(AddressFlag.NO_ROUTE).withService(type, space))
                .getFirst();
        assertThat(info.qpType()).isEqualTo(expectedType);
        assertThat(info.portSpace()).isEqualTo(expectedSpace);
    }

    @Test
    @Covers("RCM-5")
    void hintsAloneAreCopied() {
        InetSocketAddress peer = VirtualHosts.address("10.0.0.2", 7471);
        AddressInfo info = AddressInfo.find(null, null, AddressHints.NONE.withAddresses(OWN, peer))
                .getFirst();
        assertThat(info.source()).isEqualTo(OWN);
        assertThat(info.destination()).isEqualTo(peer);
    }

    @Test
    @Covers("RCM-5")
    void whatCannotBeFoundIsRefused() {
        assertThat(errnoOf(null, null, null)).isEqualTo(Errno.EINVAL);
        assertThat(errnoOf("10.0.0.2", "no such service", null)).isEqualTo(Errno.EINVAL);
        assertThat(errnoOf("10.0.0.2", "65536", null)).isEqualTo(Errno.EINVAL);
        AddressHints numeric = AddressHints.NONE.with(AddressFlag.NUMERIC_HOST);
        assertThat(AddressInfo.find("10.0.0.2", "1", numeric)).hasSize(1);
        assertThat(errnoOf("localhost", "1", numeric)).isEqualTo(Errno.EADDRNOTAVAIL);
        assertThat(errnoOf("10.0.0.2", "1", AddressHints.NONE.withFamily(AddressFamily.INET6)))
                .isEqualTo(Errno.EADDRNOTAVAIL);
        assertThat(errnoOf(null, "1", AddressHints.NONE.with(AddressFlag.SA))).isEqualTo(Errno.EOPNOTSUPP);
        assertThat(errnoOf(() ->
                        AddressHints.NONE.withAddresses(InetSocketAddress.createUnresolved("localhost", 1), null)))
                .isEqualTo(Errno.EINVAL);
    }

    @Test
    @Covers("RCM-48")
    void aServiceHasANameOfTheHost(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("services");
        ServiceNames none = new ServiceNames(file);
        assertThat(none.port("7471", "tcp")).isEqualTo(7471);
        assertThat(errnoOf(() -> none.port("storage", "tcp"))).isEqualTo(Errno.EINVAL);
        Files.writeString(file, """
                # comment
                storage\t\t7471/tcp  blocks disk # of the cluster
                storage   7472/udp
                broken
                worse     70000/tcp
                """);
        ServiceNames names = new ServiceNames(file);
        assertThat(names.port("storage", "tcp")).isEqualTo(7471);
        assertThat(names.port("disk", "tcp")).isEqualTo(7471);
        assertThat(names.port("storage", "udp")).isEqualTo(7472);
        assertThat(names.port("0", "udp")).isZero();
        for (String name : List.of("", "disk", "comment", "broken", "-1", "65536")) {
            assertThat(errnoOf(() -> names.port(name, "udp"))).as(name).isEqualTo(Errno.EINVAL);
        }
        assertThat(errnoOf(() -> names.port("worse", "tcp"))).isEqualTo(Errno.EINVAL);
    }

    @Test
    @Covers("RCM-48")
    void theServicesOfTheHostAreThoseOfItsFile() throws IOException {
        Path file = Path.of("/etc/services");
        assumeTrue(Files.exists(file) && Files.readString(file).contains("\ndomain\t\t53/udp"));
        AddressHints datagrams = AddressHints.NONE.withService(null, PortSpace.UDP);
        assertThat(AddressInfo.find("10.0.0.2", "domain", datagrams).getFirst().destination())
                .isEqualTo(VirtualHosts.address("10.0.0.2", 53));
    }

    @Test
    void anIdLooksUpAddresses() {
        RdmaId id = host.id(PortSpace.TCP);
        assertThat(errnoOf(id::addressInfo)).isEqualTo(Errno.ENOENT);
        assertThat(errnoOf(() -> id.resolveAddressInfo("10.0.0.2", "7471", AddressHints.NONE)))
                .isEqualTo(Errno.EOPNOTSUPP);
        AddressHints hints = AddressHints.NONE.with(AddressFlag.DNS);
        id.resolveAddressInfo("10.0.0.2", "7471", hints);
        host.expect(ConnectionEventType.ADDRINFO_RESOLVED);
        assertThat(id.addressInfo())
                .isEqualTo(AddressInfo.find("10.0.0.2", "7471", hints))
                .hasSize(1);
        id.resolveAddressInfo("localhost", "1", hints.with(AddressFlag.NUMERIC_HOST));
        assertThat(host.expect(ConnectionEventType.ADDRINFO_ERROR).status()).isEqualTo(-Errno.EADDRNOTAVAIL.code());
        assertThat(errnoOf(id::addressInfo)).isEqualTo(Errno.ENOENT);
    }

    @Test
    void oneLookupIsUnderWayAtATime() {
        host.delaysTasks = true;
        RdmaId id = host.id(PortSpace.TCP);
        AddressHints hints = AddressHints.NONE.with(AddressFlag.DNS);
        id.resolveAddressInfo("10.0.0.2", "1", hints);
        assertThat(errnoOf(() -> id.resolveAddressInfo("10.0.0.2", "1", hints))).isEqualTo(Errno.EBUSY);
        host.tasks.removeFirst().run();
        host.expect(ConnectionEventType.ADDRINFO_RESOLVED);
        id.resolveAddressInfo("10.0.0.2", "1", hints);
        id.close();
        host.tasks.removeFirst().run();
        host.expectNothing();
    }

    @Test
    void aSynchronousIdWaitsForTheLookup() {
        try (RdmaId id = host.cm.createId(null, PortSpace.TCP)) {
            AddressHints hints = AddressHints.NONE.with(AddressFlag.DNS);
            id.resolveAddressInfo("10.0.0.2", "7471", hints);
            assertThat(id.addressInfo()).hasSize(1);
            assertThat(errnoOf(() -> id.resolveAddressInfo(null, null, hints.with(AddressFlag.SA))))
                    .isEqualTo(Errno.EOPNOTSUPP);
        }
    }
}
