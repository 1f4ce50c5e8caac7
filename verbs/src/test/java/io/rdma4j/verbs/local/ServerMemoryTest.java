// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.local.PrivateDirectory;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ServerMemoryTest {
    /** Memory directory as a killed server leaves it. */
    private static Path abandoned() throws IOException {
        Path folder;
        try (ServerMemory memory = ServerMemory.create()) {
            folder = memory.path().resolveSibling(ServerMemory.PREFIX + "test-" + System.nanoTime());
        }
        PrivateDirectory.create(folder);
        Files.writeString(Files.createDirectory(folder.resolve("session")).resolve("queue"), "");
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(folder.resolve("alive")));
        }
        return folder;
    }

    @Test
    void memoryOfALivingServerStaysUntilItIsClosed() {
        ServerMemory memory = ServerMemory.create();
        ServerMemory.sweep();
        assertThat(memory.path().resolve("alive")).exists();
        memory.close();
        memory.close();
        assertThat(memory.path()).doesNotExist();
    }

    /** Independent of the run directory of the server. */
    @Test
    void memoryOfAKilledServerIsDeletedByTheNextListing() throws IOException {
        Path folder = abandoned();
        ServerMemory.sweep();
        assertThat(folder).doesNotExist();
    }

    @Test
    void aFolderThatOthersCanChangeOrThatHasNoSocketIsLeftAlone() throws IOException {
        Path folder = abandoned();
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        ServerMemory.sweep();
        assertThat(folder.resolve("session/queue")).exists();

        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        Files.delete(folder.resolve("alive"));
        ServerMemory.sweep();
        assertThat(folder.resolve("session/queue")).exists();
        PrivateDirectory.deleteTree(folder);
    }
}
