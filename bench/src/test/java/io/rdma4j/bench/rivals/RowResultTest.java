// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests medians, ratios and verdicts. */
class RowResultTest {
    private static final Contender LIMIT = Contender.alone("limit", Reading.field("x", 1), List.of());
    private static final Contender OURS = Contender.alone("ours", Reading.field("x", 1), List.of());

    private static Sample near(double value) {
        return new Sample(value, Tail.NONE, Placement.NEAR);
    }

    private static RowResult result(Unit unit, Goal goal) {
        return new RowResult(new Row("id", "work", unit, goal, LIMIT, OURS, List.of()));
    }

    /** The host migrated the CPUs after the first round: all results are slower, and the ratio is unchanged. */
    @Test
    void theRatioIsThatOfRoundsAndNotOfMedians() {
        RowResult result = result(Unit.MICROSECONDS, Goal.ratio(1.2));
        for (double limit : List.of(1.0, 5.0, 5.0)) {
            result.add(LIMIT, near(limit));
            result.add(OURS, near(limit * 1.1));
        }
        assertThat(result.ratio(LIMIT)).isEqualTo(1.1, offset(1e-9));
        assertThat(result.isMet()).isTrue();
    }

    /** The first round has no pair, the place changed in the second one, and the others have a place each. */
    @Test
    void onlyNumbersOfOnePlaceAreDivided() {
        RowResult result = result(Unit.MICROSECONDS, Goal.ratio(1.2));
        add(result, Placement.FAR, 4, Placement.NEAR, 2);
        add(result, Placement.NEAR, 1, Placement.MIXED, 9);
        add(result, Placement.NEAR, 1, Placement.NEAR, 2);
        add(result, Placement.FAR, 4, Placement.FAR, 12);

        List<RowResult> apart = result.byPlace();

        assertThat(apart).extracting(RowResult::place).containsExactly(Placement.FAR, Placement.NEAR);
        assertThat(apart).extracting(part -> part.ratio(LIMIT)).containsExactly(3.0, 2.0);
        assertThat(result.dropped()).isEqualTo(1);
        assertThat(ResultTable.text(List.of(result)).lines().filter(line -> line.startsWith("| work ")))
                .hasSize(3);
    }

    private static void add(RowResult result, String limitPlace, double limit, String ownPlace, double own) {
        result.add(LIMIT, new Sample(limit, Tail.NONE, limitPlace));
        result.add(OURS, new Sample(own, new Tail(own * 2, own * 3), ownPlace));
    }

    @Test
    void moreIsBetterForRates() {
        RowResult result = result(Unit.GIGABITS, Goal.ratio(0.8));
        result.add(LIMIT, near(30));
        result.add(OURS, near(20));
        assertThat(result.isMet()).isFalse();
        assertThat(result.isAhead(LIMIT)).isFalse();
    }

    @Test
    void anAbsoluteGoalNeedsNoLimit() {
        RowResult result = result(Unit.MILLIONS, Goal.absolute(2));
        result.fail(LIMIT, "no C compiler");
        result.add(OURS, near(2.5));
        assertThat(result.isMet()).isTrue();
        assertThat(ResultTable.text(List.of(result))).contains("≥ 2 M/s", "2.5 M/s", "limit: no C compiler");
    }

    @Test
    void aTargetIsMetIfAllItsBoundsAre() {
        Goal goal = Goal.absolute(0.4).andRatio(1.15).andTail(3);
        assertThat(goal.text(Unit.MICROSECONDS)).isEqualTo("≤ 0.4 µs, ≤ 1.15×, p99.9 ≤ 3 µs");
        assertThat(goal.isMet(Unit.MICROSECONDS, 0.4, 1.15, 3)).isTrue();
        assertThat(goal.isMet(Unit.MICROSECONDS, 0.41, 1.1, 2)).isFalse();
        assertThat(goal.isMet(Unit.MICROSECONDS, 0.3, 1.2, 2)).isFalse();
        assertThat(goal.isMet(Unit.MICROSECONDS, 0.3, 1.1, 3.1)).isFalse();
        assertThat(goal.isKnown(0.3, Double.NaN, 1)).isFalse();
        assertThat(goal.isKnown(0.3, 1, Double.NaN)).isFalse();
    }

    @Test
    void aRowNeedsNoLimit() {
        RowResult result = new RowResult(new Row("id", "work", Unit.BYTES, Goal.absolute(2048), null, OURS, List.of()));
        result.add(OURS, near(3000));
        assertThat(ResultTable.text(List.of(result))).contains("≤ 2048 B").contains("| no ");
        assertThat(result.json()).doesNotContainKey("limit").containsEntry("met", false);
    }

    @Test
    void whatWasNotMeasuredIsNeitherMetNorMissed() {
        RowResult result = result(Unit.MICROSECONDS, Goal.ratio(1.2));
        result.add(LIMIT, near(8));
        result.fail(OURS, "exit code 1");
        assertThat(ResultTable.text(List.of(result)).lines())
                .anySatisfy(line -> assertThat(line).startsWith("| work |").matches(".*\\| – +\\| – +\\| – +\\|"));
    }

    @Test
    void numbersHaveThreeDigitsThatCount() {
        assertThat(List.of(Figures.text(123.4), Figures.text(12.34), Figures.text(1.234), Figures.text(0.01234)))
                .containsExactly("123", "12.3", "1.23", "0.0123");
        assertThat(Figures.text(Double.NaN)).isEqualTo("–");
    }
}
