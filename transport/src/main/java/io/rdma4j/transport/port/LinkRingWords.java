// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.base.local.LinkRing;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The 64-bit words of a {@link LinkRing}. The compiler has a limit for what it inlines, and inlines less for an access
 * through a buffer than through a segment. An access to memory that was closed throws {@link IllegalStateException}.
 */
final class LinkRingWords {
    private static final VarHandle WORD = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final ByteBuffer buffer;

    LinkRingWords(MemorySegment ring) {
        buffer = ring.asSlice(0, LinkRing.BYTES).asByteBuffer();
    }

    long get(long offset) {
        return (long) WORD.get(buffer, (int) offset);
    }

    void set(long offset, long value) {
        WORD.set(buffer, (int) offset, value);
    }

    long getAcquire(long offset) {
        return (long) WORD.getAcquire(buffer, (int) offset);
    }

    void setRelease(long offset, long value) {
        WORD.setRelease(buffer, (int) offset, value);
    }

    long getVolatile(long offset) {
        return (long) WORD.getVolatile(buffer, (int) offset);
    }

    void setVolatile(long offset, long value) {
        WORD.setVolatile(buffer, (int) offset, value);
    }
}
