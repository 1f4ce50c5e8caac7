package io.rdma4j.rxe;

import io.rdma4j.verbs.spi.DmOps;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A block of the device's own memory, which for a device of software is memory of the JVM. */
final class RxeDm implements DmOps {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final DeviceMemoryPool pool;

    /** @param pool gets the bytes back in the end */
    RxeDm(DeviceMemoryPool pool, long length, long alignment) {
        this.pool = pool;
        this.memory = arena.allocate(length, alignment);
    }

    /** What a region is to be made of. */
    MemorySegment part(long offset, long length) {
        return memory.asSlice(offset, length);
    }

    @Override
    public void write(long offset, MemorySegment source) {
        memory.asSlice(offset, source.byteSize()).copyFrom(source);
    }

    @Override
    public void read(long offset, MemorySegment target) {
        target.copyFrom(memory.asSlice(offset, target.byteSize()));
    }

    @Override
    public void close() {
        arena.close();
        pool.give(memory.byteSize());
    }
}
