package io.rdma4j.testing.sim;

import io.rdma4j.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;

/** A registered region and what it should hold. */
final class CheckedMemory {
    private final MemoryRegion region;
    private final MemorySegment actual;
    private final MemorySegment expected;

    /** @param key what it holds in the beginning */
    CheckedMemory(MemoryRegion region, long key) {
        this.region = region;
        this.actual = region.segment();
        this.expected = MemorySegment.ofArray(new byte[Math.toIntExact(actual.byteSize())]);
        Pattern.write(key, actual, 0, actual.byteSize());
        expected.copyFrom(actual);
    }

    MemoryRegion region() {
        return region;
    }

    /** What is there. */
    MemorySegment actual() {
        return actual;
    }

    /** What should be there. */
    MemorySegment expected() {
        return expected;
    }

    /** What is wrong in {@code length} bytes from {@code offset} on, counted from there; empty for nothing. */
    String difference(long offset, long length) {
        return Difference.describe(actual.asSlice(offset, length), expected.asSlice(offset, length));
    }

    /** What is wrong in a slot; empty for nothing. */
    String difference(Place place) {
        return difference(place.offset(), place.slotBytes());
    }

    /** What is wrong anywhere; empty for nothing. */
    String difference() {
        return Difference.describe(actual, expected);
    }

    /** What is there is right from now on. */
    void adopt(long offset, long length) {
        MemorySegment.copy(actual, offset, expected, offset, length);
    }

    /** The program itself writes. */
    void fill(Place place, long key) {
        Pattern.write(key, actual, place.offset(), place.slotBytes());
        adopt(place.offset(), place.slotBytes());
    }
}
