package io.rdma4j.net.shm;

import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.base.local.BackedFile;
import io.rdma4j.base.local.LocalUser;
import io.rdma4j.base.local.PrivateDirectory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The directory in which the processes of a user find each other; the package says what is in it. Control path only.
 *
 * <p>Names never come twice, because an owner is a random number. So whoever finds that an owner is dead deletes what it left, and cannot hit
 * anybody else.
 */
final class ShmDirectory {
    static final int PAGE_BYTES = 4096;

    private static final int HEX = 16;

    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final Path SELF = Path.of("/proc/self");
    private static final String MEMORY = "memory.";

    /** A socket on which nobody listens yet, to be renamed when somebody does. */
    private static final String UNBORN = "new.";

    /** Who has not been born after that time is dead. */
    private static final Duration BIRTH = Duration.ofSeconds(10);

    private static final FileAttribute<?> PRIVATE_FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path path;
    private final long namespace;

    private ShmDirectory(Path path, long namespace) {
        this.path = path;
        this.namespace = namespace;
    }

    /**
     * One served address.
     *
     * @param path of the socket
     * @param namespace of the network that the address is in
     */
    record Entry(Path path, long namespace, Gid address, int port, long owner) {
        /** Null for a name that is none. */
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

        boolean isOf(long wantedNamespace, Gid wantedAddress, int wantedPort) {
            return namespace == wantedNamespace && address.equals(wantedAddress) && port == wantedPort;
        }
    }

    /**
     * That of this process's user, for the network that this process is in; made if need be.
     *
     * @throws IOException if this system has no such thing, or another user can change it
     */
    static ShmDirectory open() throws IOException {
        // "net:[4026531840]": the number of the network namespace.
        String link = Files.readSymbolicLink(SELF.resolve("ns/net")).toString();
        return open(
                SHARED_MEMORY.resolve("rdma4j-" + Integer.toUnsignedString(LocalUser.uid())),
                Long.parseLong(link.replaceAll("\\D", "")));
    }

    /**
     * One at a place, for a network.
     *
     * @throws IOException if another user can change it
     */
    static ShmDirectory open(Path path, long namespace) throws IOException {
        PrivateDirectory.create(path);
        return new ShmDirectory(path, namespace);
    }

    /** That of the network this process is in. */
    long namespace() {
        return namespace;
    }

    private static String text(long owner) {
        return Long.toHexString(owner);
    }

    /** Where the owner's socket number {@code index} is bound at first. */
    Path unborn(long owner, int index) {
        return path.resolve(UNBORN + text(owner) + "." + index);
    }

    /** Where it is when somebody listens: others find it there. */
    Path entry(Gid address, int port, long owner) {
        String host = address.toInetAddress().getHostAddress();
        return path.resolve(namespace + "_" + host + "_" + port + "." + text(owner));
    }

    /** The sockets of those who serve an address, the dead among them. */
    List<Entry> find(Gid address, int port) throws IOException {
        return entries().stream()
                .filter(entry -> entry.isOf(namespace, address, port))
                .toList();
    }

    private List<Entry> entries() throws IOException {
        return list("*_*").stream()
                .flatMap(file -> {
                    Entry entry = Entry.parse(file);
                    return entry == null ? Stream.<Entry>empty() : Stream.of(entry);
                })
                .toList();
    }

    private List<Path> list(String pattern) throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(path, pattern)) {
            stream.forEach(files::add);
        }
        return files;
    }

    /**
     * Deletes what the dead have left. The living learn by it that somebody new is there.
     *
     * @return the living of the same network
     */
    List<Entry> sweep() throws IOException {
        // Memory comes after the socket of its owner, and goes before it: what is seen here has a socket below, or is
        // left over.
        List<Path> memory = list(MEMORY + "*");
        Set<Long> owners = new HashSet<>();
        List<Entry> living = new ArrayList<>();
        for (Entry entry : entries()) {
            if (isAlive(entry.path())) {
                owners.add(entry.owner());
                living.add(entry);
            } else {
                Files.deleteIfExists(entry.path());
            }
        }
        for (Path file : memory) {
            if (!owners.contains(ownerOf(file))) {
                Files.deleteIfExists(file);
            }
        }
        for (Path file : list(UNBORN + "*")) {
            if (isOld(file)) {
                Files.deleteIfExists(file);
            }
        }
        return living.stream().filter(entry -> entry.namespace() == namespace).toList();
    }

    /** Whose memory it is; of a name that is none, nobody's. */
    private static long ownerOf(Path memory) {
        try {
            return Long.parseLong(memory.getFileName().toString().split("\\.", -1)[1], HEX);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private static boolean isOld(Path file) {
        try {
            return Files.getLastModifiedTime(file)
                    .toInstant()
                    .isBefore(Instant.now().minus(BIRTH));
        } catch (IOException e) {
            // Born, or gone.
            return false;
        }
    }

    /** False only if it is certain that nobody listens there any more. */
    private static boolean isAlive(Path socket) {
        try (SocketChannel channel = connect(socket)) {
            return channel.isOpen();
        } catch (ConnectException e) {
            return false;
        } catch (IOException e) {
            // Too many wait there, or this process has too many files open.
            return Files.exists(socket, LinkOption.NOFOLLOW_LINKS);
        }
    }

    /**
     * Connects to a socket, without waiting.
     *
     * @throws ConnectException if its owner is dead
     * @throws IOException if it cannot be reached now
     */
    static SocketChannel connect(Path socket) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.configureBlocking(false);
            if (!channel.connect(UnixDomainSocketAddress.of(socket))) {
                throw new IOException(socket + " does not answer at once");
            }
            return channel;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Deletes a socket of which it is certain that its owner is dead. */
    static void delete(Entry entry) throws IOException {
        Files.deleteIfExists(entry.path());
    }

    private Path memory(long owner, int number) {
        return path.resolve(MEMORY + text(owner) + "." + number);
    }

    /**
     * Makes a file of zeros and maps it.
     *
     * @throws IOException if there is no room
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
     * Maps a file of another process, to be read only.
     *
     * @throws IOException if there is no such file, it is just being made, or it cannot be mapped
     */
    MemorySegment map(long owner, int number, Arena arena) throws IOException {
        Path file = memory(owner, number);
        try (FileChannel channel = FileChannel.open(file, Set.of(StandardOpenOption.READ))) {
            long bytes = channel.size();
            if (bytes == 0) {
                throw new IOException(file + " has not got its size yet");
            }
            return channel.map(MapMode.READ_ONLY, 0, bytes, arena);
        }
    }

    /**
     * Maps a file of another process to be written, too, and takes its name away.
     *
     * @param bytes that it must have
     * @throws IOException if there is no such file, or it is another one
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

    /** Deletes a file, if it is there. */
    void delete(long owner, int number) {
        try {
            Files.deleteIfExists(memory(owner, number));
        } catch (IOException e) {
            // Whoever starts next sweeps.
        }
    }
}
