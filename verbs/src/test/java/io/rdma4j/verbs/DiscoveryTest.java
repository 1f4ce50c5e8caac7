// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.TransportType;
import io.rdma4j.verbs.local.RunDirectory;
import io.rdma4j.verbs.loop.LoopDevice;
import io.rdma4j.verbs.loop.LoopDriver;
import io.rdma4j.verbs.loop.LoopProvider;
import io.rdma4j.verbs.spi.DeviceMatch;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.FoundDevice;
import io.rdma4j.verbs.state.Discovery;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Devices that another process serves; here another host of this process serves them. */
class DiscoveryTest {
    private static final int SOME_ID = 77;

    @TempDir
    private Path folder;

    private final RecordingLogger log = new RecordingLogger();
    private final Host server = Host.create("server");
    private final LoopProvider served = new LoopProvider("loop0");
    private RunDirectory directory;
    private Host client;

    @BeforeEach
    void prepare() {
        directory = new RunDirectory(folder);
        server.register(served);
        client = Host.create("client", directory);
    }

    @AfterEach
    void clear() {
        System.clearProperty(Discovery.WARNINGS_PROPERTY);
    }

    private Path publish(String name) {
        return directory.publish(server.device(name), 2, RunDirectoryTest::touch);
    }

    private List<String> names() {
        return client.devices().stream().map(Device::name).toList();
    }

    @Test
    @Covers("UVERBS-8")
    void aDriverMakesADeviceOfWhatIsFound() {
        Path entry = publish("loop0");
        LoopDriver driver = new LoopDriver("loop", DeviceMatch.namePrefix("loop"));
        client.register(driver);

        Device device = client.device("loop0");

        assertThat(names()).containsExactly("loop0");
        assertThat(client.devices()).containsExactly(device);
        assertThat(driver.taken()).singleElement().extracting(FoundDevice::path).isEqualTo(entry);
        assertThat(device.transport()).isEqualTo(TransportType.IB);
        try (Context context = device.open()) {
            assertThat(context.queryDevice().physicalPortCount()).isEqualTo(2);
        }
    }

