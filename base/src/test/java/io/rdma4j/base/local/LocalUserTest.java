// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LocalUserTest {
    @Test
    void theUserIsTheOwnerOfTheFilesThatThisProcessMakes(@TempDir Path folder) throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        assertThat(LocalUser.uid()).isEqualTo(Files.getAttribute(file, "unix:uid"));
    }

    /** Tests of the tools connect as another user, which requires root. */
    @Test
    void aSocketBetweenProcessesOfThisUserIsAccepted(@TempDir Path folder) throws IOException {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("socket"));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(address);
            try (SocketChannel near = SocketChannel.open(address);
                    SocketChannel far = server.accept()) {
                LocalUser.checkPeer(near);
                LocalUser.checkPeer(far);
            }
        }
    }
}
