package io.rdma4j.tools;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;

/**
 * The memory of a ping-pong.
 *
 * <p>As in the original, messages are sent from and received into the same bytes: 0x7B everywhere. To check them
 * needs two buffers: what is received must be what we send, the pattern that the original's client lays down before the first
 * message (byte 0 of each page is 0) and its server looks for after the last; and what was received is wiped before the
 * next message, or bytes that the device forgot to write would pass for those of the message before.
 *
 * <p>Belongs to one thread; nothing here allocates after construction, unless data are bad.
 */
final class PingPongBuffer {
    /** Of the machine that the original assumes at both ends. */
    private static final int PAGE_BYTES = 4096;

    private static final byte FILL = 0x7B;
    private static final byte PAGE_START = 0;

    /** Neither of the two that a message consists of. */
    private static final byte WIPED = (byte) ~FILL;

    private final int size;
    private final MemorySegment memory;
    private final MemorySegment outgoing;
    private final MemorySegment incoming;
    private final BitSet invalidPages = new BitSet();

    /** @param check whether there are two buffers, for {@link #checkReceived} */
    PingPongBuffer(Arena arena, int size, boolean check) {
        this.size = size;
        this.memory = arena.allocate(check ? 2L * size : size, PAGE_BYTES);
        this.outgoing = memory.asSlice(0, size);
        this.incoming = check ? memory.asSlice(size, size) : outgoing;
        outgoing.fill(FILL);
        if (check) {
            for (long page = 0; page < size; page += PAGE_BYTES) {
                outgoing.set(ValueLayout.JAVA_BYTE, page, PAGE_START);
            }
            incoming.fill(WIPED);
        }
    }

    /** All of it, to be registered. */
    MemorySegment memory() {
        return memory;
    }

    /** What is sent. */
    MemorySegment outgoing() {
        return outgoing;
    }

    /** Where messages are received; the same as {@link #outgoing} unless they are checked. */
    MemorySegment incoming() {
        return incoming;
    }

    /** Compares a message that was received with what it must be, and wipes it: the next one must not be on its way yet. */
    void checkReceived() {
        if (MemorySegment.mismatch(outgoing, 0, size, incoming, 0, size) >= 0) {
            noteInvalidPages();
        }
        incoming.fill(WIPED);
    }

    private void noteInvalidPages() {
        for (long start = 0; start < size; start += PAGE_BYTES) {
            long end = Math.min(start + PAGE_BYTES, size);
            if (MemorySegment.mismatch(outgoing, start, end, incoming, start, end) >= 0) {
                invalidPages.set((int) (start / PAGE_BYTES));
            }
        }
    }

    /** Numbers of the pages that were wrong in some message. */
    BitSet invalidPages() {
        return invalidPages;
    }
}
