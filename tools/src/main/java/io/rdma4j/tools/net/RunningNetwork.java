// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.net;

import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.netlab.Machine;
import io.rdma4j.netlab.command.Console;
import io.rdma4j.netlab.command.Shell;
import io.rdma4j.netlab.network.Network;
import io.rdma4j.netlab.topology.ConfigWords;
import io.rdma4j.netlab.topology.Topology;
import io.rdma4j.netlab.topology.TopologyParser;
import io.rdma4j.tools.cli.Command;
import io.rdma4j.tools.cli.UsageException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A network in this process, and the programs that run on it. */
final class RunningNetwork implements AutoCloseable {
    /** Tools exchange addresses by TCP of the operating system, where all hosts have this address. */
    private static final String WAY_TO_A_HOST = "127.0.0.1";

    private static final int FAILED = 1;

    private final Network network;
    private final Topology topology;
    private final ToolFinder tools;
    private final ControlServer control;
    private final Map<Machine, Console> consoles = new ConcurrentHashMap<>();

    private RunningNetwork(Network network, Topology topology, ToolFinder tools) throws IOException {
        this.network = network;
        this.topology = topology;
        this.tools = tools;
        this.control = ControlServer.open(network);
    }

    /**
     * Builds the network of a file, and runs the commands in it.
     *
     * @param err error output of the commands
     * @throws RdmaException EINVAL if the file is invalid, or a command in it fails
     */
    static RunningNetwork start(String file, long seed, ToolFinder tools, PrintWriter err) throws IOException {
        Topology topology = TopologyParser.parse(file, read(file));
        Network network = Network.build(topology, NanoClock.SYSTEM, ProgressMode.AUTOMATIC, seed);
        try {
            Shell.runAll(network, file, topology, err, err);
            return new RunningNetwork(network, topology, tools);
        } catch (RuntimeException | IOException e) {
            network.close();
            throw e;
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

    /** Name of the first host in the file. */
    String firstHost() {
        return topology.machines().stream()
                .filter(machine -> machine.kind() == Topology.Kind.HOST)
                .map(Topology.Machine::name)
                .findFirst()
                .orElse("");
    }

    /**
     * Runs programs in parallel until all have ended. Each starts when the one before has printed a line or has ended.
     *
     * @return the first exit code, in their order, that is not 0; else 0
     */
    int run(List<HostTask> programs, PrintWriter out) throws InterruptedException {
        List<HostTaskRun> runs = new ArrayList<>();
        for (HostTask program : programs) {
            HostTaskRun next = new HostTaskRun(program.host(), out, to -> run(program, to, Shell::run));
            next.start();
            next.awaitSign();
            runs.add(next);
        }
        int exit = 0;
        for (HostTaskRun run : runs) {
            int code = run.awaitEnd();
            exit = exit == 0 ? code : exit;
        }
        return exit;
    }

    /**
     * Runs one program per line, one after the other, until the end of the input or {@code exit}. In a shell that
     * {@code bash} has opened, {@code exit} ends that shell only.
     */
    int runLines(BufferedReader in, PrintWriter out) throws IOException {
        out.println("network " + ProcessHandle.current().pid() + ": " + network.machines());
        int exit = 0;
        for (String line = in.readLine(); line != null && !isEnd(line); line = in.readLine()) {
            List<String> words = ConfigWords.split(line);
            if (!words.isEmpty()) {
                HostTask program = HostTask.parse(words, firstHost());
                exit = runLine(program, out);
            }
        }
        return exit;
    }

    private boolean isEnd(String line) {
        Machine first = network.find(firstHost());
        return line.strip().equals("exit") && (first == null || !console(first).isNested());
    }

    private Console console(Machine machine) {
        return consoles.computeIfAbsent(machine, Console::new);
    }

    private int runLine(HostTask program, PrintWriter out) {
        return run(program, out, (machine, words, to, err) -> console(machine).run(words, to, err));
    }

    /** Runs a command of a machine. */
    private interface CommandRunner {
        int run(Machine machine, List<String> words, PrintWriter out, PrintWriter err);
    }

    private int run(HostTask program, PrintWriter out, CommandRunner commands) {
        Machine machine = network.machine(program.host());
        String name = program.words().getFirst();
        // A command of the machine has priority over the tool of the same name, which uses the real host.
        Command tool = Shell.has(name) ? null : tools.find(name, machine.rdma());
        if (tool == null) {
            return commands.run(machine, program.words(), out, out);
        }
        String[] arguments = program.words().stream()
                .skip(1)
                .map(word -> network.find(word) == null ? word : WAY_TO_A_HOST)
                .toArray(String[]::new);
        try {
            return tool.run(arguments, out, out);
        } catch (UsageException e) {
            out.println(name + ": " + e.getMessage());
            return e.exitCode();
        } catch (RdmaException | IOException e) {
            out.println(name + ": " + e.getMessage());
            return FAILED;
        } catch (Exception e) {
            e.printStackTrace(out);
            return FAILED;
        }
    }

    @Override
    public void close() throws IOException {
        control.close();
        network.close();
    }
}
