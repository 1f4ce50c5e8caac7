// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.local;

import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.FoundDevice;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;

/**
 * Detects and removes entries of a {@link RunDirectory} whose process was killed: no process listens on the entry's
 * socket. Connecting to it fails without delay. Each process that lists or publishes devices removes such entries. Any
 * thread, any process.
 */
final class DeadEntries {
    /** An entry that is not complete after this time is abandoned. */
    private static final Duration BIRTH = Duration.ofSeconds(10);

    private DeadEntries() {}

    /** True only if it is certain that no process listens on the entry's socket. */
    static boolean isDead(Path entry) {
        return isRefused(entry.resolve(FoundDevice.ENDPOINT));
    }

    /** True only if it is certain that the file is a socket on which no process listens. */
    static boolean isRefused(Path endpoint) {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            // A connect to any other file is refused, too.
            if (!Files.readAttributes(endpoint, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .isOther()) {
                return false;
            }
            channel.configureBlocking(false);
            channel.connect(UnixDomainSocketAddress.of(endpoint));
            return false;
        } catch (ConnectException e) {
            return true;
        } catch (IOException e) {
            // The socket's backlog is full, or this process has too many open files.
            return false;
        }
    }

    /**
     * Deletes a dead entry. Renames it first, because another process may reuse the name before the deletion. A failure
     * is ignored; another process will delete the entry.
     *
     * @param grave free name in the same directory
     * @return false if the entry was not dead any more; it then has the new name
     */
    static boolean bury(Path entry, Path grave) {
        try {
            Files.move(entry, grave, StandardCopyOption.ATOMIC_MOVE);
            if (!isDead(grave)) {
                return false;
            }
            RunDirectory.withdraw(grave);
        } catch (IOException | RdmaException e) {
            // Another process was faster, or the entry belongs to another user.
        }
        return true;
    }

    /** Deletes abandoned drafts: entries whose publication or deletion did not finish. */
    static void sweepDrafts(Path root) {
        try (DirectoryStream<Path> drafts = Files.newDirectoryStream(root, ".*")) {
            for (Path draft : drafts) {
                Instant touched = Files.getLastModifiedTime(draft, LinkOption.NOFOLLOW_LINKS)
                        .toInstant();
                boolean alive = Files.exists(draft.resolve(FoundDevice.ENDPOINT)) && !isDead(draft);
                if (!alive && touched.isBefore(Instant.now().minus(BIRTH))) {
                    RunDirectory.withdraw(draft);
                }
            }
        } catch (IOException | RdmaException e) {
            // The next process tries again.
        }
    }
}
