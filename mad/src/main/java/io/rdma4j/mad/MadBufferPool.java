// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import io.rdma4j.wire.mad.Mad;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** The receive buffers of an agent: a limited number is in use, some free ones are kept. Any thread. */
final class MadBufferPool {
    private static final int KEPT = 256;

    private final int limit;
    private final ArrayDeque<byte[]> free = new ArrayDeque<>();
    private int used;

    MadBufferPool(int limit) {
        this.limit = limit;
    }

    /** Returns a buffer of 256 bytes, or null if the limit is reached. */
    synchronized byte @Nullable [] take() {
        if (used == limit) {
            return null;
        }
        used++;
        byte[] buffer = free.poll();
        return buffer == null ? new byte[Mad.BYTES] : buffer;
    }

    synchronized void give(byte[] buffer) {
        used--;
        if (free.size() < KEPT) {
            free.push(buffer);
        }
    }

    synchronized int used() {
        return used;
    }
}
