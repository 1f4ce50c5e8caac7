// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

import io.rdma4j.interop.lab.Lab;
import io.rdma4j.interop.lab.Output;
import io.rdma4j.interop.lab.Running;
import io.rdma4j.interop.suite.Scenario.Mismatch;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/**
 * Server and client of a tool of librdmacm: one end runs in the guest, the other one uses a device of rdma4j.
 *
 * @param isDropIn true if both ends are the original tool; otherwise ours is that of rdma4j
 */
record ToolPair(Stage stage, Direction direction, boolean isDropIn) {
    /** Port of the servers, which is usual for these tools. */
    static final int PORT = 7471;

    static final Duration LIMIT = Duration.ofSeconds(90);

    private static final Duration START = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(100);

    /** Usual time until our server listens. A request that comes before is lost, and Linux repeats it after seconds. */
    private static final Duration START_OF_SERVER = Duration.ofMillis(800);

    /** What a client prints if the server does not listen yet: a REJ of reason 8, or a refused SIDR request. */
    private static final Pattern REFUSED = Pattern.compile(
            "RDMA_CM_EVENT_REJECTED, error:? 8|RDMA_CM_EVENT_UNREACHABLE|Connection refused|ECONNREFUSED");

    /** The original in the guest, and the tool of rdma4j. */
    ToolPair(Stage stage, Direction direction) {
        this(stage, direction, false);
    }

    /** Address of the server. */
    String address() {
        return address(stage.setup().ipv6());
    }

    /** IPv4 or IPv6 address of the server. */
    String address(boolean ipv6) {
        return address(direction == Direction.TO_LINUX, ipv6);
    }

    String addressOfClient() {
        return address(direction != Direction.TO_LINUX, stage.setup().ipv6());
    }

    private String address(boolean isGuest, boolean ipv6) {
        String guest = ipv6 ? Lab.GUEST_IP6 : Lab.GUEST_IP4;
        return isGuest ? guest : stage.setup().carrier().address(ipv6);
    }

    private Running start(boolean isServer, String command) throws IOException {
        boolean isGuest = isServer == (direction == Direction.TO_LINUX);
        if (isGuest) {
            return stage.startGuest(command);
        }
        return isDropIn ? stage.startDropIn(command) : stage.startConnecting(command);
    }

    /** Starts the server, and waits until it usually listens. */
    Running startServer(String command) throws IOException {
        Running server = start(true, command);
        if (direction == Direction.FROM_LINUX) {
            pause();
        }
        return server;
    }

    Running startClient(String command) throws IOException {
        return start(false, command);
    }

    /** Runs both ends, which must succeed; returns what the client prints. */
    String play(String server, String client) throws IOException {
        try (Running running = startServer(server)) {
            Output ofClient = client(client);
            check("client", ofClient);
            check("server", running.await(LIMIT));
            return ofClient.text();
        }
    }

    /** Runs a client, again as long as the server does not listen. */
    Output client(String command) throws IOException {
        long endNs = System.nanoTime() + START.toNanos();
        while (true) {
            try (Running client = startClient(command)) {
                Output output = client.await(LIMIT);
                if (output.ok()
                        || System.nanoTime() > endNs
                        || !REFUSED.matcher(output.text()).find()) {
                    return output;
                }
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    /** Runs a client of a port on which no server listens; it must be told so by a REJ. */
    void refuse() throws IOException {
        // Our end must have queue pair 1 of the device: its server listens on another port.
        try (Running _ = direction == Direction.FROM_LINUX ? startServer("rping -s -p " + PORT) : null;
                Running client = startClient("rping -c -C 1 -p 1 -a " + address())) {
            Output output = client.await(LIMIT);
            if (output.ok() || !output.text().contains("RDMA_CM_EVENT_REJECTED, error 8")) {
                throw new Mismatch("a client without server ended with " + output.exitCode() + ": " + output.text());
            }
        }
    }

    /** Waits until our server usually listens. */
    static void pause() {
        LockSupport.parkNanos(START_OF_SERVER.toNanos());
    }

    static void check(String end, Output output) {
        if (!output.ok()) {
            throw new Mismatch(end + " ended with " + output.exitCode() + ": "
                    + output.text().strip().replaceAll("\\s*\n\\s*", " | "));
        }
    }
}
