// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Polls completions with either API, a random number at a time. */
public final class Polling {
    private static final int MAX_POLL = 20;

    private Polling() {}

    public static List<WorkCompletion> some(CompletionQueue cq, SplittableRandom random) {
        int max = random.nextInt(1, MAX_POLL + 1);
        return random.nextBoolean() ? cq.poll(max) : byCursor(cq, max);
    }

    private static List<WorkCompletion> byCursor(CompletionQueue cq, int max) {
        List<WorkCompletion> completions = new ArrayList<>();
        try (CompletionCursor cursor = cq.startPoll()) {
            while (completions.size() < max && cursor.next()) {
                completions.add(WorkCompletion.of(cursor));
            }
        }
        return completions;
    }
}
