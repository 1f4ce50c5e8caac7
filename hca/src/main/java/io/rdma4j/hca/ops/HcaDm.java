// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.ops;

import io.rdma4j.verbs.spi.DmOps;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A block of device memory, which a software device allocates in the JVM's native memory. */
final class HcaDm implements DmOps {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final Runnable onClose;

    /** @param onClose gives the memory back to the device */
    HcaDm(long length, long alignment, Runnable onClose) {
        this.memory = arena.allocate(length, alignment);
        this.onClose = onClose;
    }

    /** Returns a range of the block, for registration as a memory region. */
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
        onClose.run();
    }
}
