// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.testing.sim.SimScenario;
import io.rdma4j.testing.sim.program.Step.AccessUse;
import io.rdma4j.testing.sim.world.Layout;
import io.rdma4j.testing.sim.world.Seeds;
import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.testing.sim.world.Slot;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Generates {@link WorkloadProgram}s with a determined result. A request is fenced if it changes bytes that an earlier
 * READ may still read, or if it sends bytes that a READ brings. Local memory is used once, so that each byte can be
 * checked at the end. Over a service that may lose part of a WRITE the peer's memory is used once too.
 */
final class ProgramAuthor {
    /** Words at the beginning of the peer's region that WRITEs do not change, so that some compare-and-swaps match. */
    private static final int WORDS = 4;

    private static final int WORDS_BYTES = WORDS * Long.BYTES;
    private static final int MIN_REMOTE_BYTES = 512;
    private static final int MAX_SPARE_REMOTE_BYTES = 8192;
    private static final int MAX_SPARE_RECEIVE_BYTES = 16;
    private static final int SHARED_ADD_BITS = 20;

    /** One of this many uses is the last one before the access is closed. */
    private static final int USES_PER_CLOSING = 4;

    private final SplittableRandom random;
    private final ProgramLimits limits;
    private final List<KeyedAccess.Kind> accesses;
    private final int[] closings;
    private final boolean respondsThroughAccess;
    private final StepKind[] kinds;
    private final List<ProtocolViolation> violations;
    private final BitSet violating = new BitSet();
    private final int[] lengths;
    private final long remoteKey;
    private final int remoteBytes;
    private final long[] words = new long[WORDS];
    private final List<Step> steps = new ArrayList<>();
    private final List<Step> unfencedReads = new ArrayList<>();
    private final List<Step> reads = new ArrayList<>();
    private int landings;
    private int nextRange = WORDS_BYTES;
    private long localBytes = Layout.slotBytes(0);
    private long inboxBytes = Layout.slotBytes(0);

    private ProgramAuthor(long seed, SimScenario scenario, ProgramLimits limits) {
        this.random = new SplittableRandom(seed);
        this.limits = limits;
        this.remoteKey = random.nextLong();
        StepSizes sizes = new StepSizes(scenario, limits, random);
        this.lengths = new int[scenario.messages()];
        long sum = 0;
        int longest = MIN_REMOTE_BYTES;
        for (int i = 0; i < lengths.length; i++) {
            lengths[i] = sizes.next();
            longest = Math.max(longest, lengths[i]);
            sum += lengths[i] + Layout.slotBytes(Long.BYTES);
        }
        boolean disjoint = !limits.service().isReliable();
        this.remoteBytes =
                Math.toIntExact(WORDS_BYTES + (disjoint ? sum : longest) + random.nextInt(MAX_SPARE_REMOTE_BYTES));
        this.accesses = new ArrayList<>(limits.accesses());
        if (!fitsFastRegion(remoteBytes)) {
            accesses.remove(KeyedAccess.Kind.FAST_REGION);
        }
        this.closings = new int[accesses.size()];
        this.respondsThroughAccess = limits.hasAccesses() && fitsFastRegion(sum);
        this.kinds = kinds();
        this.violations = violations();
        for (int i = 0; i < WORDS; i++) {
            words[i] = Seeds.at(remoteKey, i);
        }
        for (int i = 0; i < limits.violations() && !violations.isEmpty(); i++) {
            violating.set(random.nextInt(lengths.length));
        }
    }

    /** @param seed of this direction */
    static WorkloadProgram write(long seed, SimScenario scenario, ProgramLimits limits) {
        return new ProgramAuthor(seed, scenario, limits).write();
    }

    private WorkloadProgram write() {
        for (int length : lengths) {
            int index = steps.size();
            Step step = violating.get(index) ? violation(index, length) : fence(valid(index, length));
            steps.add(step);
        }
        return new WorkloadProgram(limits.with(accesses), steps, remoteKey, remoteBytes, localBytes, inboxBytes);
    }

    private static boolean fitsFastRegion(long bytes) {
        return bytes < (KeyedAccess.MAX_FAST_PAGES - 1L) * SimEndpoint.PAGE_BYTES;
    }

    private StepKind[] kinds() {
        Set<StepKind> served = EnumSet.copyOf(limits.served());
        if (!respondsThroughAccess) {
            served.remove(StepKind.READ_WITH_INVALIDATE);
        }
        if (accesses.stream().noneMatch(KeyedAccess.Kind::isInvalidatedByPeer)) {
            served.remove(StepKind.SEND_WITH_INVALIDATE);
        }
        return served.toArray(StepKind[]::new);
    }

