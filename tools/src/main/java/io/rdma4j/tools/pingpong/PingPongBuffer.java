package io.rdma4j.tools.pingpong;

import io.rdma4j.verbs.DeviceMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a ping-pong.
 *
 * <p>As in the original, messages are sent from and received into the same bytes, all of one value. To check them needs two
 * kinds: what is received must be what we send, the pattern that the original's client lays down before the first message (byte 0
 * of each page is 0) and its server looks for after the last; and what was received is wiped before the next message, or bytes
 * that the device forgot to write would pass for those of the message before. If several messages may arrive at once, each has a
 * slot of its own.
 *
 * <p>Belongs to one thread; nothing here allocates after construction, unless data are bad.
 */
final class PingPongBuffer {
    /** Of the machine that the original assumes at both ends. */
    private static final int PAGE_BYTES = 4096;

    private static final byte PAGE_START = 0;

    private final int size;
    private final int headroom;
    private final byte wiped;
    private final MemorySegment memory;
    private final MemorySegment outgoing;
    private final MemorySegment[] incoming;
    private @Nullable DeviceMemory device;
    private final BitSet invalidPages = new BitSet();

    /**
     * Memory for a ping-pong.
     *
     * @param size bytes of a message
     * @param headroom bytes that the device puts in front of a received message
     * @param fill of which a message consists
     * @param slots for {@link #checkReceived}: messages that may arrive at once; 0 to receive into what is sent
     */
    PingPongBuffer(SegmentAllocator allocator, int size, int headroom, byte fill, int slots) {
        this.size = size;
        this.headroom = headroom;
        // Neither of the two that a message consists of.
        this.wiped = fill == PAGE_START ? 0x7B : (byte) ~fill;
        long slotBytes = (long) headroom + size;
        this.memory = allocator.allocate(slotBytes * (1L + slots), PAGE_BYTES);
        this.outgoing = memory.asSlice(headroom, size);
        this.incoming = new MemorySegment[Math.max(1, slots)];
        outgoing.fill(fill);
        for (int slot = 0; slot < incoming.length; slot++) {
            incoming[slot] = memory.asSlice(slots == 0 ? 0 : slotBytes * (1L + slot), slotBytes);
        }
        if (slots > 0) {
            for (long page = 0; page < size; page += PAGE_BYTES) {
                outgoing.set(ValueLayout.JAVA_BYTE, page, PAGE_START);
            }
            for (MemorySegment slot : incoming) {
                slot.fill(wiped);
            }
        }
    }

    /** All of it, to be registered. */
    MemorySegment memory() {
        return memory;
    }

    /**
     * Messages lie in memory of a device from now on; {@link #memory} is a copy, at the same offsets.
     *
     * @param device as large as {@link #memory}
     */
    void moveTo(DeviceMemory device) {
        this.device = device;
        device.write(0, memory);
    }

    /** Where a part of {@link #memory} begins, counted from its beginning. */
    long offset(MemorySegment part) {
        return part.address() - memory.address();
    }

    /** What is sent. */
    MemorySegment outgoing() {
        return outgoing;
    }

    /** Messages that have a place of their own. */
    int slots() {
        return incoming.length;
    }

    /** Where a message is received, headroom included; over {@link #outgoing} unless messages are checked. */
    MemorySegment incoming(int slot) {
        return incoming[slot];
    }

    /** Compares a message that was received with what it must be, and wipes it: the next one must not be on its way yet. */
    void checkReceived(int slot) {
        MemorySegment received = incoming[slot];
        if (device != null) {
            device.read(offset(received), received);
        }
        if (MemorySegment.mismatch(outgoing, 0, size, received, headroom, (long) headroom + size) >= 0) {
            noteInvalidPages(received);
        }
        received.fill(wiped);
        if (device != null) {
            device.write(offset(received), received);
        }
    }

    private void noteInvalidPages(MemorySegment received) {
        for (long start = 0; start < size; start += PAGE_BYTES) {
            long end = Math.min(start + PAGE_BYTES, size);
            if (MemorySegment.mismatch(outgoing, start, end, received, headroom + start, headroom + end) >= 0) {
                invalidPages.set((int) (start / PAGE_BYTES));
            }
        }
    }

    /** Numbers of the pages that were wrong in some message. */
    BitSet invalidPages() {
        return invalidPages;
    }
}
