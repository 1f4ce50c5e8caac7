// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import io.rdma4j.bench.process.OwnJvm;
import io.rdma4j.bench.scale.HeapPerQp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** Command lines of this project's tools and of other programs. Latencies are round trips. */
final class RivalCalls {
    /** A latency test prints half of a round trip. */
    private static final double ROUND_TRIP = 2;

    /** A megabyte in UCX has 2^20 bytes. */
    private static final double MEBIBYTE_GIGABITS = 8 * 1048576e-9;

    private static final double MEBIBYTE_GIGABYTES = 1048576e-9;

    private final List<String> tools;
    private final Installed installed;
    private final JavaRivals javaPeers;

    /** @param tools the command line that starts the tools, without the name of a tool */
    RivalCalls(List<String> tools, Installed installed, JavaRivals javaPeers) {
        this.tools = tools;
        this.installed = installed;
        this.javaPeers = javaPeers;
    }

    /** Two of this project's tools, as a user starts them, over a device on a loopback address. */
    Contender tool(boolean shared, Reading reading, String tool, List<String> options) {
        List<String> server = new ArrayList<>(tools);
        server.addAll(List.of(tool, "-d", "rxe_lo", "-p", Contender.PORT));
        server.addAll(options);
        List<String> client = new ArrayList<>(server);
        client.add("localhost");
        return Contender.pair("rdma4j", reading, server, client).with(Map.of("RDMA4J_SHM", shared ? "on" : "off"));
    }

    /** Converts the latency that the tools print to a round trip. */
    static Reading toolLatency() {
        return Reading.jsonTimes(ROUND_TRIP);
    }

    /** A program of {@link InProcess}. */
    static Contender inside(String name, String what, int bytes, long count) {
        List<String> words = OwnJvm.command();
        words.addAll(List.of(InProcess.class.getName(), what, Integer.toString(bytes), Long.toString(count)));
        return Contender.alone(name, Reading.times(), words);
    }

    /**
     * Simulation of hosts at one switch, each with messages to the next one. The first of its two runs is not measured.
     */
    Contender simulation(int hosts, long messages) throws IOException {
        List<String> words = new ArrayList<>(tools);
        words.addAll(List.of(
                "sim", "--json", "--prompt", "--size", "0-1024", "-n", "2", "-m", "" + messages, "-t", star(hosts)));
        return Contender.alone("rdma4j", Reading.json("packets_per_cpu_second", 1), words);
    }

    /** Writes a topology file, which is deleted at the end of the process; returns its name. */
    private static String star(int hosts) throws IOException {
        Path file = Files.createTempFile("rdma4j-star", ".topo");
        file.toFile().deleteOnExit();
        StringBuilder text = new StringBuilder("switch s\n");
        for (int i = 1; i <= hosts; i++) {
            text.append(String.format(Locale.ROOT, """
                    host h%1$d
                    link h%1$d/eth0 s mtu 4200 delay 5us rate 10gbit
                    h%1$d: ip addr add 10.0.%2$d.%3$d/16 dev eth0
                    h%1$d: rdma link add rxe0 type rxe netdev eth0
                    """, i, i >> Byte.SIZE, i & 0xFF));
        }
        return Files.writeString(file, text).toString();
    }

    /** The program {@link HeapPerQp}. */
    static Contender heap() {
        List<String> words = OwnJvm.command();
        words.add(HeapPerQp.class.getName());
        return Contender.alone("rdma4j", Reading.field("used_bytes", 1), words);
    }

    /** Plain sockets of the JDK: {@code tcp} or {@code udp}, with busy polling. */
    static Contender sockets(String carrier, int bytes, long count) {
        return javaPair(
                "Java " + carrier.toUpperCase(Locale.ROOT),
                OwnJvm.command(),
                SocketPeer.class.getName(),
                carrier,
                bytes,
                count);
    }

