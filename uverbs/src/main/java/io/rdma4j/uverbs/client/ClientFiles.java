// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.base.local.BackedFile;
import io.rdma4j.uverbs.abi.CommandAttribute;
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

/**
 * Maps memory shared with the server: queues, which the server allocates, and regions, which the application provides.
 */
final class ClientFiles {
    private static final Path MAPS = Path.of("/proc/self/maps");

    /** {@code 7f12a000-7f13a000 rw-s 00001000 00:19 4711    /dev/shm/file}. */
    private static final Pattern MAPPING =
            Pattern.compile("(\\p{XDigit}+)-(\\p{XDigit}+) rw.s (\\p{XDigit}+) \\S+ +\\d+ +(/.*)");

    private static final int PAGE_BYTES = 4096;

    /** Deletes files whose memory is unreachable. */
    private static final Cleaner CLEANER = Cleaner.create();

    private ClientFiles() {}

    /** Part of a file. */
    record FilePart(String file, long offset) {}

    /**
     * Allocates memory in a new file of the session's directory. The file's blocks are allocated too. The file is
     * deleted after the memory has become unreachable, because the application can register regions in it until then.
     *
     * @throws RdmaException ENOMEM if there is no space
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
            // The server deletes the directory at the end of the session.
        }
    }

    /**
     * Maps the memory of a queue that an answer describes. {@link ClientSession#call} has checked the directory of the
     * file.
     *
     * @throws RdmaException ENOMEM if mapping fails, EACCES or EFAULT as {@link SharedFile#map}
     */
    static MemorySegment map(Message answer, CommandAttribute offset, CommandAttribute size) {
        Path file = Path.of(answer.getText(CommandAttribute.FILE));
        try {
            return Uninterrupted.run(
                    () -> SharedFile.map(file, answer.getLong(offset), answer.getLong(size), Arena.ofAuto()));
        } catch (IOException e) {
            throw new RdmaException(Errno.ENOMEM, "the queue in " + file + " cannot be mapped", e);
        }
    }

    /**
     * Finds the file and offset of mapped memory in {@code /proc/self/maps}.
     *
     * @throws RdmaException EOPNOTSUPP if the memory is not a writable mapping of a file, so that the server cannot map
     *     it
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

    /** Empty if the memory is not mapped from a file. */
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
