// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Runs programs in the network namespace of the calling thread. */
final class Shell {
    private Shell() {}

    /** Runs {@code ip(8)}. */
    static String ip(String arguments) {
        return run("ip " + arguments);
    }

    /** Runs a program with arguments without spaces, and returns its output; fails if the program fails. */
    static String run(String command) {
        Result result = attempt(command);
        if (result.exit != 0) {
            throw new AssertionError(command + ": exit " + result.exit + ": " + result.output);
        }
        return result.output;
    }

    /** Output and exit status of a program; status 127 if it does not exist. */
    record Result(int exit, String output) {}

    static Result attempt(String command) {
        List<String> words = Arrays.asList(command.split(" "));
        try {
            Process process =
                    new ProcessBuilder(words).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Result(process.waitFor(), output);
        } catch (IOException e) {
            return new Result(127, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new IOException("interrupted in " + command, e));
        }
    }
}
