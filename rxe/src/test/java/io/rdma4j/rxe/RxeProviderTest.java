// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Guid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.Rdma;
import io.rdma4j.verbs.device.NodeType;
import io.rdma4j.verbs.spi.Provider;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RxeProviderTest {
    private final Host host = Host.create("test");

    @AfterEach
    void close() {
        System.clearProperty(RxeProvider.DEVICES_PROPERTY);
        host.close();
    }

    private List<String> names() {
        return host.devices().stream().map(Device::name).toList();
    }

    @Test
    void withoutFurtherWordThereIsALoopbackDeviceAndOneForEachInterface() {
        host.register(new RxeProvider(null, RxeOptions.DEFAULT));
        assertThat(names())
                .startsWith("rxe_lo")
                .containsAll(
                        HostInterfaces.devices().stream().map(DeviceSpec::name).toList())
                .hasSize(1 + HostInterfaces.devices().size());
    }

    @Test
    @Covers("UVERBS-16")
    void aDeviceStaysTheSameObject() {
        host.register(new RxeProvider(null, RxeOptions.DEFAULT));
        assertThat(host.devices()).isEqualTo(host.devices());
        assertThat(host.devices()).allMatch(device -> device.nodeType() == NodeType.CA && device.guid() != 0);
    }

    @Test
    void explicitDevicesReplaceTheDefaultOnes() {
        host.register(new RxeProvider(DeviceSpec.parseList("b=udp:127.0.0.9,a=udp:lo"), RxeOptions.DEFAULT));
        assertThat(names()).containsExactly("b", "a");
    }

    @Test
    @Covers({"RXE-1", "RXE-21"})
    void theProviderSaysWhatItIsAndWhichInterfacesItSpeaks() {
        RxeProvider provider = new RxeProvider(List.of(), RxeOptions.DEFAULT);
        assertThat(provider.name()).isEqualTo("rxe");
        assertThat(provider.minAbiVersion()).isLessThanOrEqualTo(Provider.ABI_VERSION);
        assertThat(provider.maxAbiVersion()).isGreaterThanOrEqualTo(Provider.ABI_VERSION);
        host.register(provider);
        assertThat(names()).isEmpty();
    }

    @Test
    void aSystemPropertyNamesTheDevices() {
        System.setProperty(RxeProvider.DEVICES_PROPERTY, "x=udp:127.0.0.9");
        host.register(new RxeProvider());
        assertThat(names()).containsExactly("x");
    }

    @Test
    void aMalformedPropertyIsRefused() {
        System.setProperty(RxeProvider.DEVICES_PROPERTY, "nonsense");
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(RxeProvider::new)
                .withMessageContaining("\"nonsense\"");
    }

    @Test
    void anUnknownDeviceIsRefusedWithTheNamesThereAre() {
        host.register(new RxeProvider(DeviceSpec.parseList("a=udp:lo,b=udp:lo"), RxeOptions.DEFAULT));
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> host.open("c"))
                .withMessageContaining("\"c\"")
                .withMessageContaining("a, b")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENODEV));
    }

    @Test
    void anAddressOfAnotherHostIsRefused() {
        host.register(new RxeProvider(DeviceSpec.parseList("a=udp:192.0.2.1"), RxeOptions.DEFAULT));
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> host.open("a"))
                .withMessageContaining("192.0.2.1")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EADDRNOTAVAIL));
    }

    /** Devices on different loopback addresses have different GUIDs. */
    @Test
    void aDeviceWithoutMacHasAGuidOfItsAddress() throws IOException {
        host.register(new RxeProvider(DeviceSpec.parseList("a=udp:127.0.0.9,b=udp:127.0.0.10"), RxeOptions.DEFAULT));
        long guid = host.device("a").guid();
        assertThat(guid).isNotEqualTo(host.device("b").guid());
        assertThat(guid).isEqualTo(Guid.ofMac(0x0200_7F00_0009L));
        assertThat(HostInterfaces.macAddress(InetAddress.getByName("127.0.0.9")))
                .isZero();
    }

    /** As with two processes of one machine: the second device takes the next address. */
    @Test
    void twoLoopbackDevicesHaveTwoAddresses() {
        host.register(new RxeProvider(DeviceSpec.parseList("a=udp:lo,b=udp:lo"), RxeOptions.DEFAULT));
        try (Context a = host.open("a");
                Context b = host.open("b")) {
            assertThat(a.queryGid(1, 0)).isNotEqualTo(b.queryGid(1, 0));
            assertThat(a.queryGid(1, 0).toString()).startsWith("::ffff:127.0.0.");
        }
    }

    private static String loopbackInterface() {
        return Objects.requireNonNull(HostInterfaces.name(LoopbackAddresses.first()));
    }

    /** Every machine has a loopback interface. The device is not opened, because another process may use its port. */
    @Test
    @Covers({"RXE-9", "RXE-10", "RXE-12", "RXE-22"})
    void aDeviceIsMadeOverAnInterface() {
        String lo = loopbackInterface();
        host.register(new RxeProvider(List.of(), RxeOptions.DEFAULT));
        assertThat(names()).isEmpty();
        Device made = host.newLink("rxe0", "rxe", lo);
        assertThat(names()).containsExactly("rxe0");
        assertThat(host.device("rxe0")).isSameAs(made);
        assertThat(HostInterfaces.device("x", lo).addresses()).contains(LoopbackAddresses.first());
    }

    @Test
    @Covers({"RXE-11", "RXE-22"})
    void anInterfaceCarriesOneDevice() {
        String lo = loopbackInterface();
        host.register(new RxeProvider(DeviceSpec.parseList("first=udp:127.0.0.1"), RxeOptions.DEFAULT));
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> host.newLink("rxe0", "rxe", lo))
                .withMessageContaining(lo)
                .withMessageContaining("first")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EEXIST));
        assertThat(names()).containsExactly("first");
    }

    @Test
    @Covers("RXE-11")
    void aVlanCarriesNone(@TempDir Path descriptions) throws IOException {
        String lo = loopbackInterface();
        Path kind = Files.createDirectory(descriptions.resolve(lo)).resolve("uevent");
        Files.writeString(kind, "DEVTYPE=vlan\nINTERFACE=" + lo + "\nIFINDEX=1\n");
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> HostInterfaces.device("rxe0", lo, descriptions))
                .withMessageContaining(lo + " is a VLAN")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EPERM));
        Files.writeString(kind, "DEVTYPE=bridge\nINTERFACE=" + lo + "\nIFINDEX=1\n");
        assertThat(HostInterfaces.device("rxe0", lo, descriptions).name()).isEqualTo("rxe0");
    }

    @Test
    @Covers("RXE-10")
    void anInterfaceThatIsNotThereCarriesNone() {
        host.register(new RxeProvider(List.of(), RxeOptions.DEFAULT));
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> host.newLink("rxe0", "rxe", "nosuch0"))
                .withMessageContaining("nosuch0")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENODEV));
    }

    /** This JVM uses the module path. */
    @Test
    @Covers({"UVERBS-22", "UVERBS-24", "RXE-1"})
    void theProviderIsFoundOnTheModulePath() {
        System.setProperty(RxeProvider.DEVICES_PROPERTY, "x=udp:127.0.0.9");
        assertThat(RxeProvider.class.getModule().isNamed()).isTrue();
        try (Host all = Host.withServiceProviders("all")) {
            assertThat(all.devices()).extracting(Device::name).containsExactly("x");
        }
        assertThat(Rdma.devices()).isNotEmpty();
    }

    /** A JVM with everything on the class path and devices from the environment variable. */
    @Test
    @Covers({"UVERBS-22", "MR-39"})
    void theProviderIsFoundOnTheClassPathAndReadsTheEnvironment() throws Exception {
        ProcessBuilder builder = child();
        builder.environment().put(RxeProvider.DEVICES_VARIABLE, "first=udp:127.0.0.9,second=udp:lo");
        builder.environment().put("IBV_FORK_SAFE", "1");
        String text = output(builder);
        assertThat(text.lines()).contains("false first,second");
        assertThat(text).contains("IBV_FORK_SAFE is set and changes nothing").doesNotContain("RDMAV_FORK_SAFE");
    }

    /** IPv6 is not required: only the device that needs an IPv6 socket fails. */
    @Test
    @Covers("RXE-5")
    void aJvmWithoutIpv6HasIpv4Devices() throws Exception {
        ProcessBuilder builder = child("-Djava.net.preferIPv4Stack=true");
        builder.environment()
                .put(RxeProvider.DEVICES_VARIABLE, "four=udp:" + TestAddresses.text(45) + ",six=udp:[::1]");
        assertThat(output(builder).lines()).contains("four opens", "six EAFNOSUPPORT");
    }

    /** A JVM with everything on the class path that runs {@code ListDevices.java}. */
    private static ProcessBuilder child(String... options) throws URISyntaxException {
        String classPath = System.getProperty("jdk.module.path")
                + java.io.File.pathSeparator
                + Path.of(RxeProvider.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI());
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(options));
        Path program =
                Path.of(RxeProviderTest.class.getResource("ListDevices.java").toURI());
        command.addAll(List.of("-cp", classPath, program.toString()));
        return new ProcessBuilder(command).redirectErrorStream(true);
    }

    private static String output(ProcessBuilder builder) throws Exception {
        Process process = builder.start();
        try (InputStream out = process.getInputStream()) {
            String text = new String(out.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            return text;
        }
    }
}
