// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.count.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.rdma4j.bench.count.InstructionCounts;
import io.rdma4j.bench.process.OwnJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TracedThreadTest {
    /** A JVM that says that it runs, and waits. */
    static final class Sleeper {
        private Sleeper() {}

        static void main() throws InterruptedException {
            System.out.println();
            Thread.currentThread().join();
        }
    }

    @Test
    void aProcessThatIsKilledWhileItsThreadsAreStoppedEnds() throws IOException, InterruptedException {
        String missing = InstructionCounts.missing();
        if (missing != null) {
            abort(missing);
        }
        List<String> command = OwnJvm.command();
        command.add(Sleeper.class.getName());
        Process process = new ProcessBuilder(command).start();
        List<TracedThread> stopped = new ArrayList<>();
        try {
            assertThat(process.getInputStream().read()).isEqualTo('\n');
            for (int tid : threads(process.pid())) {
                stopped.add(TracedThread.stop(tid));
            }
        } catch (TracingRefusedException refused) {
            abort("the system does not permit to trace a child process: " + refused.getMessage());
        } finally {
            process.destroyForcibly();
            stopped.forEach(TracedThread::close);
        }
        assertThat(stopped).hasSizeGreaterThan(1);
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }

    /** Without the first one, and two are enough. */
    private static List<Integer> threads(long pid) throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
            return threads.map(path -> Integer.parseInt(String.valueOf(path.getFileName())))
                    .filter(tid -> tid != pid)
                    .limit(2)
                    .toList();
        }
    }
}
