// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Prints the current measurement and the estimated remaining time, from the elapsed time. */
final class Progress {
    private final PrintWriter out;
    private final long steps;
    private final int runs;
    private final long start = System.nanoTime();
    private long done;

    Progress(PrintWriter out, List<Row> rows, int runs) {
        this.out = out;
        this.runs = runs;
        this.steps = rows.stream().mapToLong(row -> row.contenders().size()).sum() * runs;
    }

    /** Starts the next step. */
    void next(Row row, Contender contender, int round) {
        String left = "";
        if (done > 0) {
            long leftS = TimeUnit.NANOSECONDS.toSeconds((System.nanoTime() - start) / done * (steps - done));
            left = String.format(Locale.ROOT, ", %d:%02d left", leftS / 60, leftS % 60);
        }
        out.printf(Locale.ROOT, "bench: %s, run %d of %d: %s%s%n", row.id(), round, runs, contender.name(), left);
        done++;
    }
}
