package io.rdma4j.net.linux;

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

    /** Runs a program with words that have no spaces, and gives what it printed; fails if it fails. */
    static String run(String command) {
        Result result = attempt(command);
        if (result.exit != 0) {
            throw new AssertionError(command + ": exit " + result.exit + ": " + result.output);
        }
        return result.output;
    }

    /** What a program printed and how it ended; 127 if there is none. */
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
