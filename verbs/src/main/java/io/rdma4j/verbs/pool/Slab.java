// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.pool;

import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;

/** One memory region, cut into blocks of one size. Protected by the lock of its size class. */
final class Slab {
    private final MemoryRegion region;
    private final MemorySegment[] blocks;

    Slab(ProtectionDomain pd, MemoryPoolOptions options, int blockBytes) {
        this.region = pd.allocateMemory(options.slabBytes(), options.access());
        this.blocks = new MemorySegment[options.slabBytes() / blockBytes];
        for (int i = 0; i < blocks.length; i++) {
            blocks[i] = region.segment().asSlice((long) i * blockBytes, blockBytes);
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
    }
}
