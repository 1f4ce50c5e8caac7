// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * All interleavings of one connection: every id ends, both ends agree whether the connection existed, nothing is left
 * in a table. A path through the model is a list of choices, and is run again from the beginning for each of its
 * continuations, since a communication manager cannot be copied.
 */
class CmModelCheckTest {
    private static final int MAX_STEPS = 200;

    /** Result of a search. */
    private record Search(int states, int ends) {}

    private static CmModel replay(CmModel.Budget budget, List<CmModel.Step> path) {
        CmModel model = new CmModel(budget);
        path.forEach(model::run);
        return model;
    }

    /** A state whose continuations are to be tried. */
    private record Open(CmModel model, List<CmModel.Step> path) {}

    private static Search search(CmModel.Budget budget) {
        Set<Long> seen = new HashSet<>();
        Deque<Open> open = new ArrayDeque<>();
        CmModel first = new CmModel(budget);
        seen.add(first.state());
        open.add(new Open(first, List.of()));
        int ends = 0;
        while (!open.isEmpty()) {
            Open state = open.removeLast();
            assertThat(state.path().size()).as("steps of %s", budget).isLessThan(MAX_STEPS);
            List<CmModel.Step> steps = state.model().steps();
            if (steps.isEmpty()) {
                ends++;
                assertThat(state.model().complaints())
                        .as(() -> state.path().toString())
                        .isEmpty();
            }
            for (CmModel.Step step : steps) {
                CmModel next = step.equals(steps.getLast()) ? state.model() : replay(budget, state.path());
                next.run(step);
                if (seen.add(next.state())) {
                    List<CmModel.Step> longer = new ArrayList<>(state.path());
                    longer.add(step);
                    open.add(new Open(next, longer));
                }
            }
        }
        return new Search(seen.size(), ends);
    }

    private static void assertSearch(CmModel.Budget budget, int states) {
        Search search = search(budget);
        System.out.println(budget + ": " + search);
        assertThat(search.states()).isEqualTo(states);
        assertThat(search.ends()).isPositive();
    }

    @Test
    void overAGoodNetworkWithSlowPrograms() {
        assertSearch(new CmModel.Budget(0, 0, 0, 2, false), 1045);
    }

    @Test
    void withLossesAndADuplicate() {
        assertSearch(new CmModel.Budget(2, 1, 0, 0, false), 10_972);
    }

    @Test
    void withALossADuplicateAndASlowProgram() {
        assertSearch(new CmModel.Budget(1, 1, 0, 1, false), 20_740);
    }

    @Test
    void withALossAndAClientThatReturns() {
        assertSearch(new CmModel.Budget(1, 0, 1, 0, true), 9220);
    }

    @Test
    void withLossesADuplicateAndACrash() {
        assertSearch(new CmModel.Budget(2, 1, 1, 0, false), 40_292);
    }
}
