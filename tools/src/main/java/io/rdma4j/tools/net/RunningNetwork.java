// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.net;

import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.netlab.Machine;
import io.rdma4j.netlab.command.Console;
import io.rdma4j.netlab.command.Shell;
import io.rdma4j.netlab.network.Network;
import io.rdma4j.netlab.topology.Topology;
import io.rdma4j.netlab.topology.TopologyParser;
import io.rdma4j.tools.cli.Command;
import io.rdma4j.verbs.Host;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A network in this process, and the programs that run on it. */
final class RunningNetwork extends RunningHosts {
    private final Network network;
    private final Topology topology;
    private final ControlServer control;
    private final Map<Machine, Console> consoles = new ConcurrentHashMap<>();

    private RunningNetwork(Network network, Topology topology, ToolFinder tools) throws IOException {
        super(tools);
        this.network = network;
        this.topology = topology;
        this.control =
                ControlServer.open((task, out, err) -> Shell.run(network.machine(task.host()), task.words(), out, err));
    }

    /**
     * Builds the network of a file, and runs the commands in it.
     *
     * @param file name of the file
     * @param text content of the file
     * @param err error output of the commands
     * @throws RdmaException EINVAL if the file is invalid, or a command in it fails
     */
    static RunningNetwork start(String file, String text, long seed, ToolFinder tools, PrintWriter err)
            throws IOException {
        Topology topology = TopologyParser.parse(file, text);
        Network network = Network.build(topology, NanoClock.SYSTEM, ProgressMode.AUTOMATIC, seed);
        try {
            Shell.runAll(network, file, topology, err, err);
            return new RunningNetwork(network, topology, tools);
        } catch (RuntimeException | IOException e) {
            network.close();
            throw e;
        }
    }

    @Override
    String firstHost() {
        return topology.machines().stream()
                .filter(machine -> machine.kind() == Topology.Kind.HOST)
                .map(Topology.Machine::name)
                .findFirst()
                .orElse("");
    }

    @Override
    boolean isHost(String word) {
        return network.find(word) != null;
    }

    @Override
    @Nullable
    Host rdma(String host) {
        Machine machine = network.find(host);
        return machine == null ? null : machine.rdma();
    }

    @Override
    String title() {
        return "network " + ProcessHandle.current().pid() + ": " + network.machines();
    }

    @Override
    boolean isEnd(String line) {
        Machine first = network.find(firstHost());
        return line.strip().equals("exit") && (first == null || !console(first).isNested());
    }

    private Console console(Machine machine) {
        return consoles.computeIfAbsent(machine, Console::new);
    }

    @Override
    int run(HostTask program, PrintWriter out) {
        return run(program, out, Shell::run);
    }

    @Override
    int runLine(HostTask program, PrintWriter out) {
        return run(program, out, (machine, words, to, err) -> console(machine).run(words, to, err));
    }

    /** Runs a command of a machine. */
    private interface MachineCommands {
        int run(Machine machine, List<String> words, PrintWriter out, PrintWriter err);
    }

    /** A command of the machine has priority over the tool of the same name, which uses the real host. */
    private int run(HostTask program, PrintWriter out, MachineCommands commands) {
        Machine machine = network.machine(program.host());
        String name = program.words().getFirst();
        Command tool = Shell.has(name) ? null : tools().find(name, machine.rdma());
        return tool == null ? commands.run(machine, program.words(), out, out) : runTool(tool, program, out);
    }

    @Override
    public void close() throws IOException {
        control.close();
        network.close();
    }
}
