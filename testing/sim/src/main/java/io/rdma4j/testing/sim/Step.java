package io.rdma4j.testing.sim;

import org.jspecify.annotations.Nullable;

/**
 * A request of a program; both sides know it.
 *
 * @param index number in its program, from 0
 * @param kind what it does
 * @param length bytes of the message, of the answer, of the range to flush; 8 for atomics
 * @param key what its bytes and its immediate are a function of
 * @param remoteOffset where it works in the peer's region; number of the word for shared words
 * @param local where its bytes come from or go to on this side; null if it has none there
 * @param inbox where a SEND is received; what else takes a receive leaves that place alone; null if it takes none
 * @param inline whether its bytes are copied while posting
 * @param solicited whether it is marked as solicited
 * @param fenced whether it waits for READs and atomics before it
 * @param forwards whether its bytes are those that an earlier READ has brought
 * @param operand to compare with, or to add, or to write
 * @param swap to store instead
 */
record Step(
        int index,
        StepKind kind,
        int length,
        long key,
        int remoteOffset,
        @Nullable Place local,
        @Nullable Place inbox,
        boolean inline,
        boolean solicited,
        boolean fenced,
        boolean forwards,
        long operand,
        long swap) {
    int immediate() {
        return (int) (key >>> Integer.SIZE);
    }

    /** Packet sequence numbers that it takes. */
    int packets(int mtuBytes) {
        return kind.hasMessageLength() ? Math.max(1, Math.ceilDiv(length, mtuBytes)) : 1;
    }

    /** True if the two work on the same bytes of the peer's region. */
    boolean overlaps(Step other) {
        return remoteOffset < other.remoteOffset + other.length && other.remoteOffset < remoteOffset + length;
    }
}
