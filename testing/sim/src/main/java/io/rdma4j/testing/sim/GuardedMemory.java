package io.rdma4j.testing.sim;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.TreeMap;

/** Memory of a host of which peers may change some parts and see others, and must leave all else alone. */
final class GuardedMemory {
    /** What fills all that peers may not see: so many of these in a row in a packet have been given away. */
    private static final byte SECRET = (byte) 0xEE;

    private static final int SECRET_BYTES = 16;

    private final MemorySegment memory;
    private final MemorySegment expected;

    /** Where parts that may change begin, and how long they are. */
    private final TreeMap<Long, Long> open = new TreeMap<>();

    private long used;

    GuardedMemory(Arena arena, long bytes) {
        memory = arena.allocate(bytes, Endpoint.PAGE_BYTES);
        memory.fill(SECRET);
        expected = MemorySegment.ofArray(memory.toArray(ValueLayout.JAVA_BYTE));
    }

    /** The next {@code bytes}, from a page on, with a page between this part and the one before. */
    MemorySegment take(long bytes) {
        long at = used + Endpoint.PAGE_BYTES;
        used = (at + bytes + Endpoint.PAGE_BYTES - 1) / Endpoint.PAGE_BYTES * Endpoint.PAGE_BYTES;
        return memory.asSlice(at, bytes);
    }

    /** Peers may change this part, or the device may on behalf of a peer. */
    void mayChange(MemorySegment part) {
        open.put(part.address() - memory.address(), part.byteSize());
    }

    /** Peers may see this part: there is something else in it. */
    void maySee(MemorySegment part) {
        Pattern.write(part.byteSize(), part, 0, part.byteSize());
        long at = part.address() - memory.address();
        MemorySegment.copy(memory, at, expected, at, part.byteSize());
    }

    /** What has changed that must not; empty for nothing. */
    String difference() {
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

    /** Whether a packet shows what peers may not see. */
    static boolean givesAway(MemorySegment packet) {
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
