package io.rdma4j.net;

import java.lang.foreign.MemorySegment;

/** Takes the notes that arrive at a device; by the owner of the loop. */
public interface NoteReceiver {
    /** {@return true if there may be notes: where somebody wants to see packets, peers are to send packets} */
    boolean isOpen();

    /**
     * A note has come.
     *
     * @param way back to who has sent it
     * @param memory where it lies, which the sender can still change; valid during the call
     * @param at offset of it, a multiple of eight
     * @param bytes of it, at least 1
     * @return false if it makes no sense: nothing more is heard from this peer
     */
    boolean receive(NoteWay way, MemorySegment memory, long at, int bytes);
}
