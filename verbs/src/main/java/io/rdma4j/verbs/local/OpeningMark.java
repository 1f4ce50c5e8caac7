// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.local;

import io.rdma4j.base.local.PrivateDirectory;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Tells other processes that this process has the address of a device but no entry in the {@link RunDirectory}: it is
 * opening or closing the device, or queries it. A process that finds the address in use waits while there is such a
 * mark; without one, a foreign program uses the address.
 *
 * <p>A mark is a listening socket in the root of the run directory, so it ends together with its process. Any thread,
 * any process.
 */
public final class OpeningMark implements AutoCloseable {
    private static final String PREFIX = "opening-";

    /** A mark whose socket does not listen is deleted when it is older. */
    private static final Duration ABANDONED = Duration.ofSeconds(10);

    private final Path path;
    private final @Nullable ServerSocketChannel socket;

    private OpeningMark(Path path, @Nullable ServerSocketChannel socket) {
        this.path = path;
        this.socket = socket;
    }

    /**
     * Places a mark. Without a usable run directory there is none: no other process could find it.
     *
     * @param directory of the entries
     * @param create true to create the directory if it does not exist
     * @return the mark; {@link #close} removes it
     */
    public static OpeningMark place(RunDirectory directory, boolean create) {
        Path path = directory
                .root()
                .resolve(PREFIX + Long.toHexString(ThreadLocalRandom.current().nextLong()));
        try {
            if (create) {
                PrivateDirectory.create(directory.root());
            } else {
                PrivateDirectory.check(directory.root());
            }
            return new OpeningMark(path, listen(path));
        } catch (IOException e) {
            return new OpeningMark(path, null);
        }
    }

    private static ServerSocketChannel listen(Path path) throws IOException {
        ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            return socket.bind(UnixDomainSocketAddress.of(path));
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e instanceof IOException io ? io : new IOException(path + " cannot be a socket", e);
        }
    }

    /**
     * {@return true if a process has placed a mark}
     *
     * @param directory of the entries
     */
    public static boolean isAny(RunDirectory directory) {
        boolean any = false;
        try (DirectoryStream<Path> marks = Files.newDirectoryStream(directory.root(), PREFIX + "*")) {
            for (Path mark : marks) {
                if (!DeadEntries.isRefused(mark)) {
                    any |= Files.exists(mark, LinkOption.NOFOLLOW_LINKS);
                } else if (Files.getLastModifiedTime(mark, LinkOption.NOFOLLOW_LINKS)
                        .toInstant()
                        .isBefore(Instant.now().minus(ABANDONED))) {
                    Files.delete(mark);
                }
            }
        } catch (IOException e) {
            // The directory does not exist or cannot be read, or a mark has just been removed.
        }
        return any;
    }

    @Override
    public void close() {
        ServerSocketChannel placed = socket;
        if (placed != null) {
            try (placed) {
                Files.deleteIfExists(path);
            } catch (IOException e) {
                // The socket does not listen any more, so the mark does not count.
            }
        }
    }
}
