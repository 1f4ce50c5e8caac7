// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a {@link Ring}: 64-bit words at offsets that are multiples of 8. Two fields of 32 bits share a word,
 * see {@link #pair}.
 *
 * <p>The ring of one process is an array on the Java heap. Native memory is used where another process shares the ring,
 * and where the application supplies the memory. An access to the array costs less than one to native memory, above all
 * in code that is not compiled yet.
 *
 * <p>In native memory words are little-endian and indexes have native byte order.
 */
public final class RingMemory {
    private static final int WORD_SHIFT = 3;
    private static final int INLINE_ALIGNMENT = 16;
    private static final VarHandle HEAP = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle NATIVE = ValueLayout.JAVA_INT.varHandle();
    private static final ValueLayout.OfInt INDEX = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Memory without words. */
    public static final RingMemory EMPTY = allocate(0);

    /** Null if the memory is native. */
    private final long @Nullable [] words;

    /** {@link MemorySegment#NULL} if the memory is an array. */
    private final MemorySegment segment;

    /** Null in memory on the heap to which no bytes were written yet. */
    private volatile @Nullable MemorySegment bytes;

    private RingMemory(long @Nullable [] words, MemorySegment segment, @Nullable MemorySegment bytes) {
        this.words = words;
        this.segment = segment;
        this.bytes = bytes;
    }

    /**
     * {@return zeroed memory on the Java heap}
     *
     * @param bytes a multiple of 8
     */
    public static RingMemory allocate(long bytes) {
        return new RingMemory(new long[word(bytes)], MemorySegment.NULL, null);
    }

    /** The given native memory, which the caller keeps allocated. */
    static RingMemory of(MemorySegment segment) {
        return new RingMemory(null, segment, segment);
    }

    private static int word(long offset) {
        return (int) (offset >> WORD_SHIFT);
    }

    /** {@return the size in bytes} */
    public long byteSize() {
        long[] heap = words;
        return heap != null ? (long) heap.length << WORD_SHIFT : segment.byteSize();
    }

    // Words

    /**
     * {@return a word}
     *
     * @param offset a multiple of 8
     */
    public long get(long offset) {
        long[] heap = words;
        return heap != null ? heap[word(offset)] : segment.get(WORD, offset);
    }

    /**
     * {@return a word of an element} Costs less than a word at the sum of the offsets.
     *
     * @param element offset of the element, a multiple of 8
     * @param field offset in the element, a multiple of 8; a constant
     */
    public long get(long element, long field) {
        long[] heap = words;
        return heap != null ? heap[word(element) + word(field)] : segment.get(WORD, element + field);
    }

    /**
     * Writes a word of an element.
     *
     * @param element offset of the element, a multiple of 8
     * @param field offset in the element, a multiple of 8; a constant
     * @param value the word
     */
    public void set(long element, long field, long value) {
        long[] heap = words;
        if (heap != null) {
            heap[word(element) + word(field)] = value;
        } else {
            segment.set(WORD, element + field, value);
        }
    }

    /**
     * Writes a word.
     *
     * @param offset a multiple of 8
     * @param value the word
     */
    public void set(long offset, long value) {
        long[] heap = words;
        if (heap != null) {
            heap[word(offset)] = value;
        } else {
            segment.set(WORD, offset, value);
        }
    }

    /**
     * Writes four words of an element that follow one another. Costs less than four single writes.
     *
     * @param element offset of the element, a multiple of 8
     * @param field offset of the first word in the element, a multiple of 8; a constant
     * @param first the word at {@code field}
     * @param second the word behind it
     * @param third the word behind the second
     * @param fourth the word behind the third
     */
    public void set(long element, long field, long first, long second, long third, long fourth) {
        long[] heap = words;
        if (heap != null) {
            int at = word(element) + word(field);
            heap[at] = first;
            heap[at + 1] = second;
            heap[at + 2] = third;
            heap[at + 3] = fourth;
        } else {
            long offset = element + field;
            segment.set(WORD, offset, first);
            segment.set(WORD, offset + Long.BYTES, second);
            segment.set(WORD, offset + 2L * Long.BYTES, third);
            segment.set(WORD, offset + 3L * Long.BYTES, fourth);
        }
    }

    /**
     * {@return a word of two fields}
     *
     * @param first the field at the lower address
     * @param second the field four bytes behind it
     */
    public static long pair(int first, int second) {
        return Integer.toUnsignedLong(first) | (long) second << Integer.SIZE;
    }

    /**
     * {@return the field at the lower address}
     *
     * @param pair a word of two fields
     */
    public static int first(long pair) {
        return (int) pair;
    }

    /**
     * {@return the field four bytes behind the lower address}
     *
     * @param pair a word of two fields
     */
    public static int second(long pair) {
        return (int) (pair >>> Integer.SIZE);
    }

    /**
     * Copies words, and the {@link #bytes} at the same place if both memories are on the heap.
     *
     * @param offset of the first word, a multiple of 8
     * @param target the memory to copy to
     * @param targetOffset in {@code target}, a multiple of 8
     * @param length bytes, a multiple of 8
     */
    public void copyTo(long offset, RingMemory target, long targetOffset, long length) {
        for (long at = 0; at < length; at += Long.BYTES) {
            target.set(targetOffset + at, get(offset + at));
        }
        MemorySegment there = bytes;
        if (there != null && words != null && target.words != null) {
            MemorySegment.copy(there, offset, target.bytes(), targetOffset, length);
        }
    }

    // Bytes

    /**
     * {@return native memory of the same size, for inline data and headers of large sends, which become parts of
     * packets} It is the ring itself if that is native. Otherwise the first call allocates it, and it stays allocated
     * as long as it is reachable.
     */
    public MemorySegment bytes() {
        MemorySegment there = bytes;
        return there != null ? there : allocateBytes();
    }

    private synchronized MemorySegment allocateBytes() {
        MemorySegment there = bytes;
        if (there == null) {
            there = Arena.ofAuto().allocate(byteSize(), INLINE_ALIGNMENT);
            bytes = there;
        }
        return there;
    }

    // Indexes

    int index(long offset) {
        long[] heap = words;
        return heap != null ? (int) heap[word(offset)] : segment.get(INDEX, offset);
    }

    int indexAcquire(long offset) {
        long[] heap = words;
        return heap != null
                ? (int) (long) HEAP.getAcquire(heap, word(offset))
                : (int) NATIVE.getAcquire(segment, offset);
    }

    int indexVolatile(long offset) {
        long[] heap = words;
        return heap != null
                ? (int) (long) HEAP.getVolatile(heap, word(offset))
                : (int) NATIVE.getVolatile(segment, offset);
    }

    void indexRelease(long offset, int value) {
        long[] heap = words;
        if (heap != null) {
            HEAP.setRelease(heap, word(offset), (long) value);
        } else {
            NATIVE.setRelease(segment, offset, value);
        }
    }

    void indexVolatile(long offset, int value) {
        long[] heap = words;
        if (heap != null) {
            HEAP.setVolatile(heap, word(offset), (long) value);
        } else {
            NATIVE.setVolatile(segment, offset, value);
        }
    }

    boolean replaceIndex(long offset, int expected, int value) {
        long[] heap = words;
        return heap != null
                ? HEAP.compareAndSet(heap, word(offset), (long) expected, (long) value)
                : NATIVE.compareAndSet(segment, offset, expected, value);
    }

    int swapIndex(long offset, int value) {
        long[] heap = words;
        return heap != null
                ? (int) (long) HEAP.getAndSet(heap, word(offset), (long) value)
                : (int) NATIVE.getAndSet(segment, offset, value);
    }
}
