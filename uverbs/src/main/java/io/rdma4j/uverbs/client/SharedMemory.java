package io.rdma4j.uverbs.client;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.base.local.BackedFile;
import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.SharedFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Memory that client and server both map: queues, which the server makes, and regions, which the program brings. */
final class SharedMemory {
    private static final Path MAPS = Path.of("/proc/self/maps");

    /** {@code 7f12a000-7f13a000 rw-s 00001000 00:19 4711    /dev/shm/file}. */
    private static final Pattern MAPPING =
            Pattern.compile("(\\p{XDigit}+)-(\\p{XDigit}+) rw.s (\\p{XDigit}+) \\S+ +\\d+ +(/.*)");

    private static final int PAGE_BYTES = 4096;

    /** Takes names of files away when nobody can refer to the memory any more. */
    private static final Cleaner CLEANER = Cleaner.create();

    private SharedMemory() {}

    /** Part of a file. */
    record FilePart(String file, long offset) {}

    /**
     * Memory in a new file of a folder that the server knows. The memory exists from the beginning. The file has its name until nobody can refer to the memory any more: regions may be
     * made of it all the time.
     *
     * @throws RdmaException ENOMEM if there is no room
     */
    static MemorySegment allocate(Path folder, long bytes, long alignment, Arena arena) {
        try {
            long room = Math.addExact(bytes, Math.max(0, alignment - PAGE_BYTES));
            MemorySegment whole = Uninterrupted.run(() -> create(folder, room, arena));
            return whole.asSlice(-whole.address() & (alignment - 1), bytes);
        } catch (IOException | ArithmeticException e) {
            throw new RdmaException(Errno.ENOMEM, "no " + bytes + " bytes of memory can be had in " + folder, e);
        }
    }

    private static MemorySegment create(Path folder, long bytes, Arena arena) throws IOException {
        var onlyOwner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        Path file = Files.createTempFile(folder, "memory", "", onlyOwner);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment memory = BackedFile.map(file, channel, 0, bytes, arena);
            CLEANER.register(memory.scope(), () -> delete(file));
            return memory;
        } catch (IOException | RuntimeException e) {
            delete(file);
            throw e;
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // It goes with the session.
        }
    }

    /**
     * Maps the memory of a queue, as an answer describes it. {@link ClientContext#call} has checked the folder of the file.
     *
     * @throws RdmaException ENOMEM if that fails, EACCES or EFAULT as {@link SharedFile#map}
     */
    static MemorySegment map(Message answer, Attribute offset, Attribute size) {
        Path file = Path.of(answer.getText(Attribute.FILE));
        try {
            return Uninterrupted.run(
                    () -> SharedFile.map(file, answer.getLong(offset), answer.getLong(size), Arena.ofAuto()));
        } catch (IOException e) {
            throw new RdmaException(Errno.ENOMEM, "the queue in " + file + " cannot be mapped", e);
        }
    }

    /**
     * Which part of which file memory is: what the system says of this process.
     *
     * @throws RdmaException EOPNOTSUPP if it is not mapped from a file for reading and writing, so that no other process can have it
     */
    static FilePart fileOf(MemorySegment memory) {
        try {
            Optional<FilePart> part = Uninterrupted.run(() -> find(memory));
            if (part.isPresent()) {
                return part.get();
            }
        } catch (IOException e) {
            throw new RdmaException(Errno.EOPNOTSUPP, "this system does not tell which memory can be shared", e);
        }
        throw new RdmaException(
                Errno.EOPNOTSUPP,
                "memory at 0x" + Long.toHexString(memory.address())
                        + " is of this process alone: take Context.allocateBuffer, or map a file");
    }

    /** Empty if no file is behind it. */
    private static Optional<FilePart> find(MemorySegment memory) throws IOException {
        try (BufferedReader lines = Files.newBufferedReader(MAPS)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Matcher mapping = MAPPING.matcher(line);
                if (mapping.matches()) {
                    long start = Long.parseUnsignedLong(mapping.group(1), 16);
                    long end = Long.parseUnsignedLong(mapping.group(2), 16);
                    if (memory.address() >= start && memory.address() + memory.byteSize() <= end) {
                        long inMapping = memory.address() - start;
                        return Optional.of(
                                new FilePart(mapping.group(4), Long.parseLong(mapping.group(3), 16) + inMapping));
                    }
                }
            }
        }
        return Optional.empty();
    }
}
