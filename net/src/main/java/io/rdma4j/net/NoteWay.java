package io.rdma4j.net;

import io.rdma4j.base.Gid;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A way past packets to one process of this machine: it carries notes, a few bytes of which the device knows nothing more, through memory that both
 * have. They arrive in the order in which they were sent, between the packets that go there. A driver gives them out ({@link NetDeviceOps#noteWay}). By the
 * owner of the loop; allocates nothing.
 */
public interface NoteWay {
    /** In place of an offset: there is no room. */
    long NO_ROOM = -1;

    /** In place of a token: the peer cannot read the bytes where they lie. */
    long NOT_LENT = -1;

    /** Of a token: where in its memory the bytes begin; the rest says which memory. */
    long OFFSET_MASK = (1L << 48) - 1;

    /** {@return the address that notes to the peer come from} */
    Gid source();

    /** {@return the address of the peer} */
    Gid destination();

    /** {@return the memory that notes are written to} */
    MemorySegment memory();

    /**
     * {@return a token by which the peer finds bytes that it can read where they lie, so that a note need not carry them; {@link #NOT_LENT} if they are
     * elsewhere, or so few that they are better copied} They must stay as they are until the peer has read them.
     *
     * @param source where they lie
     * @param offset of the first one
     * @param bytes how many
     */
    long lend(MemorySegment source, long offset, int bytes);

    /**
     * {@return where bytes lie that the peer has lent, from {@link #offset} of its token on; null if they are not there (any more)} Allocates nothing
     * but when memory of the peer is seen first.
     *
     * @param token of the peer's, not to be trusted
     * @param bytes at least 1
     */
    @Nullable
    MemorySegment lent(long token, int bytes);

    /**
     * {@return where in {@link #lent} the bytes of a token begin}
     *
     * @param token any
     */
    static long offset(long token) {
        return token & OFFSET_MASK;
    }

    /**
     * Makes room for a note, which the caller then writes. Nothing has been sent before {@link #send}.
     *
     * @param bytes at least 1
     * @return where in {@link #memory}, a multiple of eight; or {@link #NO_ROOM}
     */
    long begin(int bytes);

    /**
     * Sends what was written; a peer that sleeps hears of it by {@link #flush}.
     *
     * @param bytes the same as for {@link #begin}
     */
    void send(int bytes);

    /** Wakes the peer if it sleeps and something was sent: once for all that is sent together. */
    void flush();
}
