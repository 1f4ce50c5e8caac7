// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.count;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A program: runs the work of a {@link Subject} until the JVM has compiled it, and then until another process has
 * counted its operations. The JVM compiles in the foreground ({@code -Xbatch}), so that the number of repetitions
 * decides what is compiled, and not the load of the machine.
 */
final class CountedProgram {
    /** A method that each message calls is compiled after a fourth of this. */
    private static final int REPETITIONS = 10_000;

    private CountedProgram() {}

    /** {@code FILE SUBJECT}; the file is that of the {@link OperationMarks}. */
    public static void main(String[] words) throws IOException {
        try (OperationMarks marks = new OperationMarks(Path.of(words[0]))) {
            try (Work work = Subject.valueOf(words[1]).open()) {
                run(work, marks);
            }
        }
    }

    private static void run(Work work, OperationMarks marks) throws IOException {
        for (int i = 0; i < REPETITIONS; i++) {
            work.once(marks);
        }
        marks.ready(ownTid());
        while (marks.ready() != 0) {
            work.once(marks);
        }
    }

    /** The link's target is {@code PROCESS/task/THREAD}. */
    private static int ownTid() throws IOException {
        Path thread = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName();
        return Integer.parseInt(String.valueOf(thread));
    }
}
