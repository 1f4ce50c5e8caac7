package io.rdma4j.verbs.spi;

import java.lang.foreign.MemorySegment;

/** A block of memory of the device. Any thread may call. */
public interface DmOps extends AutoCloseable {
    /**
     * {@code ibv_memcpy_to_dm}; {@code offset} + the length of {@code source} is inside.
     *
     * @param offset bytes from the start
     * @param source read during the call only
     */
    void write(long offset, MemorySegment source);

    /**
     * {@code ibv_memcpy_from_dm}; {@code offset} + the length of {@code target} is inside.
     *
     * @param offset bytes from the start
     * @param target written during the call only
     */
    void read(long offset, MemorySegment target);

    /** {@code ibv_free_dm}; its regions have been closed. */
    @Override
    void close();
}
