// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.interop.lab.Running;
import io.rdma4j.interop.peer.CmOutcome;
import io.rdma4j.interop.peer.Side;
import io.rdma4j.interop.suite.Scenario.Mismatch;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.verbs.wr.WcStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * Connections of rdma_cm between a program with our API and a pyverbs script in the guest: private data, traffic,
 * rejections, both ways to disconnect, and a process that is killed and comes back.
 */
record Connections(Side client, Side server) {
    private static final int PORT = 7472;
    private static final int BACKLOG = 8;
    private static final int ROUNDS = 10;
    private static final int MANY = 1000;

    /** A REQ without answer is repeated after four seconds or later. */
    private static final Duration SHORTEST_REPETITION = Duration.ofSeconds(3);

    // Private data of rdma_cm, bytes

    private static final int MOST_OF_REQUEST = 56;
    private static final int MOST_OF_REPLY = 196;
    private static final int MOST_OF_REJECTION = 148;

    static Connections of(Stage stage, Direction direction) throws IOException {
        return direction == Direction.TO_LINUX
                ? new Connections(stage.ours(), stage.linux())
                : new Connections(stage.linux(), stage.ours());
    }

    static List<Scenario> all() {
        return List.of(
                scenario("traffic, the client disconnects", ends -> {
                    ends.listen();
                    ends.connect();
                    ends.talk();
                    ends.disconnect(ends.client, ends.server);
                }),
                scenario("traffic, the server disconnects", ends -> {
                    ends.listen();
                    ends.connect();
                    ends.talk();
                    ends.disconnect(ends.server, ends.client);
                }),
                scenario("both disconnect", ends -> {
                    ends.listen();
                    ends.connect();
                    ends.server.disconnect();
                    ends.client.disconnect();
                    require(ends.server, "DISCONNECTED");
                    require(ends.client, "DISCONNECTED");
                }),
                scenario("rejected by the program", Connections::reject),
                scenario("rejected by the program of datagrams", Connections::rejectResolution),
                scenario("no service of datagrams", ends -> {
                    ends.listen(); // in the other port space
                    ends.client.dial(ends.server, PortSpace.UDP, PORT, "request");
                    require(ends.client, "UNREACHABLE");
                }),
                scenario("more requests than the backlog", Connections::fillBacklog),
                scenario("longest private data", Connections::fillPrivateData),
                scenario("1000 connections in a row", Connections::connectOften),
                new Scenario("cm/link down for 3 s", Connections::downLink),
                new Scenario("cm/killed server comes back", Connections::killServer),
                new Scenario("cm/killed client comes back", Connections::killClient));
    }

    /** A connection with traffic, and a rejected one. */
    static List<Scenario> few() {
        return List.of(all().getFirst(), scenario("rejected by the program", Connections::reject));
    }

    /** Steps of two sides that start with these. */
    @FunctionalInterface
    private interface Steps {
        void play(Connections ends) throws IOException;
    }

    private static Scenario scenario(String name, Steps steps) {
        return new Scenario("cm/" + name, (stage, direction) -> {
            stage.closeSides();
            steps.play(of(stage, direction));
            stage.closeSides();
            stage.requireNoConnection();
            return "";
        });
    }

    void listen() throws IOException {
        server.listen(PortSpace.TCP, PORT, BACKLOG);
    }

    /** Connects and checks the private data; the server must listen. */
    void connect() throws IOException {
        connect("request", "reply");
    }

    private void connect(String request, String reply) throws IOException {
        client.dial(server, PortSpace.TCP, PORT, request);
        require(server, "CONNECT_REQUEST", request);
        server.accept(reply);
        require(client, "ESTABLISHED", reply);
        require(server, "ESTABLISHED");
    }

    /**
     * Resolves the queue pair of a server of datagrams.
     *
     * @param requests that the server sees and accepts
     */
    void resolve(int requests) throws IOException {
        server.listen(PortSpace.UDP, PORT, BACKLOG);
        client.dial(server, PortSpace.UDP, PORT, "request");
        for (int i = 0; i < requests; i++) {
            require(server, "CONNECT_REQUEST", "request");
            server.accept("reply");
        }
        require(client, "ESTABLISHED", "reply");
    }

    private void talk() throws IOException {
        for (int i = 0; i < ROUNDS; i++) {
            say(client, server, "c" + i);
            say(server, client, "s" + i);
        }
    }

    private static void say(Side from, Side to, String word) throws IOException {
        WcStatus status = from.say(word);
        String heard = status == WcStatus.SUCCESS ? to.hear() : "";
        if (!heard.equals(word)) {
            throw new Mismatch(
                    from.name() + " sent " + word + " with " + status + ", " + to.name() + " received '" + heard + "'");
        }
    }

    void disconnect(Side first, Side second) throws IOException {
        first.disconnect();
        require(second, "DISCONNECTED");
        second.disconnect(); // sends the DREP
        // Linux answers a repeated DREQ of an id that it has destroyed, but not after the timewait of one that it has.
        second.hangUp();
        require(first, "DISCONNECTED");
        first.hangUp();
    }

