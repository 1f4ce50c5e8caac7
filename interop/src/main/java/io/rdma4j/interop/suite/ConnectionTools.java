// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

import io.rdma4j.interop.lab.Lab;
import io.rdma4j.interop.lab.Output;
import io.rdma4j.interop.lab.Running;
import io.rdma4j.interop.suite.Scenario.Mismatch;
import io.rdma4j.interop.suite.Scenario.Skipped;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/** Tools of librdmacm, which connect by rdma_cm: the original at one end, that of rdma4j at the other. */
final class ConnectionTools {
    private static final Duration START = Duration.ofSeconds(30);
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final Duration PAUSE = Duration.ofMillis(100);

    /** Usual time until our server listens. A request that comes before is lost, and Linux repeats it after seconds. */
    private static final Duration START_OF_SERVER = Duration.ofMillis(800);

    private static final int PORT = 7471;

    /** What a client prints if the server does not listen yet: a REJ of reason 8, or a refused SIDR request. */
    private static final Pattern REFUSED = Pattern.compile(
            "RDMA_CM_EVENT_REJECTED, error:? 8|RDMA_CM_EVENT_UNREACHABLE|Connection refused|ECONNREFUSED");

    private ConnectionTools() {}

    /** All of them. */
    static List<Scenario> all() {
        List<Scenario> all = new ArrayList<>(few());
        all.add(rping("-S 26 -C 5"));
        all.add(rping("-S 65535 -C 5"));
        all.add(rping("-q -C 5"));
        all.add(severalPings());
        all.add(killedClient());
        all.add(ucmatose("-c 4 -C 50 -S 3000"));
        all.add(ucmatose("-c 200 -C 2"));
        all.add(ucmatose("-t 32 -a 14 -m"));
        all.add(ucmatose("-C 0"));
        all.add(udaddy("-c 2 -C 40 -S 900"));
        all.add(cmtime("-c 100"));
        all.add(perftest("ib_send_lat -R -s 64 -n 100"));
        all.add(perftest("ib_send_lat -R -c UD -s 64 -n 100"));
        all.add(perftest("ib_write_lat -R -s 64 -n 100"));
        all.add(perftest("ib_read_lat -R -s 64 -n 100"));
        all.add(perftest("ib_write_bw -R -q 2 -s 65536 -n 100"));
        all.add(perftest("ib_send_bw -z -s 65536 -n 100"));
        return all;
    }

    /** One for each tool, and a refused connection. */
    static List<Scenario> few() {
        return List.of(rping("-C 20"), ucmatose("-C 20"), udaddy("-C 20"), hello(), noListener());
    }

    private static Scenario rping(String options) {
        return new Scenario("rdmacm/rping " + options, (stage, direction) -> {
            String server = "rping -s -p " + PORT + " -a " + serverAddress(stage, direction) + " " + options;
            String client = "rping -c -v -V -p " + PORT + " -a " + serverAddress(stage, direction) + " " + options;
            String text = play(stage, direction, server, client);
            int pings = Integer.parseInt(options.replaceAll(".*-C (\\d+).*", "$1"));
            long seen =
                    text.lines().filter(line -> line.startsWith("ping data: ")).count();
            if (seen != pings) {
                throw new Mismatch(seen + " pings, " + pings + " expected: " + text);
            }
            return "";
        });
    }

    /** One server, client after client. */
    private static Scenario severalPings() {
        return new Scenario("rdmacm/rping -P", (stage, direction) -> {
            String address = serverAddress(stage, direction);
            try (Running _ = startServer(stage, direction, "rping -s -P -p " + PORT + " -a " + address)) {
                for (int i = 0; i < 3; i++) {
                    Output client = client(stage, direction, "rping -c -V -C 5 -p " + PORT + " -a " + address);
                    check("client " + i, client);
                }
            }
            return "";
        });
    }

    /** The process of a client is killed in the middle of its pings; the server serves the next one. */
    private static Scenario killedClient() {
        return new Scenario("rdmacm/rping, killed client", (stage, direction) -> {
            String options = " -S 64 -p " + PORT + " -a " + serverAddress(stage, direction);
            try (Running _ = startServer(stage, direction, "rping -s -P" + options)) {
                check("first client", client(stage, direction, "rping -c -V -C 1" + options));
                try (Running _ = start(stage, direction, false, "rping -c" + options)) {
                    pause(START_OF_SERVER);
                }
                check("next client", client(stage, direction, "rping -c -V -C 5" + options));
            }
            return "";
        });
    }

