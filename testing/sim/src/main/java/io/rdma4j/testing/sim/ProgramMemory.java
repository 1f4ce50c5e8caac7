package io.rdma4j.testing.sim;

import io.rdma4j.verbs.AccessFlag;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;

/**
 * The reference model of one direction: the regions that a {@link Program} works on at both ends, and what they should hold
 * after each of its steps, which are carried out here one after the other and without a network.
 */
final class ProgramMemory {
    static final Set<AccessFlag> REMOTE_RIGHTS = Set.of(
            AccessFlag.LOCAL_WRITE,
            AccessFlag.REMOTE_WRITE,
            AccessFlag.REMOTE_READ,
            AccessFlag.REMOTE_ATOMIC,
            AccessFlag.FLUSH_GLOBAL);

    /** Windows are bound to it, too. */
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
     * @param initiator who runs the program
     * @param words of the target's host
     */
    ProgramMemory(Program program, Endpoint initiator, Endpoint target, SharedWords words) {
        this.words = words;
        long key = program.remoteKey();
        local = new CheckedMemory(initiator.register(program.localBytes()), ~key);
        inbox = new CheckedMemory(target.register(program.inboxBytes()), ~key);
        remote = new CheckedMemory(target.register(program.remoteBytes(), REGION_RIGHTS), key);
        for (int i = 0; i < program.count(); i++) {
            Step step = program.step(i);
            Place place = step.local();
            if (place != null && !step.has(StepFlag.FORWARDS)) {
                local.fill(place, step.key());
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

    /** The whole step was carried out, and its answer has come. */
    void complete(Step step) {
        Place place = step.local();
        switch (step.kind()) {
            case READ, READ_WITH_INVALIDATE ->
                land(step, remote.expected().asSlice(step.remoteOffset(), step.length()));
            case COMPARE_SWAP, FETCH_ADD, MASKED_COMPARE_SWAP, MASKED_FETCH_ADD ->
                land(step, word(remote.expected().get(LONG, step.remoteOffset())));
            case SHARED_COMPARE_SWAP, SHARED_FETCH_ADD -> {
                if (place != null) {
                    // Whether the value is right depends on the others: that is for the words to say.
                    place.layout().scatter(word(landed(place)), Long.BYTES, local.expected(), place.offset());
                }
            }
            default -> {}
        }
        execute(step);
    }

    private void land(Step step, MemorySegment bytes) {
        Place place = step.local();
        if (place != null) {
            place.layout().scatter(bytes, step.length(), local.expected(), place.offset());
        }
    }

    private static MemorySegment word(long value) {
        MemorySegment word = MemorySegment.ofArray(new long[1]);
        word.set(LONG, 0, value);
        return word;
    }

    /** The value that an atomic has brought. */
    long landed(Place place) {
        MemorySegment value = MemorySegment.ofArray(new long[1]);
        place.layout().gather(local.actual(), place.offset(), value, Long.BYTES);
        return value.get(LONG, 0);
    }

    /** The step was carried out at the peer; what it brings back is left out. */
    void execute(Step step) {
        execute(step, step.length());
    }

    /** The same, but no more than {@code limit} bytes of its message got there. */
    void execute(Step step, int limit) {
        int length = Math.min(step.length(), limit);
        switch (step.kind()) {
            case SEND, SEND_WITH_IMMEDIATE, SEND_WITH_INVALIDATE -> {
                Place to = step.inbox();
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

    /** The bytes of a message, in one piece: those of its key, or what an earlier READ has brought. */
    MemorySegment payload(Step step) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[step.length()]);
        Place from = step.local();
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

    /** The program's own memory is its own again: it writes there at once, so that a device that still reads is found out. */
    void scribble(Step step) {
        Place place = step.local();
        if (place != null && step.kind().carriesMessage() && !step.has(StepFlag.FORWARDS)) {
            local.fill(place, ~step.key());
        }
    }

    /**
     * Whether a READ that was broken off has brought a beginning of its bytes and nothing else; what is there is right from
     * now on.
     */
    boolean adoptBrokenRead(Step step) {
        Place place = step.local();
        if (place == null || local.difference(place).isEmpty()) {
            return true;
        }
        MemorySegment before = local.expected().asSlice(place.offset(), place.slotBytes());
        MemorySegment old = MemorySegment.ofArray(new byte[step.length()]);
        place.layout().gather(before, 0, old, step.length());
        MemorySegment now = MemorySegment.ofArray(new byte[step.length()]);
        place.layout().gather(local.actual(), place.offset(), now, step.length());
        MemorySegment whole = remote.expected().asSlice(step.remoteOffset(), step.length());
        long wrong = now.mismatch(whole);
        long landed = wrong < 0 ? step.length() : wrong;
        boolean sound = now.asSlice(landed).mismatch(old.asSlice(landed)) < 0;
        place.layout().scatter(now, step.length(), local.expected(), place.offset());
        return sound && local.difference(place).isEmpty();
    }
}
