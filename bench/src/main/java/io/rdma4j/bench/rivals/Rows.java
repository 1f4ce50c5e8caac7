// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** The table of targets: work, limit and other programs of each row. */
final class Rows {
    private static final int MEBIBYTE = 1 << 20;
    private static final int SMALL = 64;
    private static final int PAGE = 4096;

    /** Output of {@code ibv_rc_pingpong} with kernel Soft-RoCE, both ends on one host, for the same sizes. */
    private static final String KERNEL_RXE_US = "61.7";

    private final RivalCalls programs;
    private final LimitPrograms limits;
    private final Installed installed;
    private final Effort effort;

    Rows(RivalCalls programs, LimitPrograms limits, Installed installed, Effort effort) {
        this.programs = programs;
        this.limits = limits;
        this.installed = installed;
        this.effort = effort;
    }

    List<Row> all() throws IOException {
        return Stream.of(
                        inSharedMemory(),
                        List.of(insideOneJvm()),
                        overSockets(),
                        started(),
                        List.of(heap()),
                        simulations())
                .flatMap(List::stream)
                .toList();
    }

    private List<Row> overSockets() {
        return List.of(udpPingPong(SMALL, 1.2), udpPingPong(PAGE, 1.25), udpRate(), udpWrite(), udpEvents());
    }

    private List<Row> started() {
        return List.of(
                startedPingPong("started", "as a user starts it", "on", 25),
                startedPingPong("cold", "cold JVM, no warm-up", "off", 100),
                firstRoundTrips(true, Goal.absolute(3)),
                firstRoundTrips(false, Goal.ratio(2.5)));
    }

    private List<Row> inSharedMemory() {
        return List.of(
                shmPingPong(SMALL, 0.40, 1.15).withTail(3),
                shmPingPong(PAGE, 0.45, 1),
                shmWriteLatency(SMALL),
                shmWriteLatency(PAGE),
                shmBandwidth("WRITE", "ib_write_bw"),
                shmBandwidth("READ", "ib_read_bw"),
                shmRate());
    }

    private static List<String> size(int bytes, List<String> more) {
        return Stream.concat(Stream.of("--json", "-s", Integer.toString(bytes)), more.stream())
                .toList();
    }

    private Row udpPingPong(int bytes, double ratio) {
        Reading fromC = Reading.times();
        return new Row(
                "udp-pingpong-" + bytes,
                "RC ping-pong " + bytes + " B over UDP sockets, warm",
                Unit.MICROSECONDS,
                Goal.ratio(ratio),
                udpLimit(fromC, bytes),
                programs.tool(false, RivalCalls.toolLatency(), "ib_send_lat", size(bytes, effort.time(300))),
                List.of(
                        unawaited(false, bytes),
                        programs.aeron("udp", "pingpong", fromC, bytes, effort.count(200_000, 1000)),
                        programs.ucx("tcp", "tag_lat", RivalCalls.ucxLatency(), bytes, effort.count(100_000, 1000)),
                        programs.ucx("tcp", "ucp_am_lat", RivalCalls.ucxLatency(), bytes, effort.count(100_000, 1000)),
                        programs.libfabric("tcp", "msg", bytes, effort.count(100_000, 1000)),
                        programs.libfabric("udp", "dgram", bytes, effort.count(100_000, 1000)),
                        programs.netty(bytes, effort.count(150_000, 1000)),
                        RivalCalls.sockets("udp", bytes, effort.count(200_000, 1000)),
                        RivalCalls.sockets("tcp", bytes, effort.count(200_000, 1000))));
    }

    private Contender udpLimit(Reading reading, int bytes) {
        return limits.contender(
                "C UDP ping-pong, the better of two ways",
                reading,
                "udp_pingpong",
                "poll",
                bytes,
                effort.count(100_000, 500));
    }

    /**
     * This project's ping-pong with one signalled message of 100, which waits for the acknowledgement of that message
     * only. The other programs do not wait for acknowledgements.
     */
    private Contender unawaited(boolean shared, int bytes) {
        List<String> options = size(bytes, with(effort.time(300), "-t", "100"));
        return programs.tool(shared, RivalCalls.toolLatency(), "ib_send_lat", options)
                .named("rdma4j, ACKs not awaited");
    }

    private Row startedPingPong(String id, String how, String warmup, double goal) {
        return new Row(
                id,
                "ibv_rc_pingpong 4096 B × 1000, " + how,
                Unit.MICROSECONDS,
                Goal.absolute(goal),
                Contender.alone("kernel rxe, printed", Reading.field("us", 1), List.of("echo", "us=" + KERNEL_RXE_US)),
                pingPong(true, warmup, List.of()),
                List.of());
    }

