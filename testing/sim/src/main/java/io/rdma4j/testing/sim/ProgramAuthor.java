package io.rdma4j.testing.sim;

import io.rdma4j.testing.sim.Step.DoorUse;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Makes up {@link Program}s. What they bring about is determined: a request that changes bytes which a READ before it may
 * still be reading is fenced, and so is one that sends on what a READ brings. Memory of this side is used once, so that each
 * byte can be looked at in the end, and so is the peer's over a service that may lose a WRITE half-way.
 */
final class ProgramAuthor {
    /** Words at the beginning of the peer's region that WRITEs leave alone, so that compare-and-swap hits now and then. */
    private static final int WORDS = 4;

    private static final int WORDS_BYTES = WORDS * Long.BYTES;
    private static final int MIN_REMOTE_BYTES = 512;
    private static final int MAX_SPARE_REMOTE_BYTES = 8192;
    private static final int MAX_SPARE_RECEIVE_BYTES = 16;
    private static final int SHARED_ADD_BITS = 20;

    /** One access in so many is the last one before its door is closed. */
    private static final int USES_PER_CLOSING = 4;

    private final SplittableRandom random;
    private final Terms terms;
    private final List<Door.Kind> doors;
    private final int[] closings;
    private final boolean landsThroughDoor;
    private final StepKind[] kinds;
    private final List<Crime> crimes;
    private final BitSet criminals = new BitSet();
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

    private ProgramAuthor(long seed, Scenario scenario, Terms terms) {
        this.random = new SplittableRandom(seed);
        this.terms = terms;
        this.remoteKey = random.nextLong();
        StepSizes sizes = new StepSizes(scenario, terms, random);
        this.lengths = new int[scenario.messages()];
        long sum = 0;
        int longest = MIN_REMOTE_BYTES;
        for (int i = 0; i < lengths.length; i++) {
            lengths[i] = sizes.next();
            longest = Math.max(longest, lengths[i]);
            sum += lengths[i] + Layout.slotBytes(Long.BYTES);
        }
        boolean disjoint = !terms.service().isReliable();
        this.remoteBytes =
                Math.toIntExact(WORDS_BYTES + (disjoint ? sum : longest) + random.nextInt(MAX_SPARE_REMOTE_BYTES));
        this.doors = new ArrayList<>(terms.doors());
        if (!fitsFastRegion(remoteBytes)) {
            doors.remove(Door.Kind.FAST_REGION);
        }
        this.closings = new int[doors.size()];
        this.landsThroughDoor = terms.hasDoors() && fitsFastRegion(sum);
        this.kinds = kinds();
        this.crimes = crimes();
        for (int i = 0; i < WORDS; i++) {
            words[i] = Seeds.at(remoteKey, i);
        }
        for (int i = 0; i < terms.crimes() && !crimes.isEmpty(); i++) {
            criminals.set(random.nextInt(lengths.length));
        }
    }

    /** @param seed of this direction */
    static Program write(long seed, Scenario scenario, Terms terms) {
        return new ProgramAuthor(seed, scenario, terms).write();
    }

    private Program write() {
        for (int length : lengths) {
            int index = steps.size();
            Step step = criminals.get(index) ? crime(index, length) : fence(honest(index, length));
            steps.add(step);
        }
        return new Program(terms.with(doors), steps, remoteKey, remoteBytes, localBytes, inboxBytes);
    }

    private static boolean fitsFastRegion(long bytes) {
        return bytes < (Door.MAX_FAST_PAGES - 1L) * Endpoint.PAGE_BYTES;
    }

    private StepKind[] kinds() {
        Set<StepKind> served = EnumSet.copyOf(terms.served());
        if (!landsThroughDoor) {
            served.remove(StepKind.READ_WITH_INVALIDATE);
        }
        if (doors.stream().noneMatch(Door.Kind::isInvalidatedByPeer)) {
            served.remove(StepKind.SEND_WITH_INVALIDATE);
        }
        return served.toArray(StepKind[]::new);
    }

    private List<Crime> crimes() {
        Set<Crime> possible = EnumSet.allOf(Crime.class);
        if (terms.unserved().stream().noneMatch(ProgramAuthor::mayBeCrime)) {
            possible.remove(Crime.UNSERVED);
        }
        if (terms.served().stream().noneMatch(ProgramAuthor::mayBeCrime)) {
            possible.retainAll(EnumSet.of(Crime.UNSERVED));
        }
        return List.copyOf(possible);
    }

    private static boolean mayBeCrime(StepKind kind) {
        return kind == StepKind.WRITE
                || kind == StepKind.READ
                || kind == StepKind.FETCH_ADD
                || kind == StepKind.COMPARE_SWAP
                || kind == StepKind.ATOMIC_WRITE;
    }

    private Step honest(int index, int length) {
        StepKind kind = kinds[random.nextInt(kinds.length)];
        long key = random.nextLong();
        Step source = terms.ownReceives() && kind.carriesMessage() && random.nextInt(4) == 0 ? someRead() : null;
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
        Place local = read.local();
        Place inbox = inbox(kind, read.length());
        int offset = offset(kind, read.length());
        return new Step(
                index, kind, read.length(), key, offset, local, inbox, flags, 0, 0, door(kind, flags), -1, null);
    }

    private void solicit(StepKind kind, Set<StepFlag> flags, int oneIn) {
        if (kind.takesReceive() && random.nextInt(oneIn) == 0) {
            flags.add(StepFlag.SOLICITED);
        }
    }

