package io.rdma4j.net;

import io.rdma4j.base.Gid;
import java.lang.foreign.MemorySegment;

/**
 * A way past packets to one process of this machine: it carries notes, a few bytes of which the device knows nothing more, through memory that both
 * have. They arrive in the order in which they were sent, between the packets that go there. A driver gives them out ({@link NetDeviceOps#noteWay}). By the
 * owner of the loop; allocates nothing.
 */
public interface NoteWay {
    /** In place of an offset: there is no room. */
    long NO_ROOM = -1;

    /** {@return the address that notes to the peer come from} */
    Gid source();

    /** {@return the address of the peer} */
    Gid destination();

    /** {@return the memory that notes are written to} */
    MemorySegment memory();

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