    private List<ProtocolViolation> violations() {
        Set<ProtocolViolation> possible = EnumSet.allOf(ProtocolViolation.class);
        if (limits.unserved().stream().noneMatch(ProgramAuthor::mayBeViolation)) {
            possible.remove(ProtocolViolation.UNSERVED);
        }
        if (limits.served().stream().noneMatch(ProgramAuthor::mayBeViolation)) {
            possible.retainAll(EnumSet.of(ProtocolViolation.UNSERVED));
        }
        return List.copyOf(possible);
    }

    private static boolean mayBeViolation(StepKind kind) {
        return kind == StepKind.WRITE
                || kind == StepKind.READ
                || kind == StepKind.FETCH_ADD
                || kind == StepKind.COMPARE_SWAP
                || kind == StepKind.ATOMIC_WRITE;
    }

    private Step valid(int index, int length) {
        StepKind kind = kinds[random.nextInt(kinds.length)];
        long key = random.nextLong();
        Step source = limits.ownReceives() && kind.carriesMessage() && random.nextInt(4) == 0 ? someRead() : null;
        if (source != null) {
            return forward(index, kind, key, source);
        }
        return switch (kind) {
            case COMPARE_SWAP, FETCH_ADD, MASKED_COMPARE_SWAP, MASKED_FETCH_ADD, ATOMIC_WRITE ->
                onWord(index, kind, key);
            case SHARED_COMPARE_SWAP, SHARED_FETCH_ADD -> onSharedWord(index, kind, key);
            default -> onRange(index, kind, length, key);
        };
    }

    private @Nullable Step someRead() {
        return reads.isEmpty() ? null : reads.get(random.nextInt(Math.max(0, reads.size() - 3), reads.size()));
    }

    private Step forward(int index, StepKind kind, long key, Step read) {
        Set<StepFlag> flags = EnumSet.of(StepFlag.FENCED, StepFlag.FORWARDS);
        solicit(kind, flags, 2);
        Slot local = read.local();
        Slot inbox = inbox(kind, read.length());
        int offset = offset(kind, read.length());
        return new Step(
                index, kind, read.length(), key, offset, local, inbox, flags, 0, 0, access(kind, flags), -1, null);
    }

    private void solicit(StepKind kind, Set<StepFlag> flags, int oneIn) {
        if (kind.takesReceive() && random.nextInt(oneIn) == 0) {
            flags.add(StepFlag.SOLICITED);
        }
    }

    private Step onRange(int index, StepKind kind, int length, long key) {
        Set<StepFlag> flags = EnumSet.noneOf(StepFlag.class);
        if (kind.carriesMessage() && length <= limits.sender().maxInlineData() && random.nextBoolean()) {
            flags.add(StepFlag.INLINE);
        }
        solicit(kind, flags, 4);
        boolean usesLocal = !flags.contains(StepFlag.INLINE) && kind != StepKind.FLUSH;
        Slot local = usesLocal ? local(length) : null;
        Slot inbox = inbox(kind, length);
        int landing = kind == StepKind.READ_WITH_INVALIDATE ? landings++ : -1;
        int offset = offset(kind, length);
        return new Step(
                index, kind, length, key, offset, local, inbox, flags, 0, 0, access(kind, flags), landing, null);
    }

    /**
     * Creates an atomic on a word of the connection. Compare-and-swap uses words with a known value and matches in
     * about half of all cases.
     */
    private Step onWord(int index, StepKind kind, long key) {
        boolean adds = kind == StepKind.FETCH_ADD || kind == StepKind.MASKED_FETCH_ADD;
        boolean swaps = kind == StepKind.COMPARE_SWAP || kind == StepKind.MASKED_COMPARE_SWAP;
        int word = random.nextInt(adds && random.nextBoolean() ? remoteBytes / Long.BYTES : WORDS);
        long operand = random.nextLong();
        if (swaps && random.nextBoolean()) {
            operand = words[word];
        }
        Step step = word(index, kind, key, word * Long.BYTES, operand, null);
        if (word < WORDS) {
            words[word] = step.outcome(words[word]);
        }
        return step;
    }

    private Step word(
            int index, StepKind kind, long key, int offset, long operand, @Nullable ProtocolViolation violation) {
        Set<StepFlag> flags = EnumSet.noneOf(StepFlag.class);
        Slot local = kind.lands() ? local(Long.BYTES) : null;
        AccessUse access = violation == null ? access(kind, flags) : AccessUse.REGION;
        return new Step(index, kind, Long.BYTES, key, offset, local, null, flags, operand, key, access, -1, violation);
    }

