package io.rdma4j.testing.sim;

import io.rdma4j.verbs.WcFlag;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WorkCompletion;
import java.util.EnumSet;
import java.util.Set;
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
 * @param inbox where a SEND is received; what else takes a receive leaves that place alone; null if it takes none, or any
 *     that comes
 * @param flags what else
 * @param operand to compare with, or to add, or to write
 * @param swap to store instead
 * @param door through which it works on the peer's region, or which it closes
 * @param landing how often the door to its own memory was closed before, through which its answer lands; -1: it does not use
 *     it
 * @param crime what it must not do and does; null for nothing
 */
record Step(
        int index,
        StepKind kind,
        int length,
        long key,
        int remoteOffset,
        @Nullable Place local,
        @Nullable Place inbox,
        Set<StepFlag> flags,
        long operand,
        long swap,
        DoorUse door,
        int landing,
        @Nullable Crime crime) {
    /**
     * One of the ways to the peer's region.
     *
     * @param number which
     * @param closedBefore how often it was closed before
     */
    record DoorUse(int number, int closedBefore) {
        /** The region's own key, which is always good. */
        static final DoorUse REGION = new DoorUse(0, 0);
    }

    /** The same with other flags. */
    Step with(Set<StepFlag> others) {
        return new Step(
                index, kind, length, key, remoteOffset, local, inbox, others, operand, swap, door, landing, crime);
    }

    boolean has(StepFlag flag) {
        return flags.contains(flag);
    }

    int immediate() {
        return (int) (key >>> Integer.SIZE);
    }

    /** Which bits a masked compare-and-swap compares, or which ones end a field that a masked fetch-and-add adds to. */
    long mask() {
        return Seeds.at(key, 1);
    }

    /** Which bits a masked compare-and-swap stores. */
    long swapMask() {
        return Seeds.at(key, 2);
    }

    /** Bit for bit, as one learns it at school; nothing is carried out of a field. */
    private long sumOfFields(long old) {
        long sum = 0;
        long carry = 0;
        for (int bit = 0; bit < Long.SIZE; bit++) {
            long digit = (old >>> bit & 1) + (operand >>> bit & 1) + carry;
            sum |= (digit & 1) << bit;
            carry = (mask() >>> bit & 1) == 0 ? digit >>> 1 : 0;
        }
        return sum;
    }

    /** What a word of the connection's memory is after it, if it was {@code old}. */
    long outcome(long old) {
        return switch (kind) {
            case COMPARE_SWAP -> old == operand ? swap : old;
            case MASKED_COMPARE_SWAP -> ((old ^ operand) & mask()) == 0 ? old & ~swapMask() | swap & swapMask() : old;
            case FETCH_ADD -> old + operand;
            case MASKED_FETCH_ADD -> sumOfFields(old);
            default -> operand;
        };
    }

    /** Packet sequence numbers that it takes. */
    int packets(int mtuBytes) {
        return kind.hasMessageLength() ? Math.max(1, Math.ceilDiv(length, mtuBytes)) : 1;
    }

    /** True if the two work on the same bytes of the peer's region. */
    boolean overlaps(Step other) {
        return remoteOffset < other.remoteOffset + other.length && other.remoteOffset < remoteOffset + length;
    }

    /** True if whoever waits for a door to be opened again waits for this step. */
    boolean closesDoor() {
        return has(StepFlag.CLOSES) || kind.invalidates();
    }

    /** Whether {@code wc} is how the receive completes that it takes, over a service with {@code routeBytes} in front. */
    boolean isReceivedAs(WorkCompletion wc, int routeBytes) {
        Set<WcFlag> due = EnumSet.noneOf(WcFlag.class);
        if (kind.carriesImmediate()) {
            due.add(WcFlag.WITH_IMM);
        }
        if (kind == StepKind.SEND_WITH_INVALIDATE) {
            due.add(WcFlag.WITH_INV);
        }
        if (routeBytes > 0) {
            due.add(WcFlag.GRH);
        }
        return wc.status() == WcStatus.SUCCESS
                && wc.opcode() == (kind.isSend() ? WcOpcode.RECV : WcOpcode.RECV_RDMA_WITH_IMM)
                && wc.byteLength() == routeBytes + length
                && wc.flags().equals(due)
                && (!kind.carriesImmediate() || wc.immediate() == immediate());
    }
}
