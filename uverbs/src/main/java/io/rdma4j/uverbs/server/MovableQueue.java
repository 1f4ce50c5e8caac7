package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.Message;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where a queue lies that can be resized: in a file that client and server map, another one after each resize. One thread.
 */
final class MovableQueue implements SegmentAllocator {
    private final Path folder;
    private @Nullable QueueFile current;
    private @Nullable QueueFile next;

    MovableQueue(Path folder) {
        this.folder = folder;
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        abandon();
        QueueFile file = QueueFile.create(folder);
        next = file;
        return file.allocate(byteSize, byteAlignment);
    }

    /** The queue has moved to what was allocated last: puts the place into the answer. */
    void settle(Message answer) {
        QueueFile moved = next;
        if (moved != null) {
            delete();
            current = moved;
            next = null;
        }
        Objects.requireNonNull(current).putFirstPart(answer);
    }

    /** The queue stays where it is. */
    void abandon() {
        if (next != null) {
            next.delete();
            next = null;
        }
    }

    /** Takes the name of the file away; what is mapped stays. */
    void delete() {
        if (current != null) {
            current.delete();
        }
    }
}
