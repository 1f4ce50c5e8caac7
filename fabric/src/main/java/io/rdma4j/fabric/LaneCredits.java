// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

/**
 * The credits of one virtual lane of a port, in both directions (IBA 7.9.4). The unit is a block of 64 bytes; all
 * counts are modulo 4096.
 *
 * <p>Receiver: it adds the blocks of each packet to the adjusted blocks received (ABR), and announces the limit FCCL,
 * which is ABR plus the free blocks of its buffer. Sender: its blocks sent (FCTBS) may reach the limit. Limits are
 * absolute, so a lost one does no harm after the next one.
 */
final class LaneCredits {
    /** A buffer without limit: the lane has no flow control. */
    static final int UNLIMITED = Integer.MAX_VALUE;

    private static final int MASK = 0xFFF;
    private static final int MAX_AHEAD = 2048;

    private int sent;
    private int limit;
    private int received;
    private int capacity = UNLIMITED;
    private int used;

    /** Starts to count again, with a buffer of {@code blocks}; the other end does the same. */
    void reset(int blocks) {
        capacity = blocks;
        sent = 0;
        limit = 0;
        received = 0;
    }

    boolean isLimited() {
        return capacity != UNLIMITED;
    }

    /** True if the sender may send a packet now. */
    boolean maySend(int blocks) {
        return !isLimited() || (limit - (sent + blocks) & MASK) <= MAX_AHEAD;
    }

    void sent(int blocks) {
        sent = sent + blocks & MASK;
    }

    /** FCTBS. */
    int blocksSent() {
        return sent;
    }

    /** Takes a limit that the receiver at the other end announced. */
    void limit(int announced) {
        limit = announced & MASK;
    }

    /** Blocks that the sender may send. */
    int available() {
        return isLimited() ? limit - sent & MASK : UNLIMITED;
    }

    /** Counts a packet that arrived, also a bad one. Returns false if the buffer has no room for it. */
    boolean arrived(int blocks) {
        received = received + blocks & MASK;
        if (isLimited() && blocks > capacity - used) {
            return false;
        }
        used += blocks;
        return true;
    }

    /** Counts a packet that does not use the buffer. */
    void arrivedBad(int blocks) {
        received = received + blocks & MASK;
    }

    /** Frees the blocks of a packet that left the buffer. */
    void freed(int blocks) {
        used -= blocks;
    }

    /** Blocks in the buffer. */
    int used() {
        return used;
    }

    /** FCCL. */
    int announcedLimit() {
        return received + Math.clamp(capacity - used, 0, MAX_AHEAD) & MASK;
    }
}
