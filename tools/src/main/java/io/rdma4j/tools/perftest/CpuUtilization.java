// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.tools.peer.ToolFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Computes the share of user time in user and idle time of all CPUs between two moments, as perftest does. */
final class CpuUtilization {
    private static final Path STATISTICS = Path.of("/proc/stat");

    /** Indices of the words in the first line: {@code cpu}, then times of user, nice, system, idle. */
    private static final int USER = 1;

    private static final int IDLE = 4;
    private static final double PERCENT = 100;

    private final long user;
    private final long idle;

    private CpuUtilization(long user, long idle) {
        this.user = user;
        this.idle = idle;
    }

    /** Reads the current times. */
    static CpuUtilization now() throws ToolFailure {
        try (var lines = Files.lines(STATISTICS)) {
            String[] words = lines.findFirst().orElse("").split("\\s+", -1);
            return new CpuUtilization(Long.parseLong(words[USER]), Long.parseLong(words[IDLE]));
        } catch (IOException | RuntimeException e) {
            throw new ToolFailure("--cpu_util: " + STATISTICS + " cannot be read", e);
        }
    }

    /** Utilisation since {@code earlier}, in percent. */
    double percentSince(CpuUtilization earlier) {
        long busy = user - earlier.user;
        long all = busy + idle - earlier.idle;
        return all == 0 ? 0 : PERCENT * busy / all;
    }
}