    private static Scenario ucmatose(String options) {
        return new Scenario("rdmacm/ucmatose " + options, (stage, direction) -> {
            String address = serverAddress(stage, direction);
            play(
                    stage,
                    direction,
                    "ucmatose -p " + PORT + " -b " + address + " " + options,
                    "ucmatose -p " + PORT + " -s " + address + " " + options);
            return "";
        });
    }

    private static Scenario udaddy(String options) {
        return new Scenario("rdmacm/udaddy " + options, (stage, direction) -> {
            String address = serverAddress(stage, direction);
            play(stage, direction, "udaddy -b " + address + " " + options, "udaddy -s " + address + " " + options);
            return "";
        });
    }

    /** The server of rdma-core does not end by itself. */
    private static Scenario cmtime(String options) {
        return new Scenario("rdmacm/cmtime " + options, (stage, direction) -> {
            String address = serverAddress(stage, direction);
            try (Running _ = startServer(stage, direction, "cmtime -p " + PORT + " -b " + address + " " + options)) {
                check("client", client(stage, direction, "cmtime -p " + PORT + " -s " + address + " " + options));
            }
            return "";
        });
    }

    private static Scenario perftest(String command) {
        return new Scenario("rdmacm/" + command, (stage, direction) -> {
            if (stage.setup().ipv6()) {
                throw new Skipped("perftest: rdma_cm over IPv4 only");
            }
            play(stage, direction, command + " -F", command + " -F " + serverAddress(stage, direction));
            return "";
        });
    }

    private static Scenario hello() {
        return new Scenario("rdmacm/rdma_client", (stage, direction) -> {
            String options = " -p " + PORT + " -s " + serverAddress(stage, direction);
            play(stage, direction, "rdma_server" + options, "rdma_client" + options);
            return "";
        });
    }

    private static Scenario noListener() {
        return new Scenario("rdmacm/no listener", (stage, direction) -> {
            String command = "rping -c -C 1 -p 1 -a " + serverAddress(stage, direction);
            // Our end must have queue pair 1 of the device: its server listens on another port.
            try (Running _ = direction == Direction.FROM_LINUX
                            ? startServer(stage, direction, "rping -s -p " + PORT)
                            : null;
                    Running client = start(stage, direction, false, command)) {
                Output output = client.await(LIMIT);
                if (output.ok() || !output.text().contains("RDMA_CM_EVENT_REJECTED, error 8")) {
                    throw new Mismatch(
                            "a client without server ended with " + output.exitCode() + ": " + output.text());
                }
            }
            return "";
        });
    }

    private static String serverAddress(Stage stage, Direction direction) {
        boolean ipv6 = stage.setup().ipv6();
        return direction == Direction.TO_LINUX
                ? ipv6 ? Lab.GUEST_IP6 : Lab.GUEST_IP4
                : stage.setup().carrier().address(ipv6);
    }

    private static Running start(Stage stage, Direction direction, boolean isServer, String command)
            throws IOException {
        boolean isGuest = isServer == (direction == Direction.TO_LINUX);
        return isGuest ? stage.startGuest(command) : stage.startConnecting(command);
    }

    private static Running startServer(Stage stage, Direction direction, String command) throws IOException {
        Running server = start(stage, direction, true, command);
        if (direction == Direction.FROM_LINUX) {
            pause(START_OF_SERVER);
        }
        return server;
    }

    /** Runs both ends; returns what the client prints. */
    private static String play(Stage stage, Direction direction, String server, String client) throws IOException {
        try (Running running = startServer(stage, direction, server)) {
            Output ofClient = client(stage, direction, client);
            check("client", ofClient);
            check("server", running.await(LIMIT));
            return ofClient.text();
        }
    }

    /** Runs a client, again as long as the server does not listen. */
    private static Output client(Stage stage, Direction direction, String command) throws IOException {
        long endNs = System.nanoTime() + START.toNanos();
        while (true) {
            try (Running client = start(stage, direction, false, command)) {
                Output output = client.await(LIMIT);
                if (output.ok()
                        || System.nanoTime() > endNs
                        || !REFUSED.matcher(output.text()).find()) {
                    return output;
                }
            }
            pause(PAUSE);
        }
    }

    private static void pause(Duration time) {
        LockSupport.parkNanos(time.toNanos());
    }

    private static void check(String end, Output output) {
        if (!output.ok()) {
            throw new Mismatch(end + " ended with " + output.exitCode() + ": "
                    + output.text().strip().replaceAll("\\s*\n\\s*", " | "));
        }
    }
}
