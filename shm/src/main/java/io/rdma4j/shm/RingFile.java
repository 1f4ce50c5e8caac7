// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import io.rdma4j.base.local.LinkRing;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.SocketChannel;

/**
 * The file with the two rings of a channel, and the connection on which the hello message has been sent.
 *
 * @param number of the file if this end created it; else {@link #OF_PEER}
 * @param connection closed with the channel
 * @param arena of {@code memory}, closed with the channel
 * @param memory the mapped file
 */
record RingFile(int number, SocketChannel connection, Arena arena, MemorySegment memory) {
    /** In place of a number if the peer created the file. */
    static final int OF_PEER = 0;

    boolean isOurs() {
        return number != OF_PEER;
    }

    /** Returns the memory of a link ring, one that this end writes if {@code out}. */
    MemorySegment linkRing(boolean out, int number) {
        long first = 2 * RingLayout.RING_BYTES + (out == isOurs() ? 0 : RingLayout.LINK_RINGS_BYTES);
        return memory.asSlice(first + number * LinkRing.BYTES, LinkRing.BYTES);
    }

    /** Returns the memory of the ring in which this end writes if {@code out}, else of the other one. */
    MemorySegment ring(boolean out) {
        return memory.asSlice(out == isOurs() ? 0 : RingLayout.RING_BYTES, RingLayout.RING_BYTES);
    }
}
