// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.local;

import io.rdma4j.base.local.LocalDirectory;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
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
                directory.files().create();
            } else {
                directory.files().check();
            }
            return new OpeningMark(path, LocalDirectory.listen(path, 0));
        } catch (IOException e) {
            return new OpeningMark(path, null);
        }
    }

    /**
     * {@return true if a process has placed a mark}
     *
     * @param directory of the entries
     */
    public static boolean isAny(RunDirectory directory) {
        try {
            directory.files().check();
            return !directory.files().living(PREFIX).isEmpty();
        } catch (IOException e) {
            // The directory does not exist, is not private or cannot be read.
            return false;
        }
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
