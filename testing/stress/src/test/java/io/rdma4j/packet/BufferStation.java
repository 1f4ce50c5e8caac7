// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import io.rdma4j.testing.stress.Recycler;
import java.util.Objects;

/** A pool of two buffers, both in use. */
final class BufferStation {
    private static final Recycler<BufferStation> STATIONS = new Recycler<>(BufferStation::new);
    private static final int BUFFER_BYTES = 64;

    private final SkBuffPool pool = new SkBuffPool(2, BUFFER_BYTES);
    SkBuff first;
    SkBuff second;

    private BufferStation() {
        first = allocate();
        second = allocate();
    }

    static BufferStation take() {
        return STATIONS.take();
    }

    private SkBuff allocate() {
        return Objects.requireNonNull(pool.allocate());
    }

    /** Owner of the pool: 1 for the first buffer, 2 for the second, 0 if none is free. */
    int tryAllocate() {
        SkBuff free = pool.allocate();
        if (free == null) {
            return 0;
        }
        return free == first ? 1 : free == second ? 2 : -1;
    }

    /** Recycles the pool; both buffers must be in use. */
    void giveBack() {
        STATIONS.giveBack(this);
    }
}
