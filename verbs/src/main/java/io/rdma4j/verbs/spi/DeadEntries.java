package io.rdma4j.verbs.spi;

import io.rdma4j.base.RdmaException;
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
 * What processes have left in a {@link RunDirectory} that were killed: entries with a socket on which nobody listens. The system tells
 * without delay, and whoever looks for devices or tells of one clears them away. Any thread, any process.
 */
final class DeadEntries {
    /** Who has not finished an entry after that time never will. */
    private static final Duration BIRTH = Duration.ofSeconds(10);

    private DeadEntries() {}

    /** True only if it is certain that no process listens there any more. */
    static boolean isDead(Path entry) {
        return isRefused(entry.resolve(RunDirectory.ENDPOINT));
    }

    /** Whether a file is a socket on which no process listens; false if that is not certain. */
    static boolean isRefused(Path endpoint) {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            // Anything but a socket refuses as well.
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
            // Too many wait there, or this process has too many files open.
            return false;
        }
    }

    /**
     * Deletes a dead entry. It is renamed before: its name may be another's by the time that it is
     * deleted. Whoever cannot leaves it to others.
     *
     * @param grave free name in the same directory
     * @return false if it was not dead any more; it is there under its new name
     */
    static boolean bury(Path entry, Path grave) {
        try {
            Files.move(entry, grave, StandardCopyOption.ATOMIC_MOVE);
            if (!isDead(grave)) {
                return false;
            }
            RunDirectory.withdraw(grave);
        } catch (IOException | RdmaException e) {
            // Another one was quicker, or it is not ours.
        }
        return true;
    }

    /** Deletes what was to become an entry, or to go, and did not get that far. */
    static void sweepDrafts(Path root) {
        try (DirectoryStream<Path> drafts = Files.newDirectoryStream(root, ".*")) {
            for (Path draft : drafts) {
                Instant touched = Files.getLastModifiedTime(draft, LinkOption.NOFOLLOW_LINKS)
                        .toInstant();
                boolean alive = Files.exists(draft.resolve(RunDirectory.ENDPOINT)) && !isDead(draft);
                if (!alive && touched.isBefore(Instant.now().minus(BIRTH))) {
                    RunDirectory.withdraw(draft);
                }
            }
        } catch (IOException | RdmaException e) {
            // Whoever comes next sweeps.
        }
    }
}
