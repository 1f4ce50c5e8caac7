// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.subnet;

import io.rdma4j.interop.lab.LabException;
import java.io.IOException;
import java.net.DatagramSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/** A fat tree that {@code net run} or ibsim runs in a process, and programs that are attached to its nodes. */
final class SubnetLab implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Pattern PORT = Pattern.compile("IBSIM_SERVER_PORT=(\\d+)");
    private static final Pattern ACTIVE = Pattern.compile("subnet \\d+: hosts");
    private static final Pattern READY = Pattern.compile("Network simulator ready");
    private static final Pattern UP = Pattern.compile("the subnet is up");
    private static final long PAUSE_NS = Duration.ofMillis(10).toNanos();

    /** Two leaves, two spines and four hosts: that of docs/examples/fat-tree.topo. */
    private static final String TOPOLOGY = """
            Switch 8 "Leaf1"
            [1] "Hca1"[1]
            [2] "Hca2"[1]
            [5] "Spine1"[1]
            [6] "Spine2"[1]

            Switch 8 "Leaf2"
            [1] "Hca3"[1]
            [2] "Hca4"[1]
            [5] "Spine1"[2]
            [6] "Spine2"[2]

            Switch 8 "Spine1"
            [1] "Leaf1"[5]
            [2] "Leaf2"[5]

            Switch 8 "Spine2"
            [1] "Leaf1"[6]
            [2] "Leaf2"[6]

            Hca 1 "Hca1"
            [1] "Leaf1"[1]

            Hca 1 "Hca2"
            [1] "Leaf1"[2]

            Hca 1 "Hca3"
            [1] "Leaf2"[1]

            Hca 1 "Hca4"
            [1] "Leaf2"[2]
            """;

    private final SubnetPrograms programs;
    private final List<String> tools;
    private final Path directory;
    private final RunningProgram subnet;
    private final int port;
    private final List<RunningProgram> servers = new ArrayList<>();

    private SubnetLab(SubnetPrograms programs, List<String> tools, Path directory, RunningProgram subnet, int port) {
        this.programs = programs;
        this.tools = List.copyOf(tools);
        this.directory = directory;
        this.subnet = subnet;
        this.port = port;
    }

    /**
     * Starts the subnet in ibsim, without a manager.
     *
     * @param tools the command line that starts a tool of this project, without the name of the tool
     */
    static SubnetLab onIbsim(SubnetPrograms programs, List<String> tools, Path directory) throws IOException {
        Path topology = Files.writeString(directory.resolve("fat-tree.topo"), TOPOLOGY);
        int port = freePort();
        List<String> words =
                List.of(programs.simulator().toString(), "-r", "-s", "-l", Integer.toString(port), topology.toString());
        RunningProgram ibsim = new RunningProgram(words, programs.libraries(), directory);
        try {
            ibsim.await(READY, LIMIT);
            awaitSocket(port);
            return new SubnetLab(programs, tools, directory, ibsim, port);
        } catch (IOException | RuntimeException e) {
            ibsim.close();
            throw e;
        }
    }

    private static int freePort() throws IOException {
        try (DatagramSocket socket = new DatagramSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** Waits until a process has a UDP port; ibsim opens it after its last message. */
    private static void awaitSocket(int port) throws IOException {
        String address = String.format(Locale.ROOT, ":%04X ", port);
        long endNs = System.nanoTime() + LIMIT.toNanos();
        while (!Files.readString(Path.of("/proc/net/udp")).contains(address)) {
            if (System.nanoTime() - endNs > 0) {
                throw new LabException("ibsim does not open UDP port " + port);
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    /** Starts our subnet manager at a node of ibsim; returns it when all ports are active. */
    RunningProgram manage(String node) throws IOException {
        List<String> command = new ArrayList<>(tools);
        command.addAll(List.of("sm", "--ibsim", "127.0.0.1:" + port, "--node", node));
        RunningProgram manager = new RunningProgram(command, ownEnvironment(), directory);
        servers.add(manager);
        manager.await(UP, LIMIT);
        return manager;
    }

    /** Writes a line to the console of ibsim. */
    void tell(String line) throws IOException {
        subnet.type(line);
    }

    /**
     * Starts the subnet.
     *
     * @param tools the command line that starts a tool of this project, without the name of the tool
     * @param isManaged true for our subnet manager, false for none
     * @param hostPrograms further words of the command line
     */
    SubnetLab(SubnetPrograms programs, List<String> tools, Path directory, boolean isManaged, String... hostPrograms)
            throws IOException {
        this.programs = programs;
        this.tools = List.copyOf(tools);
        this.directory = directory;
        Path topology = Files.writeString(directory.resolve("fat-tree.topo"), TOPOLOGY);
        List<String> words = new ArrayList<>(tools);
        words.addAll(List.of("net", "run", "--umad2sim=0", "--ipoib=none", isManaged ? "--sm=Hca1" : "--sm=none"));
        words.add(topology.toString());
        words.addAll(List.of(hostPrograms));
        this.subnet = new RunningProgram(words, ownEnvironment(), directory);
        try {
            this.port = Integer.parseInt(subnet.await(PORT, LIMIT).group(1));
        } catch (IOException | RuntimeException e) {
            subnet.close();
            throw e;
        }
    }

    /** Waits until all ports are active; for a subnet without programs. */
    void awaitActive() throws IOException {
        subnet.await(ACTIVE, LIMIT);
    }

    /** Waits until the programs on the hosts have ended well; returns their output. */
    String awaitPrograms() throws IOException, InterruptedException {
        int exitCode = subnet.await(LIMIT);
        if (exitCode != 0) {
            throw new LabException("a program on the subnet ended with " + exitCode + ": " + subnet.text());
        }
        return subnet.text();
    }

    /** Runs a program at a node; returns its output. */
    String run(String node, String... words) throws IOException, InterruptedException {
        try (RunningProgram program = start(node, Map.of(), words)) {
            int exitCode = program.await(LIMIT);
            if (exitCode != 0) {
                throw new LabException(
                        "'" + String.join(" ", words) + "' ended with " + exitCode + ": " + program.text());
            }
            return program.text();
        }
    }

    private Map<String, String> ownEnvironment() {
        return Map.of("RDMA4J_RUN", directory.resolve("run").toString());
    }

    /** Runs a tool of this project on the device of a host; returns its output and exit code. */
    String runOurs(String host, String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(tools);
        command.addAll(List.of(words[0], "-C", host));
        command.addAll(List.of(words).subList(1, words.length));
        try (RunningProgram program = new RunningProgram(command, ownEnvironment(), directory)) {
            int exitCode = program.await(LIMIT);
            return program.text() + "exit code " + exitCode;
        }
    }

    /** Runs a program at a node; returns its output and exit code. */
    String runTheirs(String node, String... words) throws IOException, InterruptedException {
        try (RunningProgram program = start(node, Map.of(), words)) {
            int exitCode = program.await(LIMIT);
            return program.text() + "exit code " + exitCode;
        }
    }

    /** Starts a program that runs until the subnet ends. */
    RunningProgram serve(String node, Map<String, String> more, String... words) throws IOException {
        RunningProgram program = start(node, more, words);
        servers.add(program);
        return program;
    }

    private RunningProgram start(String node, Map<String, String> more, String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of(words));
        command.set(0, programs.program(words[0]).toString());
        Map<String, String> environment = new HashMap<>(programs.environment(port, node));
        environment.put("OSM_CACHE_DIR", directory.toString());
        environment.put("OSM_TMP_DIR", directory.toString());
        environment.putAll(more);
        return new RunningProgram(command, environment, directory);
    }

    @Override
    public void close() throws IOException {
        for (RunningProgram server : servers) {
            server.close();
        }
        subnet.close();
    }
}
