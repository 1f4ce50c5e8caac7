// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Layout of a message in memory: segments in order, with unused gaps before, between and behind them. */
public final class Layout {
    /** Maximum number of segments. */
    public static final int MAX_PIECES = 6;

    private static final int MAX_GAP_BYTES = 16;

    private final int[] offsets;
    private final int[] lengths;

    private Layout(int[] offsets, int[] lengths) {
        this.offsets = offsets;
        this.lengths = lengths;
    }

    /** Bytes of a slot that suffice for every layout of {@code capacity} bytes. */
    public static int slotBytes(int capacity) {
        return capacity + (MAX_PIECES + 1) * MAX_GAP_BYTES;
    }

    /** Returns a layout for {@code capacity} bytes in up to {@code maxPieces} segments; some may be empty. */
    public static Layout random(SplittableRandom random, int capacity, int maxPieces) {
        int pieces = capacity == 0 ? random.nextInt(0, 2) : random.nextInt(1, maxPieces + 1);
        int[] offsets = new int[pieces];
        int[] lengths = new int[pieces];
        int left = capacity;
        int offset = 0;
        for (int i = 0; i < pieces; i++) {
            offset += random.nextInt(0, MAX_GAP_BYTES + 1);
            offsets[i] = offset;
            lengths[i] = i == pieces - 1 ? left : random.nextInt(0, left + 1);
            left -= lengths[i];
            offset += lengths[i];
        }
        return new Layout(offsets, lengths);
    }

    /** Bytes of all segments. */
    public int capacity() {
        return IntStream.of(lengths).sum();
    }

    public int pieces() {
        return offsets.length;
    }

    /** Offset of a segment in the slot. */
    public int offset(int piece) {
        return offsets[piece];
    }

    public int length(int piece) {
        return lengths[piece];
    }

    /** Copies the first {@code length} bytes of {@code message} into the segments of the slot at {@code base}. */
    public void scatter(MemorySegment message, int length, MemorySegment target, long base) {
        int done = 0;
        for (int i = 0; i < offsets.length && done < length; i++) {
            int part = Math.min(lengths[i], length - done);
            MemorySegment.copy(message, done, target, base + offsets[i], part);
            done += part;
        }
    }

    /** Copies {@code length} bytes out of the segments of the slot at {@code base} into {@code message}. */
    public void gather(MemorySegment source, long base, MemorySegment message, int length) {
        int done = 0;
        for (int i = 0; i < offsets.length && done < length; i++) {
            int part = Math.min(lengths[i], length - done);
            MemorySegment.copy(source, base + offsets[i], message, done, part);
            done += part;
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("[");
        for (int i = 0; i < offsets.length; i++) {
            text.append(i == 0 ? "" : ", ").append(offsets[i]).append('+').append(lengths[i]);
        }
        return text.append(']').toString();
    }
}
