// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table of targets.
 *
 * @param id name that selects it
 * @param work description of the work
 * @param limit program that defines the limit; null if the target is absolute
 * @param peers other programs that do the same work
 */
record Row(
        String id,
        String work,
        Unit unit,
        Goal goal,
        @Nullable Contender limit,
        Contender ours,
        List<Contender> peers) {
    /** Returns a copy with a limit of the 99.9th percentile, in the row's unit. */
    Row withTail(double p999) {
        return new Row(id, work, unit, goal.andTail(p999), limit, ours, peers);
    }

    /** Returns a copy without other programs. */
    Row alone() {
        return new Row(id, work, unit, goal, limit, ours, List.of());
    }

    /** All contenders in order of execution: the limit and this project's program next to each other. */
    List<Contender> contenders() {
        List<Contender> all = new ArrayList<>();
        if (limit != null) {
            all.add(limit);
        }
        all.add(ours);
        all.addAll(peers);
        return all;
    }
}
