package io.rdma4j.testing.sim;

import io.rdma4j.verbs.QpCapabilities;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one direction of a connection, in order, and the regions that they need. What they bring about is
 * determined: a request that changes bytes which a READ before it may still be reading is fenced, and so is one that sends
 * on what a READ brings. Memory of this side is used once, so that each byte can be looked at in the end.
 */
final class Program {
    /** Words at the beginning of the peer's region that WRITEs leave alone, so that compare-and-swap hits now and then. */
    private static final int WORDS = 4;

    private static final int WORDS_BYTES = WORDS * Long.BYTES;
    private static final int MIN_REMOTE_BYTES = 512;
    private static final int MAX_SPARE_REMOTE_BYTES = 8192;
    private static final int MAX_SPARE_RECEIVE_BYTES = 16;
    private static final int SHARED_ADD_BITS = 20;

    private final SplittableRandom random;
    private final StepSizes sizes;
    private final QpCapabilities sender;
    private final QpCapabilities receiver;
    private final long remoteKey;
    private final int remoteBytes;
    private final long[] words = new long[WORDS];
    private final List<Step> steps = new ArrayList<>();
    private final List<Step> unfencedReads = new ArrayList<>();
    private final List<Step> reads = new ArrayList<>();
    private long localBytes = Layout.slotBytes(0);
    private long inboxBytes = Layout.slotBytes(0);

    /**
     * @param seed of this direction
     * @param sender the queue pair whose send queue it is
     * @param receiver the other one
     */
    Program(long seed, Scenario scenario, int mtuBytes, QpCapabilities sender, QpCapabilities receiver) {
        this.random = new SplittableRandom(seed);
        this.sizes = new StepSizes(scenario, mtuBytes, random);
        this.sender = sender;
        this.receiver = receiver;
        this.remoteKey = random.nextLong();
        int count = scenario.messages();
        int[] lengths = new int[count];
        int longest = MIN_REMOTE_BYTES;
        for (int i = 0; i < count; i++) {
            lengths[i] = sizes.next();
            longest = Math.max(longest, lengths[i]);
        }
        this.remoteBytes = WORDS_BYTES + longest + random.nextInt(MAX_SPARE_REMOTE_BYTES);
        for (int i = 0; i < WORDS; i++) {
            words[i] = Seeds.at(remoteKey, i);
        }
        for (int length : lengths) {
            steps.add(next(steps.size(), length));
        }
    }

    private Step next(int index, int length) {
        StepKind kind = kind();
        long key = random.nextLong();
        Step source = kind.carriesMessage() && random.nextInt(4) == 0 ? someRead() : null;
        Step step = source != null
                ? forward(index, kind, key, source)
                : switch (kind) {
                    case COMPARE_SWAP, FETCH_ADD, ATOMIC_WRITE -> onWord(index, kind, key);
                    case SHARED_COMPARE_SWAP, SHARED_FETCH_ADD -> onSharedWord(index, kind, key);
                    default -> onRange(index, kind, length, key);
                };
        return fence(step);
    }

    private StepKind kind() {
        StepKind[] kinds = StepKind.values();
        return kinds[random.nextInt(kinds.length)];
    }

    private @Nullable Step someRead() {
        return reads.isEmpty() ? null : reads.get(random.nextInt(Math.max(0, reads.size() - 3), reads.size()));
    }

    private Step forward(int index, StepKind kind, long key, Step read) {
        return new Step(
                index,
                kind,
                read.length(),
                key,
                offset(kind, read.length()),
                read.local(),
                inbox(kind, read.length()),
                false,
                kind.takesReceive() && random.nextBoolean(),
                true,
                true,
                0,
                0);
    }

    private Step onRange(int index, StepKind kind, int length, long key) {
        boolean inline = kind.carriesMessage() && length <= sender.maxInlineData() && random.nextBoolean();
        boolean local = !inline && kind != StepKind.FLUSH;
        return new Step(
                index,
                kind,
                length,
                key,
                offset(kind, length),
                local ? local(length) : null,
                inbox(kind, length),
                inline,
                kind.takesReceive() && random.nextInt(4) == 0,
                false,
                false,
                0,
                0);
    }

