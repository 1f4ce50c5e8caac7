// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

import io.rdma4j.interop.lab.Lab;
import io.rdma4j.interop.lab.Output;
import io.rdma4j.interop.lab.Running;
import io.rdma4j.interop.suite.Scenario.Mismatch;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Tools of rdma-core and perftest: the original at one end, that of rdma4j at the other. */
final class PingPongs {
    private static final int TCP_PORT = 18515;
    private static final Duration START = Duration.ofSeconds(30);
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final Pattern MICROSECONDS = Pattern.compile("([0-9.]+) usec/iter");

    private PingPongs() {}

    /** Starts the end that uses a device of rdma4j. */
    @FunctionalInterface
    interface Starter {
        Running start(String command) throws IOException;
    }

    /** All of them that are valid for a path MTU. */
    static List<Scenario> all(int pathMtu) {
        List<Scenario> all = new ArrayList<>(few());
        for (int size : new int[] {1, 1023, 65536}) {
            all.add(pingPong("rc", "-c -n 50 -s " + size));
            all.add(pingPong("uc", "-c -n 50 -s " + size));
        }
        all.add(pingPong("rc", "-c -n 5 -s 1048576"));
        all.add(pingPong("rc", "-c -n 3 -s 4194304"));
        all.add(pingPong("srq", "-c -n 100 -q 4 -s 10000"));
        for (int mtu = 256; mtu <= pathMtu; mtu *= 2) {
            all.add(pingPong("rc", "-c -n 50 -s 10000 -m " + mtu));
        }
        all.add(pingPong("uc", "-c -e -n 50"));
        all.add(pingPong("ud", "-c -e -n 50 -s 1000"));
        all.add(pingPong("srq", "-c -e -n 50 -q 4"));
        return all;
    }

    /** One for each service, as a quick test. */
    static List<Scenario> few() {
        return List.of(
                pingPong("rc", "-c -n 200"),
                pingPong("rc", "-c -e -n 50"),
                pingPong("uc", "-c -n 200"),
                pingPong("ud", "-c -n 200 -s 1024"),
                pingPong("srq", "-c -n 100 -q 2"));
    }

    /** The tools of perftest, which exchange more data over TCP. */
    static List<Scenario> perftest() {
        return List.of(
                perftest("ib_send_lat", "-s 64 -n 100"),
                perftest("ib_write_lat", "-s 64 -n 100"),
                perftest("ib_read_lat", "-s 64 -n 100"),
                perftest("ib_atomic_lat", "-n 100"),
                perftest("ib_send_bw", "-s 65536 -n 100"),
                perftest("ib_write_bw", "-s 65536 -n 100"),
                perftest("ib_read_bw", "-s 65536 -n 100"),
                perftest("ib_atomic_bw", "-n 200"));
    }

    static Scenario pingPong(String service, String options) {
        String name = "ibv_" + service + "_pingpong";
        return new Scenario(
                "pingpong/" + name + " " + options,
                (stage, direction) -> play(
                        stage,
                        direction,
                        name + " -d " + Lab.GUEST_DEVICE + " -g " + stage.guestGidIndex() + " " + options,
                        name + " --device " + stage.setup().device() + " -g " + stage.ourGidIndex() + " " + options));
    }

    private static Scenario perftest(String name, String options) {
        return new Scenario(
                "perftest/" + name + " " + options,
                (stage, direction) -> play(
                        stage,
                        direction,
                        name + " -F -d " + Lab.GUEST_DEVICE + " -x " + stage.guestGidIndex() + " " + options,
                        name + " -F --device " + stage.setup().device() + " -x " + stage.ourGidIndex() + " "
                                + options));
    }

    private static String play(Stage stage, Direction direction, String guest, String ours) throws IOException {
        return play(stage, direction, guest, ours, stage::startOurs);
    }

    /** Runs the two ends of a tool, the server first. */
    static String play(Stage stage, Direction direction, String guest, String ours, Starter starter)
            throws IOException {
        boolean toLinux = direction == Direction.TO_LINUX;
        try (Running server = toLinux ? stage.startGuest(guest) : starter.start(ours)) {
            server.awaitListening(TCP_PORT, START);
            try (Running client = toLinux
                    ? starter.start(ours + " " + Lab.GUEST_IP4)
                    : stage.startGuest(guest + " " + Lab.HOST_IP4)) {
                Output ofClient = client.await(LIMIT);
                if (!ofClient.ok()) {
                    throw new Mismatch("client ended with " + ofClient.exitCode() + ": " + brief(ofClient));
                }
                Output ofServer = server.await(LIMIT);
                if (!ofServer.ok()) {
                    throw new Mismatch("server ended with " + ofServer.exitCode() + ": " + brief(ofServer));
                }
                return speed(ofClient.text());
            }
        }
    }

    private static String speed(String text) {
        Matcher matcher = MICROSECONDS.matcher(text);
        return matcher.find() ? matcher.group(1) + " µs/iter" : "";
    }

    private static String brief(Output output) {
        String text = output.text().strip().replaceAll("\\s*\n\\s*", " | ");
        int most = 400;
        return text.length() <= most ? text : "…" + text.substring(text.length() - most);
    }
}
