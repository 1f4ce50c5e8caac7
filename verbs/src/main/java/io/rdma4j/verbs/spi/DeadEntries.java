package io.rdma4j.verbs.spi;

import io.rdma4j.base.RdmaException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What processes have left in a {@link RunDirectory} that were killed: entries with a socket on which nobody listens. The system tells
 * without delay, and whoever looks for devices or tells of one clears them away. Any thread, any process.
 */
final class DeadEntries {
    /** Who has not finished an entry after that time never will. */
    private static final Duration BIRTH = Duration.ofSeconds(10);

    private DeadEntries() {}

    /** True only if it is certain that nobody listens there any more. */
    static boolean isDead(Path entry) {
        Path endpoint = entry.resolve(RunDirectory.ENDPOINT);
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
     * Deletes a dead entry and the memory that was mapped through it. It is renamed before: its name may be another's by the time that it is
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
                Instant touched = Files.getLastModifiedTime(draft).toInstant();
                boolean alive = Files.exists(draft.resolve(RunDirectory.ENDPOINT)) && !isDead(draft);
                if (!alive && touched.isBefore(Instant.now().minus(BIRTH))) {
                    RunDirectory.withdraw(draft);
                }
            }
        } catch (IOException | RdmaException e) {
            // Whoever comes next sweeps.
        }
    }

    /** Deletes a file, or a folder with everything in it; links are deleted, not followed. */
    static void deleteTree(Path top) throws IOException {
        if (!Files.exists(top, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(top, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) {
                // Somebody else deletes, too.
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure) throws IOException {
                Files.deleteIfExists(folder);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
