// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import io.rdma4j.transport.memory.RegionKey;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/** A registered piece of memory with content that can be recognised. */
record TestRegion(RegionKey key, MemorySegment memory) {
    /** A contiguous part of a region, to be put into a scatter/gather list. */
    record Piece(int lkey, long address, int lengthBytes) {}

    int lkey() {
        return key.key();
    }

    long address() {
        return key.start();
    }

    /** The first {@code lengthBytes} bytes. */
    Piece first(int lengthBytes) {
        return piece(0, lengthBytes);
    }

    Piece piece(long offset, int lengthBytes) {
        return new Piece(lkey(), address() + offset, lengthBytes);
    }

    /** Fills the region with bytes that depend on {@code seed}. */
    TestRegion filled(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] bytes = new byte[(int) memory.byteSize()];
        random.nextBytes(bytes);
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, bytes.length);
        return this;
    }

    byte[] bytes(long offset, int lengthBytes) {
        return memory.asSlice(offset, lengthBytes).toArray(ValueLayout.JAVA_BYTE);
    }
}
