// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.uverbs.client.UverbsDriver;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.device.NodeType;
import io.rdma4j.verbs.device.TransportType;
import io.rdma4j.verbs.local.RunDirectory;
import io.rdma4j.verbs.spi.DeviceMatch;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Driver;
import io.rdma4j.verbs.spi.FoundDevice;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How a program finds served devices and a driver for each. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ServedDiscoveryTest {
    @TempDir
    private Path folder;

    private ServedDevice served;
    private Path entry;
    private Host client;

    @BeforeEach
    void serve() {
        served = new ServedDevice(folder, UverbsServer.ABI_VERSION);
        entry = served.server.entry();
        client = Host.create("client", served.directory);
    }

    @AfterEach
    void close() {
        client.close();
        served.close();
    }

    private List<String> names() {
        return client.devices().stream().map(Device::name).toList();
    }

    private static void assertRefused(Errno errno, Runnable verb) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(verb::run)
                .satisfies(e -> assertThat(e.errno()).as(e.getMessage()).isEqualTo(errno));
    }

    /** {@code needed} is open when the list is freed, {@code left} is not. */
    @Test
    @Covers({"UVERBS-3", "UVERBS-31"})
    void aListedDeviceIsOfUseWhileItIsThereOrOpen() {
        client.register(new UverbsDriver());
        Device device = client.device("rxe0");
        Context context = device.open();
        assertThat(context.device()).isSameAs(device);
        assertThat(served.device.resources())
                .as("the private part, at the server")
                .hasSize(1);
        served.server.close();
        served.far.deleteLink("rxe0");
        assertThat(names()).isEmpty();
        assertThat(device.isPresent()).isFalse();
        assertRefused(Errno.ENODEV, device::open);
        assertThat(context.device()).isSameAs(device);
        context.close();
    }

    /** The devices of the program's own providers come first, and hide served ones of their name. */
    @Test
    @Covers("UVERBS-9")
    void thoseOfTheProgramComeBeforeThoseOfTheRunDirectory() throws IOException {
        Named driver = new Named("rxe", DeviceMatch.driverId(DeviceOps.DRIVER_RXE));
        client.register(driver);
        copyEntry("rxe7", 14);
        client.register(new RxeProvider(List.of(ServedDevice.spec()), RxeOptions.DEFAULT));
        assertThat(names()).containsExactly("rxe0", "rxe7");
        assertThat(driver.taken).containsExactly("rxe7");
        try (Context own = client.open("rxe0")) {
            assertThat(own.device().resources()).hasSize(1);
            assertThat(served.device.resources()).isEmpty();
        }
    }

    /** {@code find_sysfs_devs}: names with a dot, a missing folder, and a path that no socket can have. */
    @Test
    @Covers("UVERBS-10")
    void theRunDirectoryIsScanned() throws IOException {
        client.register(new UverbsDriver());
        assertThat(names()).containsExactly("rxe0");
        Path hidden = entry.resolveSibling("." + entry.getFileName());
        Files.move(entry, hidden);
        assertThat(names()).isEmpty();
        Files.move(hidden, entry);
        assertThat(names()).containsExactly("rxe0");
        assertRefused(Errno.ENOSYS, () -> new RunDirectory(folder.resolve("nowhere")).scan());
        Path deep = Files.createDirectory(folder.resolve("d".repeat(100)));
        assertRefused(Errno.ENOMEM, () -> UverbsServer.open(served.device, new RunDirectory(deep)));
    }

    /** {@code try_access_device}: the endpoint is gone, or is no socket of this user. */
    @Test
    @Covers("UVERBS-13")
    void aDeviceWhoseEndpointCannotBeAccessedIsLeftOut() throws IOException {
        client.register(new UverbsDriver());
        assertThat(names()).containsExactly("rxe0");
        Path control = entry.resolve(FoundDevice.ENDPOINT);
        Files.move(control, entry.resolve("moved"));
        assertThat(names()).isEmpty();
        Files.move(entry.resolve("moved"), control);
        client.open("rxe0").close();
    }

    /** {@code check_abi_version}: another version of the layout fails the whole call, of the commands one device. */
    @Test
    @Covers("UVERBS-15")
    void anotherVersionIsRefused() throws IOException {
        client.register(new UverbsDriver());
        Path version = served.directory.root().resolve("abi_version");
        Files.writeString(version, "7\n");
        assertRefused(Errno.ENOSYS, () -> served.directory.scan());
        assertThat(names()).isEmpty();
        Files.writeString(version, RunDirectory.ABI_VERSION + "\n");
        Files.writeString(entry.resolve("abi_version"), "4\n");
        assertThat(names()).isEmpty();
        Files.writeString(entry.resolve("abi_version"), UverbsServer.ABI_VERSION + "\n");
        client.open("rxe0").close();
    }

    /** Each device is offered to the drivers in turn; one that is taken is in the list once, and works. */
    @Test
    @Covers({"UVERBS-17", "UVERBS-19"})
    void everyDriverIsTriedOnEveryDevice() throws IOException {
        copyEntry("other0", 0);
        Named refusing = new Named("refusing", DeviceMatch.namePrefix("other"));
        refusing.refuses = true;
        Named others = new Named("others", DeviceMatch.namePrefix("other"));
        Named taking = new Named("taking", DeviceMatch.namePrefix("rxe"));
        List.of(refusing, others, taking).forEach(client::register);
        assertThat(names()).containsExactlyInAnyOrder("rxe0", "other0");
        assertThat(names()).hasSize(2);
        assertThat(refusing.taken).containsExactly("other0");
        assertThat(others.taken).containsExactly("other0");
        assertThat(taking.taken).containsExactly("rxe0");
        Device device = client.device("rxe0");
        assertThat(device.nodeType()).isEqualTo(NodeType.CA);
        assertThat(device.transport()).isEqualTo(TransportType.IB);
        assertThat(device.guid()).isEqualTo(served.device.guid());
        client.open("other0").close();
    }

    @Test
    @Covers("UVERBS-18")
    void aDriverForTheIdGoesFirstAndWithoutAnIdTheNameCounts() throws IOException {
        Named byName = new Named("name", DeviceMatch.namePrefix("rxe"));
        Named byId = new Named("id", DeviceMatch.driverId(DeviceOps.DRIVER_RXE));
        client.register(byName);
        client.register(byId);
        assertThat(names()).containsExactly("rxe0");
        assertThat(byName.taken).isEmpty();
        assertThat(byId.taken).containsExactly("rxe0");

        copyEntry("rxe1", 0);
        copyEntry("mlx0", 0);
        assertThat(names()).containsExactlyInAnyOrder("rxe0", "rxe1");
        assertThat(byName.taken).containsExactly("rxe1");
        assertThat(byId.taken).containsExactly("rxe0");
    }

    /** A program without the driver in its class path; the variable is that of libibverbs. */
    @Test
    @Covers("UVERBS-23")
    void aDeviceWithoutADriverIsReportedIfTheVariableIsSet() throws Exception {
        String line = "no driver takes rxe0 (" + entry + ")";
        assertThat(listWithoutDriver(false)).contains("[]").doesNotContain(line);
        assertThat(listWithoutDriver(true)).contains("[]").contains(line);
    }

    private String listWithoutDriver(boolean warnings) throws IOException, URISyntaxException, InterruptedException {
        String classPath = Stream.of(RdmaException.class, Device.class)
                .map(type ->
                        type.getProtectionDomain().getCodeSource().getLocation().getPath())
                .collect(Collectors.joining(File.pathSeparator));
        Path program = Path.of(Objects.requireNonNull(ServedDiscoveryTest.class.getResource("ListDevices.java"))
                .toURI());
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-D" + RunDirectory.ROOT_PROPERTY + "=" + served.directory.root(),
                        "-cp",
                        classPath,
                        program.toString())
                .redirectErrorStream(true);
        builder.environment().remove("IBV_SHOW_WARNINGS");
        if (warnings) {
            builder.environment().put("IBV_SHOW_WARNINGS", "1");
        }
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    /** Another entry of the same server, under another name. */
    private void copyEntry(String name, int driverId) throws IOException {
        Path copy = Files.createDirectory(served.directory.root().resolve("uverbs-" + name));
        for (String file : List.of("abi_version", "node_type", "node_guid")) {
            Files.copy(entry.resolve(file), copy.resolve(file));
        }
        Files.writeString(copy.resolve("ibdev"), name + "\n");
        Files.writeString(copy.resolve("driver_id"), driverId + "\n");
        Files.createLink(copy.resolve(FoundDevice.ENDPOINT), entry.resolve(FoundDevice.ENDPOINT));
    }

    /** The driver for served devices with another table of matches. */
    private static final class Named implements Driver {
        private final UverbsDriver real = new UverbsDriver();
        private final String name;
        private final List<DeviceMatch> matches;
        final List<String> taken = new ArrayList<>();
        boolean refuses;

        Named(String name, DeviceMatch... matches) {
            this.name = name;
            this.matches = List.of(matches);
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public int minAbiVersion() {
            return real.minAbiVersion();
        }

        @Override
        public int maxAbiVersion() {
            return real.maxAbiVersion();
        }

        @Override
        public List<DeviceMatch> matchTable() {
            return matches;
        }

        @Override
        public @Nullable DeviceOps allocateDevice(FoundDevice found) {
            taken.add(found.name());
            return refuses ? null : real.allocateDevice(found);
        }
    }
}
