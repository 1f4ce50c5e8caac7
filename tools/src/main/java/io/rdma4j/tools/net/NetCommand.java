// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.net;

import io.rdma4j.netlab.command.Shell;
import io.rdma4j.tools.cli.Command;
import io.rdma4j.tools.cli.UsageException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** {@code net}: runs a network in this process, see {@link #usage}. */
public final class NetCommand implements Command {
    private static final String SEPARATOR = "--";
    private static final String PID = "-p";
    private static final String SEED = "--seed";

    private final ToolFinder tools;

    /** @param tools tools that may run as programs */
    public NetCommand(ToolFinder tools) {
        this.tools = tools;
    }

    @Override
    public void usage(PrintWriter out) {
        out.println("""
            Usage: net run [--seed N] TOPOLOGY [-- [HOST:] PROGRAM [ARGUMENT...]]...
                   net [-p PID] HOST: COMMAND [ARGUMENT...]

            The first form builds the hosts, switches and links of a topology file inside this process, and runs
            programs on its hosts, each when the one before has printed something or has ended. A PROGRAM is one of
            the tools that './rdma4j help' lists, or a command; the name of a host among the arguments of a tool
            stands for the way to it. Without HOST it is the first one. Without programs, lines 'HOST: PROGRAM ...'
            are read until the end of the input.

            The second form runs a command on a host of such a network in another process.

            Options:
              --seed N   of all that chance does on bad links (default: 1)
              -p PID     the process, if there are several

            Commands:\
            """);
        out.print(Shell.usage().indent(2));
    }

    @Override
    public int run(String[] arguments, PrintWriter out, PrintWriter err) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(Arrays.asList(arguments));
        if (words.isEmpty()) {
            throw new UsageException("'run TOPOLOGY', or a host and a command, is missing");
        }
        if (words.getFirst().equals("-h") || words.getFirst().equals("--help")) {
            usage(out);
            return 0;
        }
        if (words.getFirst().equals("run")) {
            return runNetwork(words.subList(1, words.size()), out, err);
        }
        String pid = takeOption(words, PID, "");
        return ControlClient.run(pid, HostTask.parse(words, ""), out, err);
    }

    private int runNetwork(List<String> words, PrintWriter out, PrintWriter err)
            throws IOException, InterruptedException {
        List<List<String>> parts = split(words);
        List<String> own = parts.removeFirst();
        long seed = number(takeOption(own, SEED, "1"));
        if (own.size() != 1) {
            throw new UsageException("'net run' wants one topology file before '--'");
        }
        try (RunningNetwork network = RunningNetwork.start(own.getFirst(), seed, tools, err)) {
            List<HostTask> programs = new ArrayList<>();
            for (List<String> part : parts) {
                programs.add(HostTask.parse(part, network.firstHost()));
            }
            return programs.isEmpty()
                    ? network.runLines(
                            new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset())), out)
                    : network.run(programs, out);
        }
    }

    /** Splits the words at the separators. The first separator may be missing. */
    private static List<List<String>> split(List<String> words) {
        List<List<String>> parts = new ArrayList<>();
        parts.add(new ArrayList<>());
        for (String word : words) {
            if (word.equals(SEPARATOR)) {
                parts.add(new ArrayList<>());
            } else {
                parts.getLast().add(word);
            }
        }
        return parts;
    }

    private static String takeOption(List<String> words, String option, String otherwise) {
        int at = words.indexOf(option);
        if (at < 0) {
            return otherwise;
        }
        if (at == words.size() - 1) {
            throw new UsageException("'" + option + "' wants a value");
        }
        String value = words.get(at + 1);
        words.subList(at, at + 2).clear();
        return value;
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new UsageException("seed '" + text + "' is no number");
        }
    }
}
