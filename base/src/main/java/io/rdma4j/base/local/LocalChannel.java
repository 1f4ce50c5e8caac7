// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base.local;

import io.rdma4j.base.Gid;
import java.lang.foreign.MemorySegment;

/**
 * Carries local messages to one process on this machine through shared memory, instead of packets. The channel does not
 * interpret their content. Messages arrive in the order of sending, also relative to the packets to the same peer. The
 * channel also has the memory of link rings. Only the loop's owner calls the methods, unless they name another thread;
 * they allocate nothing.
 */
public interface LocalChannel {
    /** In place of an offset: the channel has no room. */
    long NO_ROOM = -1;

    /** {@return the source address of messages to the peer} */
    Gid source();

    /** {@return the address of the peer} */
    Gid destination();

    /** {@return the memory into which messages are written} */
    MemorySegment memory();

    /**
     * {@return the memory of a link ring, of length {@link LinkRing#BYTES}}
     *
     * @param out true for a ring that this process writes
     * @param number 0 to {@link LinkRing#COUNT} - 1
     */
    MemorySegment linkRing(boolean out, int number);

    /** {@return the memory of the peer into which this process may store} Any thread. */
    PeerMemory peerMemory();

    /** {@return true if the peer has ended} */
    boolean isPeerGone();

    /** {@return true if the peer sleeps: {@link #flush} must follow a write to a link ring} Any thread. */
    boolean isPeerAsleep();

    /**
     * Reserves room for a message, which the caller then writes. {@link #send} sends it.
     *
     * @param bytes at least 1
     * @return offset in {@link #memory}, a multiple of eight; or {@link #NO_ROOM}
     */
    long begin(int bytes);

    /**
     * Publishes the written message. If the peer sleeps, {@link #flush} wakes it.
     *
     * @param bytes the same as for {@link #begin}
     */
    void send(int bytes);

    /** Wakes the peer if it sleeps, because a message or a link ring was written. One call is enough for several. */
    void flush();
}
