// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * All interleavings of one connection of rdma_cm: every id ends with events in a proper order, both ends agree whether
 * the connection existed, no queue pair and no id is left. A path through the model is a list of choices, and is run
 * again from the beginning for each of its continuations, since a manager cannot be copied.
 */
class RdmaModelCheckTest {
    private static final int MAX_STEPS = 200;

    /** States that a call leaves before it returns, because the paths of RoCE are found at once. */
    private static final Set<RdmaIdState> PASSING = EnumSet.of(RdmaIdState.ADDR_QUERY, RdmaIdState.ROUTE_QUERY);

    /** Result of a search. */
    private record Search(int states, int ends, Set<RdmaIdState> seen) {}

    private static RdmaModel replay(RdmaModel.Budget budget, List<RdmaModel.Step> path) {
        RdmaModel model = new RdmaModel(budget);
        path.forEach(model::run);
        return model;
    }

    /** A state whose continuations are to be tried. */
    private record Open(RdmaModel model, List<RdmaModel.Step> path) {}

    private static Search search(RdmaModel.Budget budget) {
        Set<Long> known = new HashSet<>();
        Set<RdmaIdState> seen = EnumSet.noneOf(RdmaIdState.class);
        Deque<Open> open = new ArrayDeque<>();
        RdmaModel first = new RdmaModel(budget);
        known.add(first.state());
        open.add(new Open(first, List.of()));
        int ends = 0;
        while (!open.isEmpty()) {
            Open state = open.removeLast();
            assertThat(state.path().size()).as("steps of %s", budget).isLessThan(MAX_STEPS);
            List<RdmaModel.Step> steps = state.model().steps();
            seen.addAll(state.model().seen);
            if (steps.isEmpty()) {
                ends++;
                assertThat(state.model().complaints())
                        .as(() -> state.path().toString())
                        .isEmpty();
                seen.addAll(state.model().seen);
            }
            for (RdmaModel.Step step : steps) {
                RdmaModel next = step.equals(steps.getLast()) ? state.model() : replay(budget, state.path());
                next.run(step);
                if (known.add(next.state())) {
                    List<RdmaModel.Step> longer = new ArrayList<>(state.path());
                    longer.add(step);
                    open.add(new Open(next, longer));
                }
            }
        }
        return new Search(known.size(), ends, seen);
    }

    private static Search assertSearch(RdmaModel.Budget budget, int states) {
        Search search = search(budget);
        System.out.println(budget + ": " + search);
        assertThat(search.states()).isEqualTo(states);
        assertThat(search.ends()).isPositive();
        return search;
    }

    @Test
    void overAGoodNetwork() {
        assertSearch(new RdmaModel.Budget(0, 0, 0, 0, 0), 34);
    }

    @Test
    void withLossesADuplicateAndACrash() {
        assertSearch(new RdmaModel.Budget(2, 1, 1, 0, 0), 96_774);
    }

    @Test
    void withADeviceThatGoesAndIdsThatAreDestroyedAllStatesAreSeen() {
        Search search = assertSearch(new RdmaModel.Budget(0, 0, 0, 1, 1), 2236);
        Set<RdmaIdState> all = EnumSet.allOf(RdmaIdState.class);
        all.removeAll(PASSING);
        assertThat(search.seen()).isEqualTo(all);
    }
}
