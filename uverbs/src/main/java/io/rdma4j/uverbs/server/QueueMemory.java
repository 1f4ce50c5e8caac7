// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.Message;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one object's queues: a file that client and server map, and another file after a resize. One thread.
 *
 * <p>The client maps a file when it receives the answer. So the next {@code settle} call deletes the previous file.
 */
final class QueueMemory implements SegmentAllocator {
    private final Path folder;
    private @Nullable QueueFile current;
    private @Nullable QueueFile next;

    QueueMemory(Path folder) {
        this.folder = folder;
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        QueueFile file = next;
        if (file == null) {
            file = QueueFile.create(folder);
            next = file;
        }
        return file.allocate(byteSize, byteAlignment);
    }

    /** True if a queue was allocated since the last {@code settle} call. */
    boolean hasMoved() {
        return next != null;
    }

    /** Makes the last allocation the memory of the object's only queue, and puts its place into the answer. */
    void settle(Message answer) {
        settled().putFirstPart(answer);
    }

    /**
     * Makes the last allocation the memory of a queue pair's queues, and puts their places into the answer.
     *
     * @param sends true if the send queue has moved; it was allocated first
     * @param receives true if the receive queue has moved; it was allocated last
     */
    void settle(Message answer, boolean sends, boolean receives) {
        QueueFile file = settled();
        if (sends) {
            file.putFirstPart(answer);
        }
        if (receives) {
            QueueFile.Part part = file.parts().getLast();
            answer.putText(CommandAttribute.FILE, file.path().toString())
                    .putLong(CommandAttribute.RECEIVE_OFFSET, part.offset())
                    .putLong(CommandAttribute.RECEIVE_SIZE, part.sizeBytes());
        }
    }

    private QueueFile settled() {
        if (next != null) {
            delete();
            current = next;
            next = null;
        }
        return Objects.requireNonNull(current, "nothing was allocated");
    }

    /** Discards the last allocation; the queues do not move. */
    void abandon() {
        if (next != null) {
            next.delete();
            next = null;
        }
    }

    /** Deletes the file; mappings stay valid. */
    void delete() {
        if (current != null) {
            current.delete();
        }
    }
}
