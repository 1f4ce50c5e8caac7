// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import java.util.ArrayList;
import java.util.List;

/**
 * A row of the table of targets.
 *
 * @param id name that selects it
 * @param work description of the work
 * @param limit program that defines the limit
 * @param peers other programs that do the same work
 */
record Row(String id, String work, Unit unit, Goal goal, Contender limit, Contender ours, List<Contender> peers) {
    /** Returns a copy without other programs. */
    Row alone() {
        return new Row(id, work, unit, goal, limit, ours, List.of());
    }

    /** All contenders in order of execution: the limit and this project's program next to each other. */
    List<Contender> contenders() {
        List<Contender> all = new ArrayList<>(List.of(limit, ours));
        all.addAll(peers);
        return all;
    }
}
