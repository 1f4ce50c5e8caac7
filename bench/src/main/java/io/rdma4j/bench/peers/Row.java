package io.rdma4j.bench.peers;

import java.util.ArrayList;
import java.util.List;

/**
 * A row of the table of targets.
 *
 * @param id by which it is chosen
 * @param work what is done
 * @param limit what it is compared with
 * @param peers others that do the same
 */
record Row(String id, String work, Unit unit, Goal goal, Contender limit, Contender ours, List<Contender> peers) {
    /** The same without the peers. */
    Row alone() {
        return new Row(id, work, unit, goal, limit, ours, List.of());
    }

    /** All, in the order in which they run: the limit and ours next to each other. */
    List<Contender> contenders() {
        List<Contender> all = new ArrayList<>(List.of(limit, ours));
        all.addAll(peers);
        return all;
    }
}
