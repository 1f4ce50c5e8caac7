package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.base.local.BackedFile;
import io.rdma4j.uverbs.abi.Attribute;
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
 * A file that queues lie in, so that a client can map them. Answers to {@code struct rxe_mmap_info}. The memory lives as long as somebody
 * refers to it, as that of other queues. It exists when it is allocated.
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

    /** In a folder that only this user can look into. */
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

    /** What was allocated, in its order. */
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

    /** Puts path and first part into an answer. */
    void putFirstPart(Message answer) {
        Part first = parts.getFirst();
        answer.putText(Attribute.FILE, path.toString())
                .putLong(Attribute.OFFSET, first.offset())
                .putLong(Attribute.SIZE, first.sizeBytes());
    }

    /** Takes the name away; what is mapped stays. */
    void delete() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            // It goes with the folder of the session.
        }
    }
}
