// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base.local;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A private directory in which the processes of this user find each other. An entry is a Unix socket, or a folder with
 * the socket {@link #SOCKET}. It is alive while a process listens on the socket, so it ends together with its process,
 * even by {@code kill -9}. The next process that looks for entries removes the dead ones.
 *
 * <p>Names of entries that are not complete, or that are being removed, begin with a dot. Other files are left alone.
 * Any thread, any process.
 */
public final class LocalDirectory {
    /** Name of the socket of an entry that is a folder. */
    public static final String SOCKET = "control";

    private static final String DRAFT = ".";

    /** A draft without a listening socket is abandoned when it is older. */
    private static final Duration DRAFT_LIFETIME = Duration.ofSeconds(10);

    private static final int MAX_ENTRIES = 1024;

    private final Path root;

    /**
     * Creates an object for this path; creates no directory.
     *
     * @param root need not exist
     */
    public LocalDirectory(Path root) {
        this.root = root.toAbsolutePath().normalize();
    }

    /** {@return the path of the directory} */
    public Path root() {
        return root;
    }

    /**
     * Creates the directory, or checks an existing one, as {@link PrivateDirectory#create}.
     *
     * @throws java.nio.file.AccessDeniedException if another user can change it
     * @throws IOException if it cannot be created
     */
    public void create() throws IOException {
        PrivateDirectory.create(root);
    }

    /**
     * Checks the directory, as {@link PrivateDirectory#check}.
     *
     * @throws NoSuchFileException if there is none
     * @throws java.nio.file.AccessDeniedException if another user can change it
     * @throws IOException if the system does not report owner or mode
     */
    public void check() throws IOException {
        PrivateDirectory.check(root);
    }

    /**
     * {@return the files whose names begin with a text, without drafts}
     *
     * @param prefix may be empty
     * @throws IOException if the directory cannot be listed
     */
    public List<Path> list(String prefix) throws IOException {
        return files(root, name -> name.startsWith(prefix) && !name.startsWith(DRAFT));
    }

    private static List<Path> files(Path folder, Predicate<String> wanted) throws IOException {
        List<Path> files = new ArrayList<>();
        DirectoryStream.Filter<Path> filter =
                file -> wanted.test(file.getFileName().toString());
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder, filter)) {
            stream.forEach(files::add);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return files;
    }

    /**
     * {@return the files whose names begin with a text, without drafts and dead entries} Removes the dead entries. An
     * entry that cannot be removed is left to the next process.
     *
     * @param prefix of the entries; may be empty
     * @throws IOException if the directory cannot be listed
     */
    public List<Path> living(String prefix) throws IOException {
        List<Path> living = new ArrayList<>();
        for (Path entry : list(prefix)) {
            if (isDead(socketOf(entry))) {
                remove(entry, prefix);
            } else if (Files.exists(entry, LinkOption.NOFOLLOW_LINKS)) {
                living.add(entry);
            }
        }
        return living;
    }

    private static Path socketOf(Path entry) {
        return Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS) ? entry.resolve(SOCKET) : entry;
    }

    /** Renames a folder before it is deleted, because another process may give its name to a new entry meanwhile. */
    private void remove(Path entry, String prefix) {
        try {
            if (!Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
                Files.deleteIfExists(entry);
                return;
            }
            Path removed = draft(entry);
            Files.move(entry, removed, StandardCopyOption.ATOMIC_MOVE);
            if (isDead(socketOf(removed))) {
                PrivateDirectory.deleteTree(removed);
            } else {
                publish(removed, prefix);
            }
        } catch (IOException e) {
            // Another process was faster, or the next one tries again.
        }
    }

    /** Removes the drafts that a process has left when it was killed. The next process tries again if that fails. */
    public void sweepDrafts() {
        try {
            for (Path draft : files(root, name -> name.startsWith(DRAFT))) {
                Path socket = socketOf(draft);
                Instant touched = Files.getLastModifiedTime(draft, LinkOption.NOFOLLOW_LINKS)
                        .toInstant();
                if (touched.isBefore(Instant.now().minus(DRAFT_LIFETIME)) && (!isSocket(socket) || isDead(socket))) {
                    PrivateDirectory.deleteTree(draft);
                }
            }
        } catch (IOException e) {
            // The draft was completed, or the next process tries again.
        }
    }

    /**
     * Completes an entry: moves a draft to the first free name.
     *
     * @param draft a folder of this directory, whose name begins with a dot
     * @param prefix of the name; a number follows
     * @return the entry
     * @throws IOException if that fails
     */
    public Path publish(Path draft, String prefix) throws IOException {
        for (int number = 0; number < MAX_ENTRIES; number++) {
            Path entry = root.resolve(prefix + number);
            try {
                return Files.move(draft, entry, StandardCopyOption.ATOMIC_MOVE);
            } catch (FileSystemException e) {
                if (!Files.exists(entry)) {
                    throw e;
                }
            }
        }
        throw new IOException("there are " + MAX_ENTRIES + " entries already");
    }

    /** A free name beside a path. */
    private static Path draft(Path entry) {
        return entry.resolveSibling(
                DRAFT + Integer.toHexString(ThreadLocalRandom.current().nextInt()));
    }

    /**
     * Listens on a socket in a private directory. It appears under its name, and replaces a file of that name, when it
     * listens: a bound socket refuses connections before, like one of a dead process.
     *
     * @param path of the socket
     * @param backlog number of connections that wait; 0 for the system's choice
     * @return the listening socket; the caller deletes its file and closes it
     * @throws IOException if that fails; then no file remains
     */
    public static ServerSocketChannel listen(Path path, int backlog) throws IOException {
        Path draft = draft(path);
        ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            socket.bind(UnixDomainSocketAddress.of(draft), backlog);
            Files.move(draft, path, StandardCopyOption.ATOMIC_MOVE);
            return socket;
        } catch (IOException | RuntimeException e) {
            socket.close();
            Files.deleteIfExists(draft);
            throw e instanceof IOException io ? io : new IOException(path + " cannot be a socket", e);
        }
    }

    /**
     * Connects to a process without waiting. Only processes of this user can listen on a socket of a private directory;
     * a caller with a path from elsewhere calls {@link LocalUser#checkPeer}.
     *
     * @param socket on which the process listens
     * @return the connection, whose reads and writes do not block; null if the socket's backlog is full
     * @throws ConnectException if no process listens
     * @throws IOException if the socket cannot be reached
     */
    public static @Nullable SocketChannel connect(Path socket) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            // In blocking mode an interrupt of an application thread would close the socket.
            channel.configureBlocking(false);
            if (connect(channel, socket)) {
                return channel;
            }
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
        channel.close();
        return null;
    }

    /** False for EAGAIN: the backlog is full. */
    private static boolean connect(SocketChannel channel, Path socket) throws IOException {
        try {
            return channel.connect(UnixDomainSocketAddress.of(socket));
        } catch (ConnectException e) {
            throw e;
        } catch (SocketException e) {
            // The JDK has no separate exception for EAGAIN. The other cause is EACCES.
            if (Files.isWritable(socket)) {
                return false;
            }
            throw e;
        }
    }

    /**
     * {@return true only if it is certain that a file is a socket on which no process listens} A process that listens
     * sees a connection that ends without data.
     *
     * @param path of any file; links are not followed
     */
    public static boolean isDead(Path path) {
        // A connect to any other file is refused, too.
        if (!isSocket(path)) {
            return false;
        }
        try (SocketChannel _ = connect(path)) {
            return false;
        } catch (ConnectException e) {
            return true;
        } catch (IOException e) {
            // This process may not connect, or has too many open files.
            return false;
        }
    }

    private static boolean isSocket(Path path) {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .isOther();
        } catch (IOException e) {
            return false;
        }
    }
}
