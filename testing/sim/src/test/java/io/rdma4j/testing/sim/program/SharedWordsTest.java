// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.sim.world.EventTrace;
import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.VirtualClock;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the check that atomics are executed once, and its failures. */
class SharedWordsTest {
    private final Arena arena = Arena.ofConfined();
    private final SharedWords words = new SharedWords(0, arena, new SplittableRandom(1));
    private final VirtualClock clock = new VirtualClock(0);
    private final RunReport report = new RunReport(clock, new EventTrace(clock));

    @AfterEach
    void close() {
        arena.close();
    }

    private static Step step(StepKind kind, long swap) {
        return new Step(0, kind, 8, swap, 1, null, null, Set.of(), 0, swap, Step.AccessUse.REGION, -1, null);
    }

    private void set(Step step, long value) {
        words.memory().set(ValueLayout.JAVA_LONG, SharedWords.offset(step), value);
    }

    private long add(long value) {
        Step step = step(StepKind.SHARED_FETCH_ADD, 0);
        long old = words.value(step);
        set(step, old + value);
        return old;
    }

    private void addAndTell(long value) {
        words.record(step(StepKind.SHARED_FETCH_ADD, 0), value, add(value));
    }

    private void swap(long compare, long value) {
        Step step = step(StepKind.SHARED_COMPARE_SWAP, value);
        long old = words.value(step);
        if (old == compare) {
            set(step, value);
        }
        words.record(step, compare, old);
    }

    private long swapWord() {
        return words.value(step(StepKind.SHARED_COMPARE_SWAP, 0));
    }

    private void assertWrong(String text) {
        words.check(report);
        assertThat(report.violations()).singleElement().asString().contains(text);
    }

    private void assertRight() {
        words.check(report);
        assertThat(report.violations()).isEmpty();
    }

    @Test
    void whatWasAddedOnceIsRight() {
        addAndTell(5);
        addAndTell(7);
        add(11);
        words.recordUnknown(step(StepKind.SHARED_FETCH_ADD, 0), 11);
        addAndTell(1);
        assertRight();
    }

    @Test
    void whatWasAddedTwiceIsFound() {
        addAndTell(5);
        add(5);
        addAndTell(7);
        assertWrong("the sum is");
    }

    @Test
    void twoThatFoundTheSameAreFound() {
        Step step = step(StepKind.SHARED_FETCH_ADD, 0);
        long old = words.value(step);
        words.record(step, 5, old);
        words.record(step, 7, old);
        set(step, old + 12);
        assertWrong("where " + (old + 5) + " was due");
    }

    @Test
    void swapsThatLeadFromTheFirstToTheLastAreRight() {
        swap(swapWord(), 100);
        swap(3, 200);
        swap(100, 300);
        assertRight();
    }

    @Test
    void aSwapThatNobodyWasToldOfMayLieBetween() {
        swap(swapWord(), 100);
        set(step(StepKind.SHARED_COMPARE_SWAP, 0), 150);
        words.recordUnknown(step(StepKind.SHARED_COMPARE_SWAP, 170), 100);
        words.recordUnknown(step(StepKind.SHARED_COMPARE_SWAP, 150), 100);
        swap(150, 300);
        assertRight();
    }

    @Test
    void aValueFromNowhereIsFound() {
        swap(swapWord(), 100);
        set(step(StepKind.SHARED_COMPARE_SWAP, 0), 77);
        assertWrong("no swaps lead");
    }

    @Test
    void aSwapThatFoundWhatWasNeverThereIsFound() {
        swap(swapWord(), 100);
        words.record(step(StepKind.SHARED_COMPARE_SWAP, 300), 5, 78);
        assertWrong("found 78");
    }

    @Test
    void aSwapThatHitAndWasLostIsFound() {
        long first = swapWord();
        swap(first, 100);
        words.record(step(StepKind.SHARED_COMPARE_SWAP, 300), first, first);
        assertWrong("did not change");
    }
}