    private Contender pingPong(boolean shared, String warmup, List<String> options) {
        return programs.tool(
                        shared,
                        Reading.of("= ([0-9.]+) usec/iter", 1),
                        "ibv_rc_pingpong",
                        with(List.of("-s", "" + PAGE), options.toArray(String[]::new)))
                .with(Map.of("RDMA4J_WARMUP", warmup));
    }

    /** Means, from the first round trip of a cold JVM on. */
    private Row firstRoundTrips(boolean shared, Goal goal) {
        Reading mean = Reading.field("mean_us", 1);
        long count = effort.count(200_000, 2000);
        return new Row(
                shared ? "first-shm" : "first-udp",
                "ibv_rc_pingpong 4096 B × " + count + ", cold JVM, " + (shared ? "shared memory" : "UDP sockets"),
                Unit.MICROSECONDS,
                goal,
                shared ? shmLimit(mean, PAGE, count) : udpLimit(mean, PAGE),
                pingPong(shared, "off", List.of("-n", "" + count)),
                List.of());
    }

    private Contender shmLimit(Reading reading, int bytes, long count) {
        String name = bytes == SMALL ? "C shared-memory ping-pong" : "C shared-memory ping-pong, two copies";
        return limits.contender(name, reading, "shm", "pingpong", bytes, count);
    }

    private Row udpWrite() {
        return new Row(
                "udp-write-1m",
                "RDMA WRITE 1 MiB over UDP sockets, ICRC on",
                Unit.GIGABITS,
                Goal.ratio(0.75),
                limits.contender(
                        "C GSO/GRO stream",
                        Reading.field("gbit_s", 1),
                        "udp_stream",
                        MEBIBYTE,
                        effort.count(8000, 200)),
                programs.tool(
                        false,
                        Reading.json("BW_average", 1),
                        "ib_write_bw",
                        size(MEBIBYTE, with(effort.time(50), "--report_gbits"))),
                List.of(
                        programs.aeron("udp", "rate", Reading.field("gbit_s", 1), MEBIBYTE, effort.count(4000, 50)),
                        programs.ucx("tcp", "tag_bw", RivalCalls.ucxGigabits(), MEBIBYTE, effort.count(8000, 100)),
                        programs.ucx("tcp", "ucp_put_bw", RivalCalls.ucxGigabits(), MEBIBYTE, effort.count(2000, 50)),
                        programs.iperf(effort)));
    }

    private static List<String> with(List<String> options, String... more) {
        return Stream.concat(options.stream(), Stream.of(more)).toList();
    }

    private Row udpRate() {
        return new Row(
                "udp-rate-64",
                "64 B SEND rate over UDP, deep queue",
                Unit.MILLIONS,
                Goal.absolute(3.5),
                limits.contender(
                        "C GSO, 64 segments",
                        Reading.field("rate", 1e-6),
                        "udp_stream",
                        SMALL,
                        effort.count(10_000_000, 100_000)),
                programs.tool(false, Reading.json("MsgRate", 1), "ib_send_bw", rateOptions()),
                List.of(
                        programs.aeron(
                                "udp", "rate", Reading.field("rate", 1e-6), SMALL, effort.count(3_000_000, 10_000)),
                        programs.ucx("tcp", "tag_bw", RivalCalls.ucxMillions(), SMALL, effort.count(500_000, 5000))));
    }

    private List<String> rateOptions() {
        return size(SMALL, with(effort.time(6400), "-t", "1024", "-r", "1024", "-l", "64", "-N"));
    }

    private Row udpEvents() {
        return new Row(
                "udp-events-4096",
                "blocking mode (-e), 4096 B, UDP",
                Unit.MICROSECONDS,
                Goal.ratio(1.3),
                limits.contender(
                        "C epoll ping-pong", Reading.times(), "udp_pingpong", "epoll", PAGE, effort.count(20_000, 500)),
                programs.tool(
                        false,
                        RivalCalls.toolLatency(),
                        "ib_send_lat",
                        size(PAGE, List.of("-e", "-n", "" + effort.count(150_000, 200)))),
                List.of());
    }

