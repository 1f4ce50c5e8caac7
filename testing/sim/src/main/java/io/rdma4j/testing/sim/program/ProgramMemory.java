// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.testing.sim.world.CheckedMemory;
import io.rdma4j.testing.sim.world.Pattern;
import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.testing.sim.world.Slot;
import io.rdma4j.verbs.values.AccessFlag;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;

/**
 * The reference model of one direction: the regions that a {@link WorkloadProgram} uses at both ends, and their
 * expected content after each step. The model executes the steps in order and without a network.
 */
public final class ProgramMemory {
    /** Includes MW_BIND, because windows are bound to the region. */
    private static final Set<AccessFlag> REGION_RIGHTS = Set.of(
            AccessFlag.LOCAL_WRITE,
            AccessFlag.REMOTE_WRITE,
            AccessFlag.REMOTE_READ,
            AccessFlag.REMOTE_ATOMIC,
            AccessFlag.FLUSH_GLOBAL,
            AccessFlag.MW_BIND);

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private final CheckedMemory local;
    private final CheckedMemory inbox;
    private final CheckedMemory remote;
    private final SharedWords words;

    /**
     * @param initiator endpoint that runs the program
     * @param words of the target's host
     */
    ProgramMemory(WorkloadProgram program, SimEndpoint initiator, SimEndpoint target, SharedWords words) {
        this.words = words;
        long key = program.remoteKey();
        local = new CheckedMemory(initiator.register(program.localBytes()), ~key);
        inbox = new CheckedMemory(target.register(program.inboxBytes()), ~key);
        remote = new CheckedMemory(target.register(program.remoteBytes(), REGION_RIGHTS), key);
        for (int i = 0; i < program.count(); i++) {
            Step step = program.step(i);
            Slot slot = step.local();
            if (slot != null && !step.has(StepFlag.FORWARDS)) {
                local.fill(slot, step.key());
            }
        }
    }

    CheckedMemory local() {
        return local;
    }

    CheckedMemory inbox() {
        return inbox;
    }

    CheckedMemory remote() {
        return remote;
    }

    SharedWords words() {
        return words;
    }

    /** Executes the whole step; its response has arrived. */
    void complete(Step step) {
        Slot slot = step.local();
        switch (step.kind()) {
            case READ, READ_WITH_INVALIDATE ->
                land(step, remote.expected().asSlice(step.remoteOffset(), step.length()));
            case COMPARE_SWAP, FETCH_ADD, MASKED_COMPARE_SWAP, MASKED_FETCH_ADD ->
                land(step, word(remote.expected().get(LONG, step.remoteOffset())));
            case SHARED_COMPARE_SWAP, SHARED_FETCH_ADD -> {
                if (slot != null) {
                    // The correct value depends on the other connections; SharedWords checks it.
                    slot.layout().scatter(word(landed(slot)), Long.BYTES, local.expected(), slot.offset());
                }
            }
            default -> {}
        }
        execute(step);
    }

    private void land(Step step, MemorySegment bytes) {
        Slot slot = step.local();
        if (slot != null) {
            slot.layout().scatter(bytes, step.length(), local.expected(), slot.offset());
        }
    }

    private static MemorySegment word(long value) {
        MemorySegment word = MemorySegment.ofArray(new long[1]);
        word.set(LONG, 0, value);
        return word;
    }

    /** The original value that an atomic has returned. */
    long landed(Slot slot) {
        MemorySegment value = MemorySegment.ofArray(new long[1]);
        slot.layout().gather(local.actual(), slot.offset(), value, Long.BYTES);
        return value.get(LONG, 0);
    }

    /** Executes the effect of the step at the peer, without its response. */
    void execute(Step step) {
        execute(step, step.length());
    }

    /** Executes a step of which only {@code limit} bytes of the message have arrived. */
    void execute(Step step, int limit) {
        int length = Math.min(step.length(), limit);
        switch (step.kind()) {
            case SEND, SEND_WITH_IMMEDIATE, SEND_WITH_INVALIDATE -> {
                Slot to = step.inbox();
                if (to != null) {
                    to.layout().scatter(payload(step), length, inbox.expected(), to.offset());
                }
            }
            case WRITE, WRITE_WITH_IMMEDIATE ->
                MemorySegment.copy(payload(step), 0, remote.expected(), step.remoteOffset(), length);
            case COMPARE_SWAP, FETCH_ADD, MASKED_COMPARE_SWAP, MASKED_FETCH_ADD, ATOMIC_WRITE -> {
                long old = remote.expected().get(LONG, step.remoteOffset());
                remote.expected().set(LONG, step.remoteOffset(), step.outcome(old));
            }
            case READ, READ_WITH_INVALIDATE, FLUSH, SHARED_COMPARE_SWAP, SHARED_FETCH_ADD -> {}
        }
    }

    /** The contiguous bytes of a message: generated from its key, or the result of an earlier READ. */
    MemorySegment payload(Step step) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[step.length()]);
        Slot from = step.local();
        if (from == null) {
            Pattern.write(step.key(), bytes, 0, step.length());
        } else if (step.has(StepFlag.FORWARDS)) {
            from.layout().gather(local.expected(), from.offset(), bytes, step.length());
        } else {
            MemorySegment slot = MemorySegment.ofArray(new byte[from.slotBytes()]);
            Pattern.write(step.key(), slot, 0, from.slotBytes());
            from.layout().gather(slot, 0, bytes, step.length());
        }
        return bytes;
    }

    /**
     * Overwrites the program's memory immediately after completion, so that a device that still reads it is detected.
     */
    void scribble(Step step) {
        Slot slot = step.local();
        if (slot != null && step.kind().carriesMessage() && !step.has(StepFlag.FORWARDS)) {
            local.fill(slot, ~step.key());
        }
    }

    /**
     * Checks that an interrupted READ has written only a prefix of its bytes, and takes the actual content as expected.
     */
    boolean adoptBrokenRead(Step step) {
        Slot slot = step.local();
        if (slot == null || local.difference(slot).isEmpty()) {
            return true;
        }
        MemorySegment before = local.expected().asSlice(slot.offset(), slot.slotBytes());
        MemorySegment old = MemorySegment.ofArray(new byte[step.length()]);
        slot.layout().gather(before, 0, old, step.length());
        MemorySegment now = MemorySegment.ofArray(new byte[step.length()]);
        slot.layout().gather(local.actual(), slot.offset(), now, step.length());
        MemorySegment whole = remote.expected().asSlice(step.remoteOffset(), step.length());
        long wrong = now.mismatch(whole);
        long landed = wrong < 0 ? step.length() : wrong;
        boolean sound = now.asSlice(landed).mismatch(old.asSlice(landed)) < 0;
        slot.layout().scatter(now, step.length(), local.expected(), slot.offset());
        return sound && local.difference(slot).isEmpty();
    }
}
