// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.base.local.BackedFile;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.Message;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * A file that contains queues, so that a client can map them. Corresponds to {@code struct rxe_mmap_info}. The memory
 * is allocated with its blocks and is unmapped when it is unreachable.
 */
final class QueueFile implements SegmentAllocator {
    private static final int PAGE_BYTES = 4096;

    private final Path path;
    private final List<Part> parts = new ArrayList<>();
    private long end;

    /** @param sizeBytes a multiple of the page size */
    record Part(long offset, long sizeBytes) {}

    private QueueFile(Path path) {
        this.path = path;
    }

    /** Creates a file that only this user can open. */
    static QueueFile create(Path folder) {
        try {
            var onlyOwner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
            return new QueueFile(Files.createTempFile(folder, "queue", "", onlyOwner));
        } catch (IOException e) {
            throw new RdmaException(Errno.ENOMEM, "no file for a queue in " + folder, e);
        }
    }

    Path path() {
        return path;
    }

    /** The allocated parts, in order of allocation. */
    List<Part> parts() {
        return parts;
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        Part part = new Part(end, Math.ceilDiv(byteSize, PAGE_BYTES) * PAGE_BYTES);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment memory = BackedFile.map(path, file, part.offset(), part.sizeBytes(), Arena.ofAuto());
            end += part.sizeBytes();
            parts.add(part);
            return memory.asSlice(0, byteSize);
        } catch (IOException e) {
            throw new RdmaException(Errno.ENOMEM, "no " + byteSize + " bytes for a queue in " + path, e);
        }
    }

    /** Puts the path and the first part into an answer. */
    void putFirstPart(Message answer) {
        Part first = parts.getFirst();
        answer.putText(CommandAttribute.FILE, path.toString())
                .putLong(CommandAttribute.OFFSET, first.offset())
                .putLong(CommandAttribute.SIZE, first.sizeBytes());
    }

    /** Deletes the file; mappings stay valid. */
    void delete() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            // The end of the session deletes the directory.
        }
    }
}