    private Step onRange(int index, StepKind kind, int length, long key) {
        Set<StepFlag> flags = EnumSet.noneOf(StepFlag.class);
        if (kind.carriesMessage() && length <= terms.sender().maxInlineData() && random.nextBoolean()) {
            flags.add(StepFlag.INLINE);
        }
        solicit(kind, flags, 4);
        boolean usesLocal = !flags.contains(StepFlag.INLINE) && kind != StepKind.FLUSH;
        Place local = usesLocal ? local(length) : null;
        Place inbox = inbox(kind, length);
        int landing = kind == StepKind.READ_WITH_INVALIDATE ? landings++ : -1;
        int offset = offset(kind, length);
        return new Step(index, kind, length, key, offset, local, inbox, flags, 0, 0, door(kind, flags), landing, null);
    }

    /** Compare-and-swap keeps to the words whose value is known, where it hits as often as not. */
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

    private Step word(int index, StepKind kind, long key, int offset, long operand, @Nullable Crime crime) {
        Set<StepFlag> flags = EnumSet.noneOf(StepFlag.class);
        Place local = kind.lands() ? local(Long.BYTES) : null;
        DoorUse door = crime == null ? door(kind, flags) : DoorUse.REGION;
        return new Step(index, kind, Long.BYTES, key, offset, local, null, flags, operand, key, door, -1, crime);
    }

    /** What to compare with is known when it is posted. */
    private Step onSharedWord(int index, StepKind kind, long key) {
        long add = 1 + (key >>> (Long.SIZE - SHARED_ADD_BITS));
        int word = random.nextInt(SharedWords.COUNT);
        Place local = local(Long.BYTES);
        return new Step(index, kind, Long.BYTES, key, word, local, null, Set.of(), add, key, DoorUse.REGION, -1, null);
    }

    /** Something that must not be done, but for which all would be well. */
    private Step crime(int index, int length) {
        Crime crime = crimes.get(random.nextInt(crimes.size()));
        Set<StepKind> from = crime == Crime.UNSERVED ? terms.unserved() : terms.served();
        List<StepKind> possible = from.stream()
                .filter(ProgramAuthor::mayBeCrime)
                .filter(kind -> crime != Crime.LOCAL_KEY || kind != StepKind.ATOMIC_WRITE)
                .toList();
        if (possible.isEmpty()) {
            return fence(honest(index, length));
        }
        StepKind kind = possible.get(random.nextInt(possible.size()));
        long key = random.nextLong();
        if (!kind.hasMessageLength()) {
            return word(index, kind, key, 0, key, crime);
        }
        // A long READ is asked for in parts, of which the first ones may be nothing to object to.
        int bytes = Math.clamp(length, 1, kind.isRead() ? terms.mtuBytes() : Integer.MAX_VALUE);
        Place local = local(bytes);
        return new Step(index, kind, bytes, key, 0, local, null, Set.of(), 0, 0, DoorUse.REGION, -1, crime);
    }

    /** Chooses a way to the memory, and perhaps the last moment at which it is good. */
    private DoorUse door(StepKind kind, Set<StepFlag> flags) {
        if (doors.size() == 1 || !kind.isRemote() && !kind.invalidates()) {
            return DoorUse.REGION;
        }
        boolean gives = kind == StepKind.SEND_WITH_INVALIDATE;
        int[] possible = IntStream.range(0, doors.size())
                .filter(i -> gives
                        ? doors.get(i).isInvalidatedByPeer()
                        : doors.get(i).serves(kind))
                .toArray();
        int number = possible[random.nextInt(possible.length)];
        DoorUse use = new DoorUse(number, closings[number]);
        if (gives) {
            closings[number]++;
        } else if (number > 0 && random.nextInt(USES_PER_CLOSING) == 0) {
            flags.add(StepFlag.CLOSES);
            closings[number]++;
        }
        return use;
    }

    private int offset(StepKind kind, int length) {
        if (!terms.service().isReliable()) {
            int from = nextRange;
            nextRange += kind.isWrite() ? length : 0;
            return from;
        }
        int from = kind.isWrite() ? WORDS_BYTES : 0;
        return from + random.nextInt(remoteBytes - length - from + 1);
    }

    private Place local(int length) {
        Place place = place(localBytes, length, terms.sender().maxSendSge());
        localBytes += place.slotBytes();
        return place;
    }

    private @Nullable Place inbox(StepKind kind, int length) {
        if (!kind.takesReceive() || !terms.ownReceives()) {
            return null;
        }
        int bytes = (kind.isSend() ? length : 0) + (random.nextBoolean() ? 0 : random.nextInt(MAX_SPARE_RECEIVE_BYTES));
        Place place = place(inboxBytes, bytes, terms.receiver().maxReceiveSge());
        inboxBytes += place.slotBytes();
        return place;
    }

    private Place place(long offset, int bytes, int maxPieces) {
        Layout layout = Layout.random(random, bytes, Math.min(maxPieces, Layout.MAX_PIECES));
        return new Place(offset, Layout.slotBytes(bytes), layout);
    }

    /** Fences a step that needs it, and some that do not. */
    private Step fence(Step step) {
        boolean conflicts = unfencedReads.stream().anyMatch(read -> spoils(step, read));
        boolean fenced =
                step.has(StepFlag.FENCED) || conflicts || terms.service().isReliable() && random.nextInt(12) == 0;
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

    /** Whether a step, carried out before a READ has read, changes what it reads or takes back its key. */
    private static boolean spoils(Step step, Step read) {
        return step.kind() == StepKind.SEND_WITH_INVALIDATE
                ? step.door().equals(read.door())
                : step.kind().changesRemote() && step.overlaps(read);
    }
}
