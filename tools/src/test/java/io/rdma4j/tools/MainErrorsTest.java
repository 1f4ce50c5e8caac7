// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.tools.cli.Command;
import io.rdma4j.tools.cli.Tool;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Exit codes and messages of tools that fail. */
class MainErrorsTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void anRdmaExceptionIsOneLineWithoutStackTrace() {
        assertThat(run(new RdmaException(Errno.EINVAL, "cqe 0 is not positive")))
                .isEqualTo(1);
        assertThat(err.toString().lines()).containsExactly("failing: EINVAL: cqe 0 is not positive");
    }

    @Test
    void traceShowsTheStack() {
        assertThat(run(new RdmaException(Errno.EINVAL, "cqe 0 is not positive"), "--trace"))
                .isEqualTo(1);
        assertThat(err.toString()).contains("EINVAL: cqe 0 is not positive").contains("\tat ");
    }

    @Test
    void anInputOutputErrorIsOneLine() {
        assertThat(run(new IOException("no such file"))).isEqualTo(1);
        assertThat(err.toString().lines()).containsExactly("failing: no such file");
    }

    @Test
    void aMistakeOfOursShowsTheStack() {
        assertThat(run(new IllegalStateException("ring index"))).isEqualTo(1);
        assertThat(err.toString()).contains("IllegalStateException: ring index").contains("\tat ");
    }

    private int run(Exception thrown, String... options) {
        Tool failing = new Tool("failing", "fails", _ -> new Failing(thrown));
        Main main = new Main(List.of(failing), new PrintWriter(out, true), new PrintWriter(err, true));
        String[] arguments =
                Stream.concat(Arrays.stream(options), Stream.of("failing")).toArray(String[]::new);
        return main.run(arguments);
    }

    private record Failing(Exception thrown) implements Command {
        @Override
        public int run(String[] arguments, PrintWriter out, PrintWriter err) throws Exception {
            throw thrown;
        }

        @Override
        public void usage(PrintWriter out) {
            out.println("fails");
        }
    }
}