    /** The listener stays usable after it has rejected. */
    private static void reject(Connections ends) throws IOException {
        ends.listen();
        for (String reason : List.of("busy", "connection-rejected")) {
            ends.client.dial(ends.server, PortSpace.TCP, PORT, "request");
            require(ends.server, "CONNECT_REQUEST", "request");
            ends.server.reject(reason);
            require(ends.client, "REJECTED", reason);
        }
        ends.connect();
        ends.disconnect(ends.client, ends.server);
    }

    private static void rejectResolution(Connections ends) throws IOException {
        ends.server.listen(PortSpace.UDP, PORT, BACKLOG);
        ends.client.dial(ends.server, PortSpace.UDP, PORT, "request");
        require(ends.server, "CONNECT_REQUEST", "request");
        ends.server.reject("busy");
        require(ends.client, "UNREACHABLE");
    }

    /** The listener drops the second request while the first one waits; the client repeats it some seconds later. */
    private static void fillBacklog(Connections ends) throws IOException {
        ends.server.listen(PortSpace.TCP, PORT, 1);
        ends.client.dial(ends.server, PortSpace.TCP, PORT, "first");
        long startNs = System.nanoTime();
        ends.client.dialFurther(ends.server, PortSpace.TCP, PORT, "second");
        ToolPair.pause();
        for (String request : List.of("first", "second")) {
            require(ends.server, "CONNECT_REQUEST", request);
            ends.server.reject(request);
            require(ends.client, "REJECTED", request);
        }
        Duration waited = Duration.ofNanos(System.nanoTime() - startNs);
        if (waited.compareTo(SHORTEST_REPETITION) < 0) {
            throw new Mismatch("the second request came after " + waited.toMillis() + " ms: it was not dropped");
        }
    }

    private static void fillPrivateData(Connections ends) throws IOException {
        ends.listen();
        ends.connect("q".repeat(MOST_OF_REQUEST), "p".repeat(MOST_OF_REPLY));
        ends.disconnect(ends.client, ends.server);
        ends.client.dial(ends.server, PortSpace.TCP, PORT, "request");
        require(ends.server, "CONNECT_REQUEST", "request");
        String reason = "j".repeat(MOST_OF_REJECTION);
        ends.server.reject(reason);
        require(ends.client, "REJECTED", reason);
        try {
            ends.client.dial(ends.server, PortSpace.TCP, PORT, "q".repeat(MOST_OF_REQUEST + 1));
        } catch (RdmaException e) {
            if (e.errno() == Errno.EINVAL) {
                return;
            }
            throw e;
        }
        throw new Mismatch(ends.client.name() + " sent more private data than a request can have");
    }

    private static void connectOften(Connections ends) throws IOException {
        ends.listen();
        for (int i = 0; i < MANY; i++) {
            ends.connect();
            ends.disconnect(i % 2 == 0 ? ends.client : ends.server, i % 2 == 0 ? ends.server : ends.client);
        }
    }

    /** The queue pairs retransmit until the link is up again, and the connection continues. */
    private static String downLink(Stage stage, Direction direction) throws IOException {
        stage.closeSides();
        Connections ends = of(stage, direction);
        ends.listen();
        ends.connect();
        ends.talk();
        try (Running up = stage.startLinkBreak(3)) {
            ends.talk();
            ToolPair.check("ip", up.await(ToolPair.LIMIT));
        }
        ends.disconnect(ends.client, ends.server);
        stage.closeSides();
        stage.requireNoConnection();
        return "";
    }

    /** The new process has the same address, port and first queue pair. */
    private static String killServer(Stage stage, Direction direction) throws IOException {
        stage.closeSides();
        Connections ends = of(stage, direction);
        ends.listen();
        ends.connect();
        ends.talk();
        stage.kill(ends.server);
        Connections next = of(stage, direction);
        next.listen();
        boolean isTold = direction == Direction.TO_LINUX; // The kernel of a killed process disconnects.
        if (isTold) {
            require(next.client, "DISCONNECTED");
        } else {
            // The new process does not know the connection, and answers the DREQ.
            next.client.disconnect();
            require(next.client, "DISCONNECTED");
        }
        next.client.hangUp();
        next.connect();
        next.talk();
        next.disconnect(next.client, next.server);
        stage.closeSides();
        stage.requireNoConnection();
        return isTold ? "DREQ of the dead process" : "DREQ to the new process";
    }

    /** The server is told by the kernel of the dead client, or by the new request of the same queue pair. */
    private static String killClient(Stage stage, Direction direction) throws IOException {
        stage.closeSides();
        Connections ends = of(stage, direction);
        ends.listen();
        ends.connect();
        ends.talk();
        stage.kill(ends.client);
        Connections next = of(stage, direction);
        if (direction == Direction.FROM_LINUX) {
            require(next.server, "DISCONNECTED");
            next.server.hangUp();
        }
        next.connect();
        next.talk();
        next.disconnect(next.client, next.server);
        stage.closeSides();
        stage.requireNoConnection();
        return "";
    }

    static void require(Side side, String event) throws IOException {
        CmOutcome outcome = side.event();
        if (!outcome.event().equals(event)) {
            throw new Mismatch(side.name() + ": " + outcome + ", " + event + " expected");
        }
    }

    private static void require(Side side, String event, String data) throws IOException {
        CmOutcome outcome = side.event();
        if (!outcome.event().equals(event) || !outcome.data().equals(data)) {
            throw new Mismatch(side.name() + ": " + outcome + ", " + event + " with " + data + " expected");
        }
    }
}
