// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.base.local.BackedFile;
import io.rdma4j.base.local.LocalDirectory;
import io.rdma4j.base.local.LocalUser;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The served addresses and the memory in the {@link LocalDirectory} of a user; the package comment lists its files.
 * Control path only.
 *
 * <p>Names are never reused, because an owner is a random number. A process that finds an owner dead can therefore
 * delete its files without affecting another process.
 */
final class ShmDirectory {
    static final int PAGE_BYTES = 4096;

    private static final int HEX = 16;

    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final String MEMORY = "memory.";

    private static final FileAttribute<?> PRIVATE_FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final LocalDirectory files;
    private final long namespace;

    private ShmDirectory(LocalDirectory files, long namespace) {
        this.files = files;
        this.namespace = namespace;
    }

    /**
     * One served address.
     *
     * @param path of the socket
     * @param namespace number of the address's network namespace
     */
    record Entry(Path path, long namespace, Gid address, int port, long owner) {
        /** Parses a file name; returns null if it is not that of a socket. */
        static @Nullable Entry parse(Path path) {
            String name = path.getFileName().toString();
            String[] parts = name.split("_", -1);
            int dot = name.lastIndexOf('.');
            if (parts.length != 3 || dot < name.lastIndexOf('_')) {
                return null;
            }
            try {
                return new Entry(
                        path,
                        Long.parseLong(parts[0]),
                        Gid.parse(parts[1]),
                        Integer.parseInt(parts[2].substring(0, parts[2].lastIndexOf('.'))),
                        Long.parseLong(name.substring(dot + 1), HEX));
            } catch (NumberFormatException | RdmaException e) {
                return null;
            }
        }
    }

    /**
     * Opens the directory of this process's user for the network namespace of this process, and creates it if
     * necessary.
     *
     * @throws IOException if the system has no {@code /dev/shm} or {@code /proc}, or another user can change the
     *     directory
     */
    static ShmDirectory open() throws IOException {
        String name = LocalUser.networkNamespace().replaceAll("\\D", "");
        if (name.isEmpty()) {
            throw new IOException("this system has no network namespaces");
        }
        return open(SHARED_MEMORY.resolve("rdma4j-" + Integer.toUnsignedString(LocalUser.uid())), Long.parseLong(name));
    }

    /**
     * Opens a directory at a given path for a network namespace.
     *
     * @throws IOException if another user can change it
     */
    static ShmDirectory open(Path path, long namespace) throws IOException {
        LocalDirectory files = new LocalDirectory(path);
        files.create();
        return new ShmDirectory(files, namespace);
    }

    /** Returns the number of this process's network namespace. */
    long namespace() {
        return namespace;
    }

    /** Returns the path of a socket that listens: other processes find it there. */
    Path entry(Gid address, int port, long owner) {
        return files.root().resolve(prefix(address, port) + Long.toHexString(owner));
    }

    private String prefix(Gid address, int port) {
        return namespace + "_" + address.toInetAddress().getHostAddress() + "_" + port + ".";
    }

    /** Returns the sockets that serve an address, including those of dead processes. */
    List<Entry> find(Gid address, int port) throws IOException {
        return entries(files.list(prefix(address, port)));
    }

    private static List<Entry> entries(List<Path> files) {
        List<Entry> entries = new ArrayList<>();
        for (Path file : files) {
            Entry entry = Entry.parse(file);
            if (entry != null) {
                entries.add(entry);
            }
        }
        return entries;
    }

    /**
     * Deletes the files of dead processes. Live ones learn from the probe that a new process exists.
     *
     * @return served addresses of live processes in the same network namespace
     */
    List<Entry> sweep() throws IOException {
        // A process creates its memory files after its socket. So each file in this list has a socket below, or its
        // owner is dead or is closing.
        List<Path> memory = files.list(MEMORY);
        List<Entry> living = entries(files.living(""));
        for (Path file : memory) {
            long owner = ownerOf(file);
            if (living.stream().noneMatch(entry -> entry.owner() == owner)) {
                Files.deleteIfExists(file);
            }
        }
        files.sweepDrafts();
        return living.stream().filter(entry -> entry.namespace() == namespace).toList();
    }

    /** Returns the owner in the name of a memory file; -1 if the name is invalid. */
    private static long ownerOf(Path memory) {
        try {
            return Long.parseLong(memory.getFileName().toString().split("\\.", -1)[1], HEX);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /** Deletes a socket whose owner is certainly dead. */
    static void delete(Entry entry) throws IOException {
        Files.deleteIfExists(entry.path());
    }

    private Path memory(long owner, int number) {
        return files.root().resolve(MEMORY + Long.toHexString(owner) + "." + number);
    }

    /**
     * Creates a file of zeros and maps it.
     *
     * @throws IOException if there is not enough space
     */
    MemorySegment create(long owner, int number, long bytes, Arena arena) throws IOException {
        Path file = memory(owner, number);
        Set<StandardOpenOption> options =
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try (FileChannel channel = FileChannel.open(file, options, PRIVATE_FILE)) {
            return BackedFile.map(file, channel, 0, bytes, arena);
        } catch (IOException | RuntimeException e) {
            Files.deleteIfExists(file);
            throw e;
        }
    }

    /**
     * Maps a file of another process.
     *
     * @param writable whether this process may write to it
     * @throws IOException if there is no such file, its size is not set yet, or it cannot be mapped
     */
    MemorySegment map(long owner, int number, boolean writable, Arena arena) throws IOException {
        Path file = memory(owner, number);
        Set<StandardOpenOption> options =
                writable ? Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE) : Set.of(StandardOpenOption.READ);
        try (FileChannel channel = FileChannel.open(file, options)) {
            long bytes = channel.size();
            if (bytes == 0) {
                throw new IOException(file + " has not got its size yet");
            }
            return channel.map(writable ? MapMode.READ_WRITE : MapMode.READ_ONLY, 0, bytes, arena);
        }
    }

    /**
     * Maps a file of another process for reading and writing, and deletes its name.
     *
     * @param bytes size that the file must have
     * @throws IOException if there is no such file, or it has another size
     */
    MemorySegment take(long owner, int number, long bytes, Arena arena) throws IOException {
        Path file = memory(owner, number);
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
        try (FileChannel channel = FileChannel.open(file, options)) {
            if (channel.size() != bytes) {
                throw new IOException(file + " has " + channel.size() + " bytes and not " + bytes);
            }
            MemorySegment memory = channel.map(MapMode.READ_WRITE, 0, bytes, arena);
            Files.delete(file);
            return memory;
        }
    }

    void delete(long owner, int number) {
        try {
            Files.deleteIfExists(memory(owner, number));
        } catch (IOException e) {
            // The sweep of the next process that starts deletes the file.
        }
    }
}
