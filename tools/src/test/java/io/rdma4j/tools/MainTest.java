// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final Main main = new Main(new PrintWriter(out, true), new PrintWriter(err, true));

    @Test
    void helpListsEveryToolOnStandardOutput() {
        assertThat(main.run("help")).isZero();
        assertThat(ToolTable.TABLE)
                .allSatisfy(tool -> assertThat(out.toString()).contains(tool.name(), tool.summary()));
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void noArgumentsIsWrongUsage() {
        assertThat(main.run()).isEqualTo(2);
        assertThat(main.run("--trace")).isEqualTo(2);
        assertThat(err.toString()).contains("usage:");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void anUnknownToolIsWrongUsageAndIsNamed() {
        assertThat(main.run("ibv_frobnicate")).isEqualTo(2);
        assertThat(err.toString()).contains("ibv_frobnicate").contains("./rdma4j help");
    }

    @Test
    void anUnknownOptionOfAToolIsWrongUsage() {
        assertThat(main.run("decode", "--frobnicate")).isEqualTo(2);
        assertThat(err.toString()).startsWith("decode: there is no option --frobnicate");
        assertThat(main.run("decode")).isEqualTo(2);
        assertThat(err.toString()).contains("decode: FILE is missing");
    }

    @Test
    void anUnknownNameIsAnsweredWithTheNearestOne() {
        assertThat(main.run("ibv_rcpingpong")).isEqualTo(2);
        assertThat(main.run("help", "ib_wirte_bw")).isEqualTo(2);
        assertThat(main.run("ibv_rc_pingpong", "--evnets")).isEqualTo(1);
        assertThat(err.toString().lines())
                .contains(
                        "rdma4j: there is no tool 'ibv_rcpingpong'; did you mean ibv_rc_pingpong? './rdma4j help'"
                                + " lists them",
                        "rdma4j: there is no tool 'ib_wirte_bw'; did you mean ib_write_bw? './rdma4j help' lists them",
                        "ibv_rc_pingpong: there is no option --evnets; did you mean --events?");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bench", "example", "test"})
    void whatTheLauncherRunsHasHelpToo(String word) {
        assertThat(main.run("help", word)).isZero();
        assertThat(out.toString()).startsWith("Usage: " + word);
        assertThat(main.run(word)).isEqualTo(2);
        assertThat(err.toString()).contains("./rdma4j " + word);
    }

    @Test
    void theHelpOfNetEndsWithItsCommands() {
        // Like standard output: buffered, and flushed by println() only.
        StringWriter target = new StringWriter();
        Main buffered = new Main(new PrintWriter(new BufferedWriter(target), true), new PrintWriter(err, true));
        assertThat(buffered.run("help", "net")).isZero();
        assertThat(target.toString()).contains("Commands:\n").contains("ip ").contains("tcpdump");
    }

    @Test
    void everyToolHasHelp() {
        assertThat(ToolTable.TABLE).allSatisfy(tool -> {
            assertThat(main.run("help", tool.name())).isZero();
            assertThat(out.toString()).contains("Usage: " + tool.name());
        });
    }

    @Test
    void theVersionIsPrinted() {
        assertThat(main.run("--version")).isZero();
        assertThat(out.toString()).startsWith("rdma4j ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"training-quick", "training-working"})
    void trainingRunsToolsThatExist(String resource) throws IOException {
        assertThat(TrainingRun.commands(resource)).isNotEmpty().allSatisfy(command -> {
            String first = command.getFirst();
            assertThat(first.equals("help")
                            || first.startsWith("-")
                            || ToolTable.TABLE.stream()
                                    .anyMatch(tool -> tool.name().equals(first)))
                    .isTrue();
        });
    }

    @Test
    void wrongUsageOfAPingPongEndsWithOneAsTheOriginal() {
        assertThat(main.run("ibv_rc_pingpong", "-O")).isEqualTo(1);
        assertThat(main.run("ibv_rc_pingpong", "--frob")).isEqualTo(1);
        assertThat(main.run("ibv_rc_pingpong", "one", "two")).isEqualTo(1);
        assertThat(err.toString().lines())
                .contains(
                        "ibv_rc_pingpong: there is no option --frob",
                        "ibv_rc_pingpong: 'two' is one argument too many",
                        "'./rdma4j help ibv_rc_pingpong' shows the options");
    }
}
