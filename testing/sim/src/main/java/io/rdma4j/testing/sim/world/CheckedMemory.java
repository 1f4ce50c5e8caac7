// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;

/** A registered region and its expected content. */
public final class CheckedMemory {
    private final MemoryRegion region;
    private final MemorySegment actual;
    private final MemorySegment expected;

    /** @param key determines the initial content */
    public CheckedMemory(MemoryRegion region, long key) {
        this.region = region;
        this.actual = region.segment();
        this.expected = MemorySegment.ofArray(new byte[Math.toIntExact(actual.byteSize())]);
        Pattern.write(key, actual, 0, actual.byteSize());
        expected.copyFrom(actual);
    }

    public MemoryRegion region() {
        return region;
    }

    /** The actual content. */
    public MemorySegment actual() {
        return actual;
    }

    /** The expected content. */
    public MemorySegment expected() {
        return expected;
    }

    /**
     * Describes differences in {@code length} bytes from {@code offset} on, counted from there; empty if there are
     * none.
     */
    public String difference(long offset, long length) {
        return Difference.describe(actual.asSlice(offset, length), expected.asSlice(offset, length));
    }

    /** Describes differences in a slot; empty if there are none. */
    public String difference(Slot slot) {
        return difference(slot.offset(), slot.slotBytes());
    }

    /** Describes differences in the region; empty if there are none. */
    public String difference() {
        return Difference.describe(actual, expected);
    }

    /** Takes the actual content as expected from now on. */
    public void adopt(long offset, long length) {
        MemorySegment.copy(actual, offset, expected, offset, length);
    }

    /** Writes to the actual and the expected content. */
    public void fill(Slot slot, long key) {
        Pattern.write(key, actual, slot.offset(), slot.slotBytes());
        adopt(slot.offset(), slot.slotBytes());
    }
}
