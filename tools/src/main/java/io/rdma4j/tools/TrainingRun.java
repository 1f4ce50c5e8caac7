package io.rdma4j.tools;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * Runs the command lines of the resource {@code training-commands} in one process, so that the JVM can record which
 * classes the tools need and store them in a cache for a fast start.
 *
 * <p>Called by the launcher after a build. Output is thrown away and exit codes don't matter: a tool that finds nothing
 * to report starts up just the same.
 */
public final class TrainingRun {
    private static final String COMMANDS = "training-commands";

    private TrainingRun() {}

    /** Entry point of the process. */
    public static void main(String[] arguments) throws IOException {
        PrintWriter nowhere = new PrintWriter(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
        Main main = new Main(nowhere, nowhere);
        for (List<String> command : commands()) {
            main.run(command.toArray(String[]::new));
        }
    }

    /** The command lines, cut into words; words are separated by one space, no quoting. */
    static List<List<String>> commands() throws IOException {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(TrainingRun.class.getResourceAsStream(COMMANDS), COMMANDS),
                StandardCharsets.UTF_8))) {
            return reader.lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(line -> List.of(line.split(" ", -1)))
                    .toList();
        }
    }
}
