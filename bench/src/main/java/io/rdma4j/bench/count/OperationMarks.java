// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.count;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Two words in a file that both processes map. The counted thread writes when an operation begins and which one ended.
 * The counting process reads this after each instruction; it needs no knowledge of the compiled code.
 */
final class OperationMarks implements AutoCloseable {
    /** Word of a thread that is inside an operation. */
    static final long BUSY = -1;

    /** Word of a thread that has done something that is not counted. */
    static final long UNCOUNTED = -2;

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final long STATE = 0;
    private static final long READY = 64;
    private static final long BYTES = 128;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;

    /** Maps a file, and extends it. */
    OperationMarks(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, BYTES, arena);
        }
    }

    /** The counted thread is about to run an operation. */
    void begin() {
        WORD.setVolatile(memory, STATE, BUSY);
    }

    /** The counted thread has run an operation. */
    void end(CountedOperation operation) {
        WORD.setVolatile(memory, STATE, (long) operation.ordinal());
    }

    /** The counted thread begins and ends an operation that does nothing. */
    void nothing() {
        begin();
        end(CountedOperation.NOTHING);
    }

    /** What the counted thread ran since {@link #begin} is none of the operations. */
    void discard() {
        WORD.setVolatile(memory, STATE, UNCOUNTED);
    }

    /** {@link #BUSY}, {@link #UNCOUNTED}, or the ordinal of the operation that ended last. */
    long state() {
        return (long) WORD.getVolatile(memory, STATE);
    }

    /** Number of the thread that runs warm operations; 0 for none. */
    int ready() {
        return (int) (long) WORD.getVolatile(memory, READY);
    }

    /** Sets the thread that runs warm operations; 0 makes it stop. */
    void ready(int tid) {
        WORD.setVolatile(memory, READY, (long) tid);
    }

    @Override
    public void close() {
        arena.close();
    }
}
