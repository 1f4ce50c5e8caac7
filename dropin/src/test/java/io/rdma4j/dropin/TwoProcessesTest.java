// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Two programs in C, each with a JVM of its own, over sockets. */
class TwoProcessesTest {
    private record Talk(Process process, BufferedReader from, Writer to) {
        static Talk with(String program, String... arguments) throws Exception {
            Process process = CPrograms.start(program, arguments);
            return new Talk(process, process.inputReader(), process.outputWriter());
        }

        void say(String line) throws IOException {
            to.append(line).append('\n').flush();
        }

        /** Reads lines up to one that begins with {@code start}. */
        String hear(String start) throws IOException {
            List<String> all = new ArrayList<>();
            for (String line = from.readLine(); line != null; line = from.readLine()) {
                all.add(line);
                if (line.startsWith(start)) {
                    return line.substring(start.length());
                }
            }
            throw new AssertionError("the program ended: " + all);
        }
    }

    /** Connects both programs, starts the second one first, and waits until both have done their work. */
    private static void play(Talk first, Talk second) throws Exception {
        List<Talk> both = List.of(first, second);
        try {
            first.say(second.hear("address "));
            second.say(first.hear("address "));
            for (Talk talk : both) {
                talk.hear("ready");
            }
            second.say("go");
            first.say("go");
            for (Talk talk : both) {
                talk.hear("done");
            }
            for (Talk talk : both) {
                talk.say("end");
                assertThat(talk.process.waitFor(60, TimeUnit.SECONDS)).isTrue();
                assertThat(talk.process.exitValue())
                        .as(talk.from.lines().toList().toString())
                        .isZero();
            }
        } finally {
            first.process.destroyForcibly();
            second.process.destroyForcibly();
        }
    }

    @Test
    @Covers("DROPIN-5")
    void aPingPongOfTwoProcessesArrivesWholeIfOnePollsAndOneSleeps() throws Exception {
        play(Talk.with("pingpong", "first", "poll"), Talk.with("pingpong", "second", "events"));
    }

    /** The loop thread of the target takes the packets, and acknowledges them: the writer waits for that. */
    @Test
    @Covers("DROPIN-51")
    void writesReachAProgramThatReadsOnlyItsMemory() throws Exception {
        play(Talk.with("spin", "writer"), Talk.with("spin", "target"));
    }
}