    /**
     * @param goal in microseconds
     * @param ratio to UCX, if it is installed
     */
    private Row shmPingPong(int bytes, double goal, double ratio) {
        Reading fromC = Reading.times();
        long count = effort.count(1_000_000, 10_000);
        Contender ucx =
                programs.ucx("posix", "ucp_am_lat", RivalCalls.ucxLatency(), bytes, effort.count(1_000_000, 1000));
        Contender c = shmLimit(fromC, bytes, count);
        boolean hasUcx = installed.has("ucx_perftest");
        return new Row(
                "shm-pingpong-" + bytes,
                "RC ping-pong " + bytes + " B, shared memory",
                Unit.MICROSECONDS,
                hasUcx ? Goal.absolute(goal).andRatio(ratio) : Goal.absolute(goal),
                hasUcx ? ucx : c,
                programs.tool(true, RivalCalls.toolLatency(), "ib_send_lat", size(bytes, effort.time(300))),
                List.of(
                        hasUcx ? c : ucx,
                        unawaited(true, bytes),
                        programs.aeron("ipc", "pingpong", fromC, bytes, effort.count(1_000_000, 1000)),
                        programs.ucx("posix", "tag_lat", RivalCalls.ucxLatency(), bytes, effort.count(1_000_000, 1000)),
                        programs.libfabric("shm", "rdm", bytes, effort.count(200_000, 1000))));
    }

    private Row shmWriteLatency(int bytes) {
        long count = effort.count(1_000_000, 10_000);
        Contender ucx = programs.ucx("posix", "ucp_put_lat", RivalCalls.ucxLatency(), bytes, count);
        Contender c = limits.contender("C store", Reading.times(), "shm", "put", bytes, count);
        boolean hasUcx = installed.has("ucx_perftest");
        return new Row(
                "shm-write-" + bytes,
                "RDMA WRITE " + bytes + " B round trip polling on memory, shared memory",
                Unit.MICROSECONDS,
                Goal.ratio(1.5),
                hasUcx ? ucx : c,
                programs.tool(true, RivalCalls.toolLatency(), "ib_write_lat", size(bytes, effort.time(300))),
                List.of(hasUcx ? c : ucx));
    }

    private Row shmBandwidth(String operation, String tool) {
        long count = effort.count(40_000, 500);
        return new Row(
                "shm-" + operation.toLowerCase(Locale.ROOT) + "-1m",
                "RDMA " + operation + " 1 MiB, shared memory",
                Unit.GIGABYTES,
                Goal.ratio(0.9),
                limits.contender("C single copy", Reading.field("gbyte_s", 1), "shm", "copy", MEBIBYTE, count),
                programs.tool(
                        true,
                        Reading.json("BW_average", 1 / 8.0),
                        tool,
                        size(MEBIBYTE, with(effort.time(50), "--report_gbits"))),
                List.of(
                        programs.ucx(
                                "posix",
                                operation.equals("READ") ? "ucp_get" : "ucp_put_bw",
                                RivalCalls.ucxGigabytes(),
                                MEBIBYTE,
                                count),
                        programs.aeron(
                                "ipc", "rate", Reading.field("gbyte_s", 1), MEBIBYTE, effort.count(10_000, 50))));
    }

    private Row shmRate() {
        return new Row(
                "shm-rate-64",
                "64 B SEND rate, shared memory",
                Unit.MILLIONS,
                Goal.absolute(20),
                limits.contender(
                        "C ring", Reading.field("rate", 1e-6), "shm", "rate", SMALL, effort.count(40_000_000, 500_000)),
                programs.tool(true, Reading.json("MsgRate", 1), "ib_send_bw", rateOptions()),
                List.of(
                        programs.aeron(
                                "ipc", "rate", Reading.field("rate", 1e-6), SMALL, effort.count(40_000_000, 10_000)),
                        programs.ucx(
                                "posix", "tag_bw", RivalCalls.ucxMillions(), SMALL, effort.count(10_000_000, 5000))));
    }

    private Row insideOneJvm() {
        return new Row(
                "jvm-pingpong-64",
                "one JVM, loopback device, 64 B ping-pong",
                Unit.MICROSECONDS,
                Goal.absolute(0.25),
                RivalCalls.inside("queue hand-over in one thread", "rings", SMALL, effort.count(20_000_000, 100_000)),
                RivalCalls.inside("rdma4j", "device", SMALL, effort.count(3_000_000, 10_000)),
                List.of());
    }

    private List<Row> simulations() throws IOException {
        return List.of(
                simulation(2, effort.count(100_000, 100)),
                simulation(100, effort.count(1000, 4)),
                simulation(1000, effort.count(500, 1)));
    }

    private Row simulation(int hosts, long messages) throws IOException {
        return new Row(
                "sim-" + hosts,
                "simulator, " + hosts + " hosts, per second of CPU",
                Unit.PACKETS,
                Goal.absolute(150_000),
                null,
                programs.simulation(hosts, messages),
                List.of());
    }

    private static Row heap() {
        return new Row(
                "heap",
                "heap of a queue pair after one message, without its rings",
                Unit.BYTES,
                Goal.absolute(2048),
                null,
                RivalCalls.heap(),
                List.of());
    }
}
