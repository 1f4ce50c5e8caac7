// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.testing.sim.world.Difference;
import io.rdma4j.testing.sim.world.Pattern;
import io.rdma4j.testing.sim.world.SimEndpoint;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.TreeMap;

/**
 * Memory of a host that peers may change in some parts and read in others; all other bytes must stay unchanged and
 * unseen.
 */
public final class GuardedMemory {
    /** Fills all bytes that peers may not read. A packet that contains enough of them in a row has disclosed memory. */
    private static final byte SECRET = (byte) 0xEE;

    private static final int SECRET_BYTES = 16;

    private final MemorySegment memory;
    private final MemorySegment expected;

    /** Start and length of the parts that peers may change. */
    private final TreeMap<Long, Long> open = new TreeMap<>();

    private long used;

    public GuardedMemory(Arena arena, long bytes) {
        memory = arena.allocate(bytes, SimEndpoint.PAGE_BYTES);
        memory.fill(SECRET);
        expected = MemorySegment.ofArray(memory.toArray(ValueLayout.JAVA_BYTE));
    }

    /** Returns the next {@code bytes}, page-aligned, with an unused page before them. */
    public MemorySegment take(long bytes) {
        long at = used + SimEndpoint.PAGE_BYTES;
        used = (at + bytes + SimEndpoint.PAGE_BYTES - 1) / SimEndpoint.PAGE_BYTES * SimEndpoint.PAGE_BYTES;
        return memory.asSlice(at, bytes);
    }

    /** Permits changes of this part by peers. */
    public void mayChange(MemorySegment part) {
        open.put(part.address() - memory.address(), part.byteSize());
    }

    /** Permits peers to read this part: fills it with other bytes. */
    public void maySee(MemorySegment part) {
        Pattern.write(part.byteSize(), part, 0, part.byteSize());
        long at = part.address() - memory.address();
        MemorySegment.copy(memory, at, expected, at, part.byteSize());
    }

    /** Describes forbidden changes; empty if there are none. */
    public String difference() {
        long from = 0;
        for (var part : open.entrySet()) {
            String wrong = difference(from, part.getKey());
            if (!wrong.isEmpty()) {
                return wrong;
            }
            from = part.getKey() + part.getValue();
        }
        return difference(from, memory.byteSize());
    }

    private String difference(long from, long to) {
        String wrong = Difference.describe(memory.asSlice(from, to - from), expected.asSlice(from, to - from));
        return wrong.isEmpty() ? "" : "behind byte " + from + " " + wrong;
    }

    /** True if a packet contains bytes that peers may not read. */
    public static boolean givesAway(MemorySegment packet) {
        int run = 0;
        for (long i = 0; i < packet.byteSize(); i++) {
            run = packet.get(ValueLayout.JAVA_BYTE, i) == SECRET ? run + 1 : 0;
            if (run == SECRET_BYTES) {
                return true;
            }
        }
        return false;
    }
}
