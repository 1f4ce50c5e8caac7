// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.loop;

import io.rdma4j.verbs.spi.DmOps;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Memory of the JVM. */
record LoopDm(MemorySegment memory) implements DmOps {
    LoopDm(long length, long alignment) {
        this(Arena.ofAuto().allocate(length, alignment));
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
    public void close() {}
}
