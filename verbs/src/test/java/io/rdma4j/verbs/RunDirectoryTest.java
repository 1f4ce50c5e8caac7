// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.base.Errno;
import io.rdma4j.base.local.LocalUser;
import io.rdma4j.base.local.PrivateDirectory;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.NodeType;
import io.rdma4j.verbs.local.RunDirectory;
import io.rdma4j.verbs.spi.FoundDevice;
import io.rdma4j.verbs.values.Owner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RunDirectoryTest {
    private static final int VERSION = 2;
    private static final int NOBODY = 65534;
    private static final int ENTRIES = 64;

    @TempDir
    private Path folder;

    private final Fixture fixture = new Fixture();
    private final Device device = fixture.context.device();
    private RunDirectory directory;

    @BeforeEach
    void open() {
        directory = new RunDirectory(folder.resolve("run"));
    }

    @AfterEach
    void clear() {
        System.clearProperty(RunDirectory.ROOT_PROPERTY);
    }

    static void touch(Path file) {
        try {
            Files.createFile(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path publish() {
        return directory.publish(device, VERSION, RunDirectoryTest::touch);
    }

    @Test
    @Covers("UVERBS-12")
    void anotherProcessReadsWhatOneHasTold() throws IOException {
        Path entry = publish();

        FoundDevice found = new RunDirectory(directory.root()).scan().getFirst();

        assertThat(found)
                .isEqualTo(new FoundDevice(
                        "uverbs0",
                        "loop0",
                        entry,
                        -1,
                        VERSION,
                        NodeType.CA,
                        0,
                        Files.getLastModifiedTime(entry.resolve("ibdev")),
                        new Owner(ProcessHandle.current().pid(), "java"),
                        true,
                        List.of()));
        assertThat(found.endpoint()).isEqualTo(entry.resolve("control")).exists();
        assertThat(entry.resolve("node_type")).hasContent("1: CA\n");
        assertThat(entry.resolve("node_guid")).hasContent("0200:00ff:fe00:0001\n");

        RunDirectory.withdraw(entry);
        assertThat(directory.scan()).isEmpty();
    }

    @Test
    void eachDeviceHasAnEntryOfItsOwn() {
        assertThat(List.of(publish(), publish()))
                .containsExactly(
                        directory.root().resolve("uverbs0"), directory.root().resolve("uverbs1"));
    }

    /** A process does not find a device that it cannot open yet. */
    @Test
    void anEntryInTheMakingHasADotInFrontAndIsNotSeen() {
        List<FoundDevice> seen = new ArrayList<>();

        directory.publish(device, VERSION, endpoint -> {
            touch(endpoint);
            assertThat(directory.root().relativize(endpoint).toString()).startsWith(".");
            seen.addAll(directory.scan());
        });

        assertThat(seen).isEmpty();
        assertThat(directory.scan()).hasSize(1);
    }

    @Test
    void withoutAFolderOrWithAnotherLayoutTheFunctionIsNotThere() throws IOException {
        assertRefused(Errno.ENOSYS, "no process tells", directory::scan);
        publish();
        Files.writeString(directory.root().resolve("abi_version"), "7\n");
        assertRefused(Errno.ENOSYS, "has version 7 of its layout", directory::scan);
    }

    @Test
    void aPathThatNoSocketCanHaveIsRefused() throws IOException {
        RunDirectory deep = new RunDirectory(folder.resolve("x".repeat(100)));
        assertRefused(Errno.ENOMEM, "107 bytes", () -> deep.publish(device, VERSION, RunDirectoryTest::touch));
        PrivateDirectory.create(deep.root());
        Files.writeString(deep.root().resolve("abi_version"), "1\n");
        assertRefused(Errno.ENOMEM, "107 bytes", deep::scan);
    }

    @Test
    void aDeviceWithoutAnEndpointThatCanBeAccessedIsLeftOut() throws IOException {
        Path entry = publish();
        publish();
        Files.delete(entry.resolve("control"));

        assertThat(directory.scan()).extracting(FoundDevice::systemName).containsExactly("uverbs1");
    }

    /** {@code rdma link delete} removes entries while other processes read them. */
    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "two\n"})
    void anEntryWithoutAVersionOfItsCommandsIsLeftOut(String version) throws IOException {
        Path entry = publish();
        Files.writeString(entry.resolve("abi_version"), version);
        assertThat(directory.scan()).isEmpty();
        Files.delete(entry.resolve("abi_version"));
        assertThat(directory.scan()).isEmpty();
    }

    @Test
    void anEntryVanishesAsAWhole() {
        List<Path> entries = Stream.generate(this::publish).limit(ENTRIES).toList();
        CompletableFuture<Void> removal = CompletableFuture.runAsync(() -> entries.forEach(RunDirectory::withdraw));
        List<FoundDevice> seen = directory.scan();
        while (!removal.isDone()) {
            seen.addAll(directory.scan());
        }
        removal.join();
        assertThat(seen)
                .allMatch(found -> found.abiVersion() == VERSION)
                .allMatch(found -> found.nodeType() == NodeType.CA)
                .allMatch(FoundDevice::ofThisProcess);
        assertThat(directory.scan()).isEmpty();
        assertThat(directory.root()).isDirectoryNotContaining("glob:**/.*");
    }

    /** Publishes an entry as a killed process leaves it: the socket exists, but no process listens. */
    private Path publishAndDie(Path memory) {
        return directory.publish(device, VERSION, endpoint -> {
            try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                socket.bind(UnixDomainSocketAddress.of(endpoint));
                Files.createSymbolicLink(endpoint.resolveSibling(RunDirectory.MEMORY), memory);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private Path memory(String name) throws IOException {
        Path memory = Files.createDirectory(folder.resolve(name));
        touch(Files.createDirectory(memory.resolve("session")).resolve("queue"));
        return memory;
    }

    @Test
    void aDeadEntryIsRemovedByTheNextListing() throws IOException {
        publish();
        Path dead = publishAndDie(memory("memory"));

        assertThat(directory.scan()).extracting(FoundDevice::systemName).containsExactly("uverbs0");

        assertThat(dead).doesNotExist();
        assertThat(directory.root())
                .isDirectoryNotContaining(file -> file.getFileName().toString().startsWith("."));
    }

    @Test
    void theNameOfADeadOneIsFreeAgain() throws IOException {
        Path dead = publishAndDie(memory("memory"));
        assertThat(publish()).isEqualTo(dead);
    }

    /** The target of a link in an entry must not be deleted, whatever the name of the link. */
    @ParameterizedTest
    @ValueSource(strings = {"home", "rdma4j-uverbs-live"})
    void theLinkOfADeadEntryIsNotFollowed(String name) throws IOException {
        Path memory = memory(name);
        publishAndDie(memory);
        assertThat(directory.scan()).isEmpty();
        assertThat(memory.resolve("session/queue")).exists();
    }

    /** Attack A1: another user creates the directory before the first server of this user. */
    @Test
    void aFolderOfAnotherUserIsNeitherWrittenNorRead() throws IOException {
        assumeTrue(LocalUser.uid() == 0, "only root can give a folder away");
        publish();
        Path precious = Files.writeString(folder.resolve("precious"), "precious");
        Files.delete(directory.root().resolve("abi_version"));
        Files.createSymbolicLink(directory.root().resolve("abi_version"), precious);
        Files.setAttribute(directory.root(), "unix:uid", NOBODY);

        assertRefused(Errno.EACCES, "belongs to uid 65534", this::publish);
        assertRefused(Errno.EACCES, "belongs to uid 65534", directory::scan);
        assertThat(precious).hasContent("precious");
    }

    @Test
    void aFolderThatOthersCanEnterIsRefusedWithTheRemedy() throws IOException {
        publish();
        Files.setPosixFilePermissions(directory.root(), PosixFilePermissions.fromString("rwxrwxrwx"));
        assertRefused(Errno.EACCES, "chmod 700", this::publish);
        assertRefused(Errno.EACCES, RunDirectory.ROOT_VARIABLE, directory::scan);
    }

    @Test
    void theFolderAndTheFilesOfEntriesAreNoLinks() throws IOException {
        Path precious = Files.writeString(folder.resolve("precious"), "precious");
        publish();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.root())))
                .isEqualTo("rwx------");
        Files.delete(directory.root().resolve("abi_version"));
        Files.createSymbolicLink(directory.root().resolve("abi_version"), precious);
        publish();
        assertThat(precious).hasContent("precious");

        Path link = Files.createSymbolicLink(folder.resolve("link"), directory.root());
        RunDirectory linked = new RunDirectory(link);
        assertRefused(Errno.EACCES, "symbolic link", linked::scan);
        assertRefused(Errno.EACCES, "symbolic link", () -> linked.publish(device, VERSION, RunDirectoryTest::touch));
    }

    @Test
    void anEntryThatIsNotFinishedForLongNeverWillBe() throws IOException {
        publish();
        Path young = Files.createDirectory(directory.root().resolve(".1-loop0"));
        Path old = Files.createDirectory(directory.root().resolve(".2-loop0"));
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minusSeconds(60)));

        publish();

        assertThat(young).exists();
        assertThat(old).doesNotExist();
    }

    @Test
    void whatIsMissingOrMakesNoSenseIsUnknown() throws IOException {
        Path entry = publish();
        Files.delete(entry.resolve("node_type"));
        Files.writeString(entry.resolve("driver_id"), "fourteen");

        FoundDevice found = directory.scan().getFirst();
        assertThat(found.nodeType()).isEqualTo(NodeType.UNKNOWN);
        assertThat(found.driverId()).isZero();

        Files.delete(entry.resolve("ibdev"));
        assertThat(directory.scan()).isEmpty();
    }

    @Test
    @Covers("UVERBS-14")
    void aPropertyNamesTheRoot() {
        System.setProperty(RunDirectory.ROOT_PROPERTY, folder.toString());
        assertThat(RunDirectory.configured().root()).isEqualTo(folder);

        System.clearProperty(RunDirectory.ROOT_PROPERTY);
        assertThat(RunDirectory.configured().root()).isAbsolute().isNotEqualTo(folder);
    }
}
