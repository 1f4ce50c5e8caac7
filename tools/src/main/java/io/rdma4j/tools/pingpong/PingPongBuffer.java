// SPDX-License-Identifier: Apache-2.0
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
 * <p>As in the original, messages are sent from and received into the same bytes, all of one value. The check compares
 * received messages with the pattern that is sent. The original's client writes the pattern before the first message
 * (byte 0 of each page is 0), and its server checks it after the last. Here every message is checked and then
 * overwritten, so that bytes which the device does not write are detected. If several messages may arrive at once, each
 * has a separate slot.
 *
 * <p>One thread; does not allocate after construction, unless data are wrong.
 */
final class PingPongBuffer {
    /** Page size that the original assumes at both ends. */
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
     * Allocates memory for a ping-pong.
     *
     * @param size bytes of a message
     * @param headroom bytes that the device writes before a received message
     * @param fill value of the bytes of a message
     * @param slots for {@link #checkReceived}: messages that may arrive at once; 0 to receive into the send memory
     */
    PingPongBuffer(SegmentAllocator allocator, int size, int headroom, byte fill, int slots) {
        this.size = size;
        this.headroom = headroom;
        // A value that no message contains.
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

    /** The whole memory, for registration. */
    MemorySegment memory() {
        return memory;
    }

    /**
     * Moves the messages to memory of a device; {@link #memory} stays a copy with the same offsets.
     *
     * @param device as large as {@link #memory}
     */
    void moveTo(DeviceMemory device) {
        this.device = device;
        device.write(0, memory);
    }

    /** Offset of a part in {@link #memory}. */
    long offset(MemorySegment part) {
        return part.address() - memory.address();
    }

    /** Memory of the messages to send. */
    MemorySegment outgoing() {
        return outgoing;
    }

    /** Number of messages with a separate slot. */
    int slots() {
        return incoming.length;
    }

    /** Memory of a received message with its headroom; the same as {@link #outgoing} unless messages are checked. */
    MemorySegment incoming(int slot) {
        return incoming[slot];
    }

    /** Checks a received message and overwrites it; the next message for this slot must not be in flight yet. */
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

    /** Numbers of the pages with wrong bytes in any message. */
    BitSet invalidPages() {
        return invalidPages;
    }
}
