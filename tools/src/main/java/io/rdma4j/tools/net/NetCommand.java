// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.net;

import io.rdma4j.ib.topology.FabricTopologyParser;
import io.rdma4j.netlab.command.Shell;
import io.rdma4j.tools.cli.Command;
import io.rdma4j.tools.cli.UsageException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** {@code net}: runs a network in this process, see {@link #usage}. */
public final class NetCommand implements Command {
    private static final String SEPARATOR = "--";
    private static final String PID = "-p";
    private static final String SEED = "--seed";
    private static final String SM = "--sm";
    private static final String UMAD2SIM = "--umad2sim";
    private static final String IPOIB = "--ipoib";
    private static final String KEYS = "--keys";

    private final ToolFinder tools;

    /** @param tools tools that may run as programs */
    public NetCommand(ToolFinder tools) {
        this.tools = tools;
    }

    @Override
    public void usage(PrintWriter out) {
        out.println("""
            Usage: net run [--seed N] TOPOLOGY [-- [HOST:] PROGRAM [ARGUMENT...]]...
                   net run [--sm HOST|none] [-R ENGINE] [-p N] [-P FILE] [--umad2sim PORT]
                       [--ipoib NETWORK|none] [--keys DIRECTORY] SUBNET [-- [HOST:] PROGRAM [ARGUMENT...]]...
                   net [-p PID] HOST: COMMAND [ARGUMENT...]

            The first form builds the hosts, switches and links of a topology file inside this process, and runs
            programs on its hosts, each when the one before has printed something, listens for connections (rdma_cm)
            or has ended. A PROGRAM is one of the tools that './rdma4j help' lists, or a command; the name of a host
            among the arguments of a tool stands for the way to it. Without HOST it is the first one. Without programs,
            lines 'HOST: PROGRAM ...' are read until the end of the input.

            The second form does the same with an InfiniBand subnet: nodes and cables in the syntax of ibsim, which is
            that of the output of ibnetdiscover. Its devices have the names of the nodes, and other processes of this
            user find them. A subnet manager runs at the first host. Programs start when all ports are active. Each host
            has a network device ib0 with the address 10.0.0.N, where N is its number in the file; the name of a host
            among the arguments of a command such as ping, or of a tool of rdma_cm such as rping, stands for that
            address.

            The last form runs a command on a host of such a network in another process.

            Options:
              --seed N         of all that chance does on bad links (default: 1)
              --sm HOST        the host with the subnet manager; none: a program such as opensm manages the subnet\
            """);
        out.println(ManagerSettings.USAGE);
        out.println("""
              --keys DIRECTORY  the devices keep M_Key and P_Keys in files of this directory
              --umad2sim PORT  serve programs with the preload library of ibsim at this port of 127.0.0.1
              --ipoib NETWORK  give the hosts addresses of this network instead of 10.0.0.0/24; none: no ib0
              -p PID           the process, if there are several (last form)

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
        String pid = WordOptions.take(words, PID, "");
        return ControlClient.run(pid, HostTask.parse(words, ""), out, err);
    }

    private int runNetwork(List<String> words, PrintWriter out, PrintWriter err)
            throws IOException, InterruptedException {
        List<List<String>> parts = split(words);
        List<String> own = parts.removeFirst();
        long seed = number(WordOptions.take(own, SEED, "1"));
        ManagerSettings manager = ManagerSettings.take(
                WordOptions.take(own, SM, ""), (option, otherwise) -> WordOptions.take(own, option, otherwise));
        FabricSettings settings = new FabricSettings(
                manager,
                WordOptions.take(own, UMAD2SIM, ""),
                WordOptions.take(own, IPOIB, ""),
                WordOptions.take(own, KEYS, ""));
        if (own.size() != 1) {
            throw new UsageException("'net run' wants one topology file before '--'");
        }
        String file = own.getFirst();
        String text = read(file);
        boolean isSubnet = FabricTopologyParser.recognizes(text);
        if (!isSubnet && !settings.isEmpty()) {
            throw new UsageException("'" + SM + "', '" + UMAD2SIM + "', '" + IPOIB + "', '" + KEYS
                    + "' and the options of the subnet manager are for InfiniBand subnets, and '" + file
                    + "' has no line such as 'Switch 8 \"leaf1\"'");
        }
        try (RunningHosts network = isSubnet
                ? RunningFabric.start(FabricTopologyParser.parse(file, text), settings, tools, out)
                : RunningNetwork.start(file, text, seed, tools, err)) {
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

    private static String read(String file) throws IOException {
        try {
            return Files.readString(Path.of(file));
        } catch (NoSuchFileException e) {
            throw new UsageException("there is no file '" + file
                    + "'; a topology file describes hosts and links, as docs/examples/two-hosts.topo does");
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

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new UsageException("seed '" + text + "' is no number");
        }
    }
}
