// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.SimEndpoint;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Words of a host that all connections to it change by atomics. Checks that each atomic was executed once and
 * atomically: the returned values form one chain from the first value to the last.
 */
final class SharedWords {
    /** Number of words of each kind. */
    static final int COUNT = 2;

    /** Counters first, then the words for compare-and-swap. */
    static final long BYTES = 2L * COUNT * Long.BYTES;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    /**
     * An atomic that the host has executed.
     *
     * @param old value before the atomic
     * @param isKnown false if the response was lost
     */
    private record Change(long old, boolean isKnown, long operand, long swap) {}

    private final int host;
    private final MemorySegment memory;
    private final long[] first = new long[2 * COUNT];
    private final List<List<Change>> changes = new ArrayList<>();

    SharedWords(int host, Arena arena, SplittableRandom random) {
        this.host = host;
        this.memory = arena.allocate(BYTES, SimEndpoint.PAGE_BYTES);
        for (int i = 0; i < first.length; i++) {
            // Not negative, so that counters do not wrap.
            first[i] = random.nextInt(Integer.MAX_VALUE);
            memory.set(LONG, i * (long) Long.BYTES, first[i]);
            changes.add(new ArrayList<>());
        }
    }

    MemorySegment memory() {
        return memory;
    }

    /** Offset of the word of a step. */
    static long offset(Step step) {
        return (step.kind() == StepKind.SHARED_FETCH_ADD ? 0 : COUNT) * (long) Long.BYTES
                + step.remoteOffset() * (long) Long.BYTES;
    }

    /** Current value of the word. */
    long value(Step step) {
        return memory.get(LONG, offset(step));
    }

    /**
     * Records an executed step.
     *
     * @param operand value that it compared with or added
     */
    void record(Step step, long operand, long old) {
        changesOf(step).add(new Change(old, true, operand, step.swap()));
    }

    /** Records an executed step whose response was lost. */
    void recordUnknown(Step step, long operand) {
        changesOf(step).add(new Change(0, false, operand, step.swap()));
    }

    private List<Change> changesOf(Step step) {
        return changes.get((int) (offset(step) / Long.BYTES));
    }

    /** Reports errors at the end of the run. */
    void check(RunReport report) {
        for (int i = 0; i < first.length; i++) {
            long last = memory.get(LONG, i * (long) Long.BYTES);
            Optional<String> wrong = i < COUNT
                    ? counterError(first[i], last, changes.get(i))
                    : swapError(first[i], last, changes.get(i));
            int word = i;
            wrong.ifPresent(text -> report.violation("host%d: shared word %d: %s".formatted(host, word, text)));
        }
    }

    /**
     * Checks the returned values in ascending order: each is the sum of all earlier operands, except those with lost
     * responses.
     */
    private static Optional<String> counterError(long first, long last, List<Change> changes) {
        long sum = first + changes.stream().mapToLong(Change::operand).sum();
        if (sum != last) {
            return Optional.of("the sum is %d, not %d".formatted(last, sum));
        }
        long unknown = changes.stream()
                .filter(change -> !change.isKnown())
                .mapToLong(Change::operand)
                .sum();
        long value = first;
        List<Change> known = changes.stream()
                .filter(Change::isKnown)
                .sorted(Comparator.comparingLong(Change::old))
                .toList();
        for (Change change : known) {
            long gap = change.old() - value;
            if (gap < 0 || gap > unknown) {
                return Optional.of("an atomic found %d, where %d was due".formatted(change.old(), value));
            }
            unknown -= gap;
            value = change.old() + change.operand();
        }
        return last - value == unknown
                ? Optional.empty()
                : Optional.of("steps from %d to %d are missing".formatted(value, last));
    }

    /**
     * Values are unique. Checks that each returned value existed, and that the swaps lead from the first to the last
     * value.
     */
    private static Optional<String> swapError(long first, long last, List<Change> changes) {
        Set<Long> seen = new HashSet<>();
        if (!leads(first, last, changes, seen)) {
            return Optional.of("no swaps lead from %d to %d".formatted(first, last));
        }
        for (Change change : changes) {
            boolean isLost = change.old() == change.operand() && !seen.contains(change.swap());
            if (change.isKnown() && (isLost || !seen.contains(change.old()))) {
                return Optional.of("an atomic that compared with %d found %d, which was not there or did not change"
                        .formatted(change.operand(), change.old()));
            }
        }
        return Optional.empty();
    }

    /**
     * Follows the swaps from {@code value} on and collects the values; tries all orders of swaps with lost responses.
     */
    private static boolean leads(long value, long last, List<Change> changes, Set<Long> seen) {
        seen.add(value);
        for (Change change : changes) {
            if (change.isKnown() && change.old() == value && change.operand() == value) {
                return leads(change.swap(), last, changes, seen);
            }
        }
        if (value == last) {
            return true;
        }
        for (Change change : changes) {
            if (!change.isKnown() && change.operand() == value) {
                if (leads(change.swap(), last, changes, seen)) {
                    return true;
                }
                seen.remove(change.swap());
            }
        }
        return false;
    }
}
