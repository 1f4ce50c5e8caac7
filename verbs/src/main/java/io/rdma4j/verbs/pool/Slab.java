package io.rdma4j.verbs.pool;

import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** One memory region, cut into blocks of one size. Its size class guards it. */
final class Slab {
    private static final int PAGE = 4096;

    private final Arena arena = Arena.ofShared();
    private final MemoryRegion region;
    private final MemorySegment[] blocks;

    Slab(ProtectionDomain pd, MemoryPoolOptions options, int blockBytes) {
        MemorySegment memory;
        try {
            memory = pd.context().allocateBuffer(options.slabBytes(), PAGE, arena);
            this.region = pd.registerMemory(memory, options.access());
        } catch (RuntimeException e) {
            arena.close();
            throw e;
        }
        this.blocks = new MemorySegment[options.slabBytes() / blockBytes];
        for (int i = 0; i < blocks.length; i++) {
            blocks[i] = memory.asSlice((long) i * blockBytes, blockBytes);
        }
    }

    MemoryRegion region() {
        return region;
    }

    MemorySegment block(int index) {
        return blocks[index];
    }

    void close() {
        region.close();
        arena.close();
    }
}
