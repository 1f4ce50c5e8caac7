// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.local;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.base.local.LocalDirectory;
import io.rdma4j.base.local.PrivateDirectory;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Directory of the files that a server and its clients map: queues and buffers. It is private to the user, in
 * {@code /dev/shm} if that is writable, and independent of the {@link RunDirectory}.
 *
 * <p>The server listens on a socket in the directory and accepts nothing. A refused connection shows that the server
 * was killed. Each server and each listing of devices removes such directories of this user. A directory without such a
 * socket is left alone. Any thread, any process.
 */
public final class ServerMemory implements AutoCloseable {
    /** Prefix of the directory names. */
    public static final String PREFIX = "rdma4j-uverbs-";

    private static final Path SHARED = Path.of("/dev/shm");

    private static final String ALIVE = "alive";

    private final Path path;
    private final ServerSocketChannel alive;

    private ServerMemory(Path path, ServerSocketChannel alive) {
        this.path = path;
        this.alive = alive;
    }

    /**
     * Creates a directory for a server of this process.
     *
     * @return the directory; the caller closes it
     * @throws RdmaException EIO if the directory or its socket cannot be created
     */
    public static ServerMemory create() {
        try {
            Path path = Files.createTempDirectory(parent(), PREFIX);
            try {
                return new ServerMemory(path, LocalDirectory.listen(path.resolve(ALIVE), 0));
            } catch (IOException | RuntimeException e) {
                PrivateDirectory.deleteTree(path);
                throw e;
            }
        } catch (IOException e) {
            throw new RdmaException(Errno.EIO, "no folder for memory of clients can be made in " + parent(), e);
        }
    }

    /** A file system in memory, if there is one. */
    private static Path parent() {
        return Files.isWritable(SHARED) ? SHARED : Path.of(System.getProperty("java.io.tmpdir"));
    }

    /** {@return the directory} */
    public Path path() {
        return path;
    }

    /**
     * Deletes the directory; mapped memory stays mapped. Idempotent.
     *
     * @throws RdmaException EIO if it cannot be deleted
     */
    @Override
    public void close() {
        try (alive) {
            PrivateDirectory.deleteTree(path);
        } catch (IOException e) {
            throw new RdmaException(Errno.EIO, path + " cannot be deleted", e);
        }
    }

    /** Deletes the directories of this user's killed servers. Never throws: the next listing tries again. */
    static void sweep() {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent(), PREFIX + "*")) {
            for (Path folder : folders) {
                deleteIfDead(folder);
            }
        } catch (IOException | DirectoryIteratorException e) {
            // The next listing tries again.
        }
    }

    private static void deleteIfDead(Path folder) {
        try {
            PrivateDirectory.check(folder);
            if (LocalDirectory.isDead(folder.resolve(ALIVE))) {
                PrivateDirectory.deleteTree(folder);
            }
        } catch (IOException e) {
            // It belongs to another user, or its own server deletes it.
        }
    }
}