    @Test
    void aDeviceStaysTheSameWhenItsAddressesChange() throws IOException {
        Path entry = publish("loop0");
        LoopDriver driver = new LoopDriver("loop", DeviceMatch.namePrefix("loop"));
        client.register(driver);
        try (Context context = client.device("loop0").open()) {
            Files.writeString(entry.resolve("endpoints"), "192.0.2.1 4791\n");
            assertThat(client.devices()).containsExactly(context.device());
            assertThat(context.device().isPresent()).isTrue();
            assertThat(driver.taken()).hasSize(1);
            assertThat(directory.scan().getFirst().endpoints())
                    .containsExactly(new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 4791));
        }
    }

    /** Each listing of devices checks the directory, but only the first logs a warning. */
    @Test
    void aFolderThatAnotherUserCanChangeHasNoDevicesAndIsWarnedOfOnce() throws IOException {
        publish("loop0");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        Discovery discovery = new Discovery(directory, false, log);
        discovery.register(new LoopDriver("loop", DeviceMatch.namePrefix("loop")));

        assertThat(discovery.refresh(_ -> true)).isEmpty();
        assertThat(discovery.refresh(_ -> true)).isEmpty();

        assertThat(log.lines)
                .filteredOn(line -> line.startsWith("WARNING"))
                .singleElement(STRING)
                .contains(folder.toString(), "mode 0777", "chmod 700");
    }

    @Test
    void theDevicesOfThisProcessComeFirstAndHideOthersOfTheirName() {
        publish("loop0");
        served.add("loop1");
        publish("loop1");
        LoopDriver driver = new LoopDriver("loop", DeviceMatch.namePrefix("loop"));
        client.register(driver);
        client.register(new LoopProvider("loop0"));

        assertThat(names()).containsExactly("loop0", "loop1");
        assertThat(driver.taken()).extracting(FoundDevice::name).containsExactly("loop1");
    }

    @Test
    @Covers("UVERBS-20")
    void aDriverForTheIdGoesBeforeOneForTheName() throws IOException {
        Files.writeString(publish("loop0").resolve("driver_id"), SOME_ID + "\n");
        LoopDriver byName = new LoopDriver("name", DeviceMatch.namePrefix("loop"));
        LoopDriver byId = new LoopDriver("id", DeviceMatch.driverId(SOME_ID));
        client.register(byName);
        client.register(byId);

        assertThat(names()).containsExactly("loop0");
        assertThat(byName.taken()).isEmpty();
        assertThat(byId.taken()).hasSize(1);
    }

    @Test
    @Covers("UVERBS-20")
    void withoutAnIdTheNameCountsAndADriverThatRefusesLeavesTheDeviceToOthers() {
        publish("loop0");
        LoopDriver byId = new LoopDriver("id", DeviceMatch.driverId(SOME_ID));
        LoopDriver other = new LoopDriver("other", DeviceMatch.namePrefix("mlx"));
        LoopDriver refusing = new LoopDriver("refusing", DeviceMatch.namePrefix("loop"));
        refusing.refuse();
        client.register(byId);
        client.register(other);
        client.register(refusing);
        assertThat(names()).isEmpty();

        LoopDriver last = new LoopDriver("last", DeviceMatch.namePrefix("loop"), DeviceMatch.driverId(1));
        client.register(last);
        assertThat(names()).containsExactly("loop0");
        assertThat(byId.taken()).isEmpty();
        assertThat(other.taken()).isEmpty();
        assertThat(last.taken()).hasSize(1);
    }

    @Test
    @Covers("UVERBS-16")
    void listingAgainMakesNothingTwiceAndForgetsWhatIsGone() {
        Path first = publish("loop0");
        LoopDriver driver = new LoopDriver("loop", DeviceMatch.namePrefix("loop"));
        client.register(driver);
        Device device = client.device("loop0");
        names();
        assertThat(driver.taken()).hasSize(1);

        RunDirectory.withdraw(first);
        assertThat(names()).isEmpty();
        assertThat(device.isPresent()).isFalse();
        assertThat(driver.devices().getFirst().disposals()).isEqualTo(1);
    }

    /** Corresponds to the reference counts of the device list and of the contexts. */
    @Test
    void anEntryOfAnEarlierListIsOfNoUseUnlessTheDeviceWasOpened() {
        served.add("loop1");
        List<Path> entries = List.of(publish("loop0"), publish("loop1"));
        LoopDriver driver = new LoopDriver("loop", DeviceMatch.namePrefix("loop"));
        client.register(driver);
        Device needed = client.device("loop0");
        Device left = client.device("loop1");
        Context context = needed.open();
        assertThat(context.device()).isSameAs(needed);

        entries.forEach(RunDirectory::withdraw);
        assertThat(names()).isEmpty();

        assertRefused(Errno.ENODEV, "loop1 is gone", left::open);
        Map<String, Integer> disposals = new HashMap<>();
        driver.devices().forEach(device -> disposals.put(device.name(), device.disposals()));
        assertThat(disposals).isEqualTo(Map.of("loop1", 1, "loop0", 0));
        context.close();
        assertThat(driver.devices()).extracting(LoopDevice::disposals).containsExactly(1, 1);
    }

    @Test
    void whatIsFoundGoesWithTheHost() {
        publish("loop0");
        LoopDriver driver = new LoopDriver("loop", DeviceMatch.namePrefix("loop"));
        client.register(driver);
        names();

        client.close();
        assertThat(driver.devices().getFirst().disposals()).isEqualTo(1);
    }

    private List<DeviceOps> refresh(LoopDriver... drivers) {
        Discovery discovery = new Discovery(directory, false, log);
        List.of(drivers).forEach(discovery::register);
        return List.copyOf(discovery.refresh(_ -> true).values());
    }

    @Test
    @Covers({"UVERBS-8", "UVERBS-20"})
    void aDriverForOtherVersionsOfTheCommandsIsPassedOverAloud() throws IOException {
        Path entry = publish("loop0");
        Files.writeString(entry.resolve("abi_version"), "3\n");
        LoopDriver driver = new LoopDriver("loop", DeviceMatch.namePrefix("loop"));

        assertThat(refresh(driver)).isEmpty();
        assertThat(driver.taken()).isEmpty();
        assertThat(log.lines)
                .contains("WARNING driver loop speaks versions 1 to 2 of the commands, " + entry + " understands 3");
    }

    /** As during {@code rdma link delete} of another process. */
    @Test
    void anEntryThatVanishesWhileItIsReadIsPassedOverSilently() throws IOException {
        Path entry = publish("loop0");
        Files.delete(entry.resolve("abi_version"));

        assertThat(refresh(new LoopDriver("loop", DeviceMatch.namePrefix("loop"))))
                .isEmpty();
        assertThat(log.lines).isEmpty();
    }

    @Test
    @Covers("UVERBS-8")
    void aDeviceThatNoDriverTakesIsReportedIfSomebodyWantsToKnow() {
        Path entry = publish("loop0");
        LoopDriver other = new LoopDriver("other", DeviceMatch.namePrefix("mlx"));
        String line = "no driver takes loop0 (" + entry + "): is the library that serves it missing?";

        refresh(other);
        assertThat(log.lines).containsExactly("DEBUG " + line);

        System.setProperty(Discovery.WARNINGS_PROPERTY, "true");
        refresh(other);
        assertThat(log.lines).containsExactly("DEBUG " + line, "WARNING " + line);
    }

    @Test
    void withoutAFolderThereAreNone() {
        assertThat(refresh(new LoopDriver("loop", DeviceMatch.namePrefix("loop"))))
                .isEmpty();
        assertThat(log.lines)
                .singleElement()
                .asString()
                .startsWith("DEBUG devices of other processes are not looked for");
    }
}
