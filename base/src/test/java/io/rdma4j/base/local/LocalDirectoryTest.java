// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalDirectoryTest {
    private static final String PREFIX = "dev";

    @TempDir
    private Path temporary;

    private LocalDirectory directory;

    @BeforeEach
    void create() throws IOException {
        directory = new LocalDirectory(temporary.resolve("run"));
        directory.create();
    }

    private Path path(String name) {
        return directory.root().resolve(name);
    }

    /** A socket as a killed process leaves it. */
    private Path dead(Path socket) throws IOException {
        LocalDirectory.listen(socket, 0).close();
        return socket;
    }

    private Path deadFolder(String name) throws IOException {
        Path folder = Files.createDirectory(path(name));
        dead(folder.resolve(LocalDirectory.SOCKET));
        return folder;
    }

    private Path makeOld(Path file) throws IOException {
        return Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(60)));
    }

    @Test
    void aSocketIsAnEntryWhileAProcessListensOnIt() throws IOException {
        Path socket = path("net-1");
        try (ServerSocketChannel _ = LocalDirectory.listen(socket, 0)) {
            assertThat(directory.living("net-")).containsExactly(socket);
            assertThat(directory.living(PREFIX)).isEmpty();
        }
        assertThat(directory.living("net-")).isEmpty();
        assertThat(socket).doesNotExist();
    }

    @Test
    void aFolderIsAnEntryWhileAProcessListensOnItsSocket() throws IOException {
        Path draft = Files.createDirectory(path(".draft"));
        Path entry;
        try (ServerSocketChannel _ = LocalDirectory.listen(draft.resolve(LocalDirectory.SOCKET), 0)) {
            assertThat(directory.living("")).isEmpty();
            entry = directory.publish(draft, PREFIX);
            assertThat(directory.living(PREFIX)).containsExactly(entry).containsExactly(path("dev0"));
        }
        assertThat(directory.living(PREFIX)).isEmpty();
        assertThat(entry).doesNotExist();
        assertThat(directory.root()).isEmptyDirectory();
    }

    @Test
    void anEntryGetsTheFirstFreeName() throws IOException {
        Files.writeString(Files.createDirectory(path("dev0")).resolve("name"), "");
        assertThat(directory.publish(Files.createDirectory(path(".draft")), PREFIX))
                .isEqualTo(path("dev1"));
    }

    @Test
    void filesThatAreNoSocketsAndLinksAreLeftAlone() throws IOException {
        Path file = Files.createFile(path("dev-file"));
        Path folder = Files.createDirectory(path("dev-folder"));
        Path link = Files.createSymbolicLink(path("dev-link"), dead(temporary.resolve("socket")));
        Path other = Files.createDirectory(temporary.resolve("other"));
        dead(other.resolve(LocalDirectory.SOCKET));
        Path folderLink = Files.createSymbolicLink(path("dev-other"), other);

        assertThat(directory.living(PREFIX)).containsExactlyInAnyOrder(file, folder, link, folderLink);
        assertThat(other.resolve(LocalDirectory.SOCKET)).exists();
    }

    @Test
    void theLinksOfADeadEntryAreNotFollowed() throws IOException {
        Path precious = Files.createDirectory(temporary.resolve("precious"));
        Files.createFile(precious.resolve("data"));
        Files.createSymbolicLink(deadFolder("dev0").resolve("memory"), precious);

        assertThat(directory.living(PREFIX)).isEmpty();
        assertThat(path("dev0")).doesNotExist();
        assertThat(precious.resolve("data")).exists();
    }

    @Test
    void aSocketReplacesThatOfADeadProcessAndLeavesNoDraft() throws IOException {
        Path socket = dead(path("net-1"));
        assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> LocalDirectory.connect(socket));
        try (ServerSocketChannel _ = LocalDirectory.listen(socket, 0);
                SocketChannel client = LocalDirectory.connect(socket)) {
            assertThat(client).isNotNull();
            assertThat(directory.root()).isDirectoryContaining(socket::equals);
            try (var files = Files.list(directory.root())) {
                assertThat(files).hasSize(1);
            }
        }
    }

    @Test
    void aFullBacklogIsNoSignOfDeath() throws IOException {
        Path socket = path("net-1");
        List<SocketChannel> clients = new ArrayList<>();
        try (ServerSocketChannel _ = LocalDirectory.listen(socket, 1)) {
            SocketChannel client = LocalDirectory.connect(socket);
            while (client != null) {
                clients.add(client);
                client = LocalDirectory.connect(socket);
            }
            assertThat(clients).isNotEmpty();
            assertThat(LocalDirectory.isDead(socket)).isFalse();
            assertThat(directory.living("net-")).containsExactly(socket);
        } finally {
            for (SocketChannel client : clients) {
                client.close();
            }
        }
    }

    @Test
    void aPathThatNoSocketCanHaveIsAnErrorAndLeavesNoFile() {
        Path deep = path("x".repeat(120));
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> LocalDirectory.listen(deep.resolve("socket"), 0));
        assertThat(directory.root()).isEmptyDirectory();
    }

    @Test
    void draftsOfKilledProcessesAreRemovedAfterAWhile() throws IOException {
        Path young = Files.createDirectory(path(".young"));
        Path old = makeOld(Files.createDirectory(path(".old")));
        Path socket = makeOld(dead(path(".socket")));
        Path text = makeOld(Files.createFile(path(".text")));
        Path slow = path(".slow");
        try (ServerSocketChannel _ = LocalDirectory.listen(slow, 0)) {
            makeOld(slow);
            directory.sweepDrafts();
            assertThat(slow).exists();
        }
        assertThat(young).exists();
        assertThat(old).doesNotExist();
        assertThat(socket).doesNotExist();
        assertThat(text).doesNotExist();
    }

    @Test
    void aFolderThatOthersCanChangeIsRefused() throws IOException {
        Files.setPosixFilePermissions(directory.root(), PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatExceptionOfType(AccessDeniedException.class)
                .isThrownBy(directory::create)
                .withMessageContaining("chmod 700");
        assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(directory::check);
        assertThatExceptionOfType(NoSuchFileException.class)
                .isThrownBy(() -> new LocalDirectory(path("missing")).check());
    }
}