    /** Compare-and-swap keeps to the words whose value is known, where it hits as often as not. */
    private Step onWord(int index, StepKind kind, long key) {
        boolean anywhere = kind == StepKind.FETCH_ADD && random.nextBoolean();
        int word = random.nextInt(anywhere ? remoteBytes / Long.BYTES : WORDS);
        long operand = random.nextLong();
        if (word < WORDS) {
            operand = kind == StepKind.COMPARE_SWAP && random.nextBoolean() ? words[word] : operand;
            words[word] = switch (kind) {
                case COMPARE_SWAP -> words[word] == operand ? key : words[word];
                case FETCH_ADD -> words[word] + operand;
                default -> operand;
            };
        }
        Place local = kind.lands() ? local(Long.BYTES) : null;
        return new Step(
                index, kind, Long.BYTES, key, word * Long.BYTES, local, null, false, false, false, false, operand, key);
    }

    /** What to compare with is known when it is posted. */
    private Step onSharedWord(int index, StepKind kind, long key) {
        long add = 1 + (key >>> (Long.SIZE - SHARED_ADD_BITS));
        int word = random.nextInt(SharedWords.COUNT);
        return new Step(
                index, kind, Long.BYTES, key, word, local(Long.BYTES), null, false, false, false, false, add, key);
    }

    private int offset(StepKind kind, int length) {
        int from = kind.isWrite() ? WORDS_BYTES : 0;
        return from + random.nextInt(remoteBytes - length - from + 1);
    }

    private Place local(int length) {
        Place place = place(localBytes, length, sender.maxSendSge());
        localBytes += place.slotBytes();
        return place;
    }

    private @Nullable Place inbox(StepKind kind, int length) {
        if (!kind.takesReceive()) {
            return null;
        }
        int bytes = (kind.isSend() ? length : 0) + (random.nextBoolean() ? 0 : random.nextInt(MAX_SPARE_RECEIVE_BYTES));
        Place place = place(inboxBytes, bytes, receiver.maxReceiveSge());
        inboxBytes += place.slotBytes();
        return place;
    }

    private Place place(long offset, int bytes, int maxPieces) {
        Layout layout = Layout.random(random, bytes, Math.min(maxPieces, Layout.MAX_PIECES));
        return new Place(offset, Layout.slotBytes(bytes), layout);
    }

    /** Fences a step that needs it, and some that do not. */
    private Step fence(Step step) {
        boolean conflicts =
                step.kind().changesRemote() && unfencedReads.stream().anyMatch(step::overlaps);
        boolean fenced = step.fenced() || conflicts || random.nextInt(12) == 0;
        Step result = new Step(
                step.index(),
                step.kind(),
                step.length(),
                step.key(),
                step.remoteOffset(),
                step.local(),
                step.inbox(),
                step.inline(),
                step.solicited(),
                fenced,
                step.forwards(),
                step.operand(),
                step.swap());
        if (fenced) {
            unfencedReads.clear();
        }
        if (result.kind() == StepKind.READ) {
            unfencedReads.add(result);
            reads.add(result);
        }
        return result;
    }

    int count() {
        return steps.size();
    }

    Step step(int index) {
        return steps.get(index);
    }

    /** Steps that take a receive, in their order. */
    List<Step> receives() {
        return steps.stream().filter(step -> step.kind().takesReceive()).toList();
    }

    /** Packets of the longest step. */
    int mostPackets(int mtuBytes) {
        return steps.stream().mapToInt(step -> step.packets(mtuBytes)).max().orElse(1);
    }

    /** What the peer's region holds in the beginning. */
    long remoteKey() {
        return remoteKey;
    }

    int remoteBytes() {
        return remoteBytes;
    }

    long localBytes() {
        return localBytes;
    }

    long inboxBytes() {
        return inboxBytes;
    }
}
