// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base.local;

import io.rdma4j.base.Gid;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Carries local messages to one process on this machine through shared memory, instead of packets. The channel does not
 * interpret their content. Messages arrive in the order of sending, also relative to the packets to the same peer. Only
 * the loop's owner calls the methods; they allocate nothing.
 */
public interface LocalChannel {
    /** In place of an offset: the channel has no room. */
    long NO_ROOM = -1;

    /** In place of a zero-copy reference: the peer cannot read the bytes in place. */
    long NO_REFERENCE = -1;

    /** Bits of a zero-copy reference that are the offset in its memory; the other bits identify the memory. */
    long OFFSET_MASK = (1L << 48) - 1;

    /** {@return the source address of messages to the peer} */
    Gid source();

    /** {@return the address of the peer} */
    Gid destination();

    /** {@return the memory into which messages are written} */
    MemorySegment memory();

    /**
     * {@return a zero-copy reference, by which the peer reads the bytes in place; {@link #NO_REFERENCE} if the peer
     * cannot access them, or if they are so few that copying is faster} The bytes must not change until the peer has
     * read them.
     *
     * @param source memory of the bytes
     * @param offset offset of the first byte
     * @param bytes number of bytes
     */
    long refer(MemorySegment source, long offset, int bytes);

    /**
     * {@return the peer's memory that a zero-copy reference names, in which the bytes begin at {@link #offset}; null if
     * the bytes are not (or no longer) there} Allocates only on the first access to a memory of the peer.
     *
     * @param token the peer's zero-copy reference; untrusted
     * @param bytes at least 1
     */
    @Nullable
    MemorySegment referenced(long token, int bytes);

    /**
     * {@return offset of the bytes of a zero-copy reference in {@link #referenced}}
     *
     * @param token the zero-copy reference
     */
    static long offset(long token) {
        return token & OFFSET_MASK;
    }

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

    /** Wakes the peer if it sleeps and a message was sent. One call is enough for several messages. */
    void flush();
}