    /** Aeron over {@code udp} or {@code ipc}. */
    Contender aeron(String carrier, String what, Reading reading, int bytes, long count) {
        Contender pair =
                javaPair("Aeron " + carrier, javaPeers.java(), "AeronPeer", carrier + "-" + what, bytes, count);
        return new Contender(pair.name(), pair.server(), pair.client(), Map.of(), reading, javaPeers.missing());
    }

    Contender netty(int bytes, long count) {
        return javaPair("Netty TCP", javaPeers.java(), "NettyPeer", "tcp", bytes, count)
                .unless(javaPeers.missing());
    }

    private static Contender javaPair(
            String name, List<String> java, String program, String mode, int bytes, long count) {
        List<String> server = new ArrayList<>(java);
        server.addAll(List.of(program, "server", mode, Contender.PORT, Integer.toString(bytes), Long.toString(count)));
        List<String> client = new ArrayList<>(java);
        client.addAll(List.of(program, "client", mode, Contender.PORT, Integer.toString(bytes), Long.toString(count)));
        return Contender.pair(name, Reading.times(), server, client);
    }

    /** UCX: a test of {@code ucx_perftest} over {@code tcp} or {@code posix}, shared memory. */
    Contender ucx(String carrier, String test, Reading reading, int bytes, long count) {
        List<String> server = List.of("ucx_perftest", "-p", Contender.PORT);
        List<String> client = Stream.concat(
                        server.stream(),
                        Stream.of("-t", test, "-s", "" + bytes, "-n", "" + count, "-w", "" + count / 10, "127.0.0.1"))
                .toList();
        return Contender.pair("UCX " + carrier + " " + test.replaceAll("^ucp_|_(lat|bw)$", ""), reading, server, client)
                .with(Map.of("UCX_TLS", carrier + ",self", "UCX_NET_DEVICES", carrier.equals("tcp") ? "lo" : "all"))
                .unless(installed.missing("ucx_perftest"));
    }

    /** UCX prints half of the median round trip. */
    static Reading ucxLatency() {
        return Reading.of("Final:\\s+[0-9]+\\s+([0-9.]+)", ROUND_TRIP);
    }

    static Reading ucxGigabits() {
        return Reading.of("Final:(?:\\s+[0-9.]+){5}\\s+([0-9.]+)", MEBIBYTE_GIGABITS);
    }

    static Reading ucxGigabytes() {
        return Reading.of("Final:(?:\\s+[0-9.]+){5}\\s+([0-9.]+)", MEBIBYTE_GIGABYTES);
    }

    static Reading ucxMillions() {
        return Reading.of("Final:(?:\\s+[0-9.]+){7}\\s+([0-9.]+)", 1e-6);
    }

    /** libfabric: {@code fi_pingpong} over a provider. */
    Contender libfabric(String provider, String endpoint, int bytes, long count) {
        List<String> options = List.of("-p", provider, "-e", endpoint, "-S", "" + bytes, "-I", "" + count);
        List<String> server = Stream.concat(Stream.of("fi_pingpong", "-B", Contender.PORT), options.stream())
                .toList();
        List<String> client = Stream.of(
                        Stream.of("fi_pingpong", "-P", Contender.PORT), options.stream(), Stream.of("127.0.0.1"))
                .flatMap(words -> words)
                .toList();
        return Contender.pair(
                        "libfabric " + provider + " " + endpoint,
                        Reading.of("([0-9.]+)\\s+[0-9.]+\\s*$", ROUND_TRIP),
                        server,
                        client)
                .unless(installed.missing("fi_pingpong"));
    }

    /** TCP by {@code iperf3}, one stream. */
    Contender iperf(Effort effort) {
        List<String> server = List.of("iperf3", "-s", "-1", "-p", Contender.PORT);
        List<String> client =
                List.of("iperf3", "-c", "127.0.0.1", "-p", Contender.PORT, "-t", "" + effort.count(4, 1), "-f", "g");
        return Contender.pair("iperf3 TCP", Reading.of("([0-9.]+) Gbits/sec", 1), server, client)
                .unless(installed.missing("iperf3"));
    }
}