    /** Creates an atomic on a shared word. The compare value is determined when the step is posted. */
    private Step onSharedWord(int index, StepKind kind, long key) {
        long add = 1 + (key >>> (Long.SIZE - SHARED_ADD_BITS));
        int word = random.nextInt(SharedWords.COUNT);
        Slot local = local(Long.BYTES);
        return new Step(
                index, kind, Long.BYTES, key, word, local, null, Set.of(), add, key, AccessUse.REGION, -1, null);
    }

    /** Creates a step that is valid except for one protocol violation. */
    private Step violation(int index, int length) {
        ProtocolViolation violation = violations.get(random.nextInt(violations.size()));
        Set<StepKind> from = violation == ProtocolViolation.UNSERVED ? limits.unserved() : limits.served();
        List<StepKind> possible = from.stream()
                .filter(ProgramAuthor::mayBeViolation)
                .filter(kind -> violation != ProtocolViolation.LOCAL_KEY || kind != StepKind.ATOMIC_WRITE)
                .toList();
        if (possible.isEmpty()) {
            return fence(valid(index, length));
        }
        StepKind kind = possible.get(random.nextInt(possible.size()));
        long key = random.nextLong();
        if (!kind.hasMessageLength()) {
            return word(index, kind, key, 0, key, violation);
        }
        // The requester splits a long READ, and its first parts may be valid.
        int bytes = Math.clamp(length, 1, kind.isRead() ? limits.mtuBytes() : Integer.MAX_VALUE);
        Slot local = local(bytes);
        return new Step(index, kind, bytes, key, 0, local, null, Set.of(), 0, 0, AccessUse.REGION, -1, violation);
    }

    /** Chooses the access to the memory, and whether this is its last use. */
    private AccessUse access(StepKind kind, Set<StepFlag> flags) {
        if (accesses.size() == 1 || !kind.isRemote() && !kind.invalidates()) {
            return AccessUse.REGION;
        }
        boolean gives = kind == StepKind.SEND_WITH_INVALIDATE;
        int[] possible = IntStream.range(0, accesses.size())
                .filter(i -> gives
                        ? accesses.get(i).isInvalidatedByPeer()
                        : accesses.get(i).serves(kind))
                .toArray();
        int number = possible[random.nextInt(possible.length)];
        AccessUse use = new AccessUse(number, closings[number]);
        if (gives) {
            closings[number]++;
        } else if (number > 0 && random.nextInt(USES_PER_CLOSING) == 0) {
            flags.add(StepFlag.CLOSES);
            closings[number]++;
        }
        return use;
    }

    private int offset(StepKind kind, int length) {
        if (!limits.service().isReliable()) {
            int from = nextRange;
            nextRange += kind.isWrite() ? length : 0;
            return from;
        }
        int from = kind.isWrite() ? WORDS_BYTES : 0;
        return from + random.nextInt(remoteBytes - length - from + 1);
    }

    private Slot local(int length) {
        Slot slot = slot(localBytes, length, limits.sender().maxSendSge());
        localBytes += slot.slotBytes();
        return slot;
    }

    private @Nullable Slot inbox(StepKind kind, int length) {
        if (!kind.takesReceive() || !limits.ownReceives()) {
            return null;
        }
        int bytes = (kind.isSend() ? length : 0) + (random.nextBoolean() ? 0 : random.nextInt(MAX_SPARE_RECEIVE_BYTES));
        Slot slot = slot(inboxBytes, bytes, limits.receiver().maxReceiveSge());
        inboxBytes += slot.slotBytes();
        return slot;
    }

    private Slot slot(long offset, int bytes, int maxPieces) {
        Layout layout = Layout.random(random, bytes, Math.min(maxPieces, Layout.MAX_PIECES));
        return new Slot(offset, Layout.slotBytes(bytes), layout);
    }

    /** Fences a step that needs it, and some that do not. */
    private Step fence(Step step) {
        boolean conflicts = unfencedReads.stream().anyMatch(read -> spoils(step, read));
        boolean fenced =
                step.has(StepFlag.FENCED) || conflicts || limits.service().isReliable() && random.nextInt(12) == 0;
        Step result = step;
        if (fenced) {
            Set<StepFlag> flags = EnumSet.of(StepFlag.FENCED);
            flags.addAll(step.flags());
            result = step.with(flags);
            unfencedReads.clear();
        }
        if (result.kind().isRead()) {
            unfencedReads.add(result);
            reads.add(result);
        }
        return result;
    }

    /**
     * True if the step, executed before the READ is complete, changes the bytes to read or invalidates the READ's key.
     */
    private static boolean spoils(Step step, Step read) {
        return step.kind() == StepKind.SEND_WITH_INVALIDATE
                ? step.access().equals(read.access())
                : step.kind().changesRemote() && step.overlaps(read);
    }
}
