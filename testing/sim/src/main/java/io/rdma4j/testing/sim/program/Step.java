// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.testing.sim.world.Seeds;
import io.rdma4j.testing.sim.world.Slot;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request of a program; both sides use the same one.
 *
 * @param index number in its program, from 0
 * @param kind operation
 * @param length bytes of the message, of the response, or of the range to flush; 8 for atomics
 * @param key determines its bytes and its immediate data
 * @param remoteOffset offset in the peer's region; number of the word for shared words
 * @param local local memory of its data; null if it has none
 * @param inbox slot that receives a SEND; other steps that take a receive leave it unchanged; null if it takes no
 *     receive or any receive
 * @param flags further properties
 * @param operand value to compare with, to add, or to write
 * @param swap value to store
 * @param access access to the peer's region that it uses or closes
 * @param landing how often the access to its own memory was closed before, through which its response is written; -1:
 *     the step does not use it
 * @param violation its protocol violation; null if it has none
 */
record Step(
        int index,
        StepKind kind,
        int length,
        long key,
        int remoteOffset,
        @Nullable Slot local,
        @Nullable Slot inbox,
        Set<StepFlag> flags,
        long operand,
        long swap,
        AccessUse access,
        int landing,
        @Nullable ProtocolViolation violation) {
    /**
     * A use of an access to the peer's region.
     *
     * @param number index of the access
     * @param closedBefore how often it was closed before
     */
    record AccessUse(int number, int closedBefore) {
        /** The region's own key, which is always valid. */
        static final AccessUse REGION = new AccessUse(0, 0);
    }

    /** Returns a copy with other flags. */
    Step with(Set<StepFlag> others) {
        return new Step(
                index,
                kind,
                length,
                key,
                remoteOffset,
                local,
                inbox,
                others,
                operand,
                swap,
                access,
                landing,
                violation);
    }

    boolean has(StepFlag flag) {
        return flags.contains(flag);
    }

    int immediate() {
        return (int) (key >>> Integer.SIZE);
    }

    /** Bits that a masked compare-and-swap compares, or the last bits of the fields of a masked fetch-and-add. */
    long mask() {
        return Seeds.at(key, 1);
    }

    /** Bits that a masked compare-and-swap stores. */
    long swapMask() {
        return Seeds.at(key, 2);
    }

    /** Adds bit by bit; no carry leaves a field. */
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

    /** Value of a word of the connection after the step, if it was {@code old} before. */
    long outcome(long old) {
        return switch (kind) {
            case COMPARE_SWAP -> old == operand ? swap : old;
            case MASKED_COMPARE_SWAP -> ((old ^ operand) & mask()) == 0 ? old & ~swapMask() | swap & swapMask() : old;
            case FETCH_ADD -> old + operand;
            case MASKED_FETCH_ADD -> sumOfFields(old);
            default -> operand;
        };
    }

    /** Number of PSNs that it uses. */
    int packets(int mtuBytes) {
        return kind.hasMessageLength() ? Math.max(1, Math.ceilDiv(length, mtuBytes)) : 1;
    }

    /** True if both steps access the same bytes of the peer's region. */
    boolean overlaps(Step other) {
        return remoteOffset < other.remoteOffset + other.length && other.remoteOffset < remoteOffset + length;
    }

    /** True if a keyed access is opened again only after this step. */
    boolean closesAccess() {
        return has(StepFlag.CLOSES) || kind.invalidates();
    }

    /** True if {@code wc} is the expected completion of its receive, with {@code routeBytes} before the message. */
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
