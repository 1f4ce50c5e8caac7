// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.count;

import io.rdma4j.bench.count.profile.InstructionProfile;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code bench --count}: prints the instructions of operations beside their budgets. */
public final class CountBench {
    private static final int SAMPLES = 15;
    private static final int QUICK_SAMPLES = 3;

    private final boolean quick;
    private final @Nullable InstructionProfile profile;
    private final PrintWriter out;
    private final PrintWriter progress;

    /**
     * @param quick counts the rings only
     * @param profile prints in which methods the instructions are; null for none
     * @param out receives the table
     * @param progress receives progress messages
     */
    public CountBench(boolean quick, @Nullable InstructionProfile profile, PrintWriter out, PrintWriter progress) {
        this.quick = quick;
        this.profile = profile;
        this.out = out;
        this.progress = progress;
    }

    /**
     * Counts and prints.
     *
     * @throws IOException if this machine cannot count
     */
    public void run() throws IOException, InterruptedException {
        String missing = InstructionCounts.missing();
        if (missing != null) {
            throw new IOException(missing);
        }
        if (profile == null) {
            head();
        }
        for (Subject subject : quick ? List.of(Subject.RINGS) : List.of(Subject.values())) {
            progress.println("bench: counting " + subject);
            Map<CountedOperation, Integer> counts =
                    InstructionCounts.of(subject, quick ? QUICK_SAMPLES : SAMPLES, profile);
            if (profile != null) {
                profile.print(out);
                continue;
            }
            counts.forEach((operation, count) ->
                    out.printf("| %s | %d | %d | %d |%n", operation, count, operation.ceiling(), operation.target()));
            out.flush();
        }
    }

    private void head() {
        out.println("| operation | instructions | ceiling of the tests | target |");
        out.println("| --- | --- | --- | --- |");
    }
}
