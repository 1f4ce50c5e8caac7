// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.EventChannel;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.rdmacm.RdmaId;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Client of {@code cmtime}: takes all connections through one step, then through the next. One thread. */
final class CmtimeClient {
    private final RdmaCm cm;
    private final CmtimeOptions options;
    private final PrintWriter out;
    private final PrintWriter failures;
    private final List<Connection> connections = new ArrayList<>();
    private final CmtimeTimes times;
    private int waiting;

    /** @param failures where the lines about failed connections go; the original prints them to {@code out} */
    CmtimeClient(RdmaCm cm, CmtimeOptions options, PrintWriter out, PrintWriter failures) {
        this.cm = cm;
        this.options = options;
        this.out = out;
        this.failures = failures;
        this.times = new CmtimeTimes(options.connections());
    }

    /** A connection with its state in the current step. */
    private static final class Connection {
        final int index;
        final RdmaId id;
        boolean isWaiting;
        boolean isFailed;
        int retries;

        Connection(int index, RdmaId id) {
            this.index = index;
            this.id = id;
        }
    }

    /** {@return true if all connections went through all steps} */
    boolean run(@Nullable InetSocketAddress source, InetSocketAddress server) throws InterruptedException {
        try (EventChannel channel = cm.createChannel();
                CmtimeQueues queues = new CmtimeQueues()) {
            try {
                create(channel);
                if (source != null) {
                    step(CmtimeStep.BIND, channel, id -> id.bindAddress(source));
                }
                step(CmtimeStep.RESOLVE_ADDRESS, channel, id -> id.resolveAddress(source, server, options.timeoutMs()));
                step(CmtimeStep.RESOLVE_ROUTE, channel, id -> id.resolveRoute(options.timeoutMs()));
                step(CmtimeStep.CREATE_QP, channel, queues::createQp);
                ConnectParameters parameters = ConnectParameters.DEFAULT
                        .withResources(1, 1)
                        .withRetryCounts(Math.min(7, options.retries()), 0);
                step(CmtimeStep.CONNECT, channel, id -> id.connect(parameters));
                step(CmtimeStep.DISCONNECT, channel, id -> {
                    id.disconnect();
                    id.destroyQp();
                });
            } finally {
                destroy();
            }
        }
        times.print(out, source != null);
        return connections.stream().noneMatch(connection -> connection.isFailed);
    }

    /** The JSON document after a run. */
    Map<String, Object> json(boolean withBind) {
        Map<String, Object> members = CmOutput.document("client");
        members.put("connections", options.connections());
        members.put(
                "failed",
                connections.stream().filter(connection -> connection.isFailed).count());
        members.put("steps", times.json(withBind));
        return members;
    }

    private void create(EventChannel channel) {
        out.println(CmtimeStep.CREATE_ID.start());
        times.start(CmtimeStep.CREATE_ID);
        for (int i = 0; i < options.connections(); i++) {
            times.start(CmtimeStep.CREATE_ID, i);
            Connection connection = new Connection(i, cm.createId(channel, PortSpace.TCP));
            connection.id.setUserContext(connection);
            connections.add(connection);
            times.end(CmtimeStep.CREATE_ID, i);
        }
        times.end(CmtimeStep.CREATE_ID);
    }

    private void destroy() {
        out.println(CmtimeStep.DESTROY.start());
        times.start(CmtimeStep.DESTROY);
        for (Connection connection : connections) {
            times.start(CmtimeStep.DESTROY, connection.index);
            connection.id.close();
            times.end(CmtimeStep.DESTROY, connection.index);
        }
        times.end(CmtimeStep.DESTROY);
    }

    private void step(CmtimeStep step, EventChannel channel, Consumer<RdmaId> call) throws InterruptedException {
        out.println(step.start());
        times.start(step);
        for (Connection connection : connections) {
            if (connection.isFailed) {
                continue;
            }
            connection.retries = options.retries();
            times.start(step, connection.index);
            begin(step, connection, call);
            for (ConnectionEvent event = channel.poll(); event != null; event = channel.poll()) {
                handle(step, event, call);
            }
        }
        while (waiting > 0) {
            handle(step, channel.get(), call);
        }
        times.end(step);
    }

    private void begin(CmtimeStep step, Connection connection, Consumer<RdmaId> call) {
        boolean waits = step.outcome() != null;
        if (waits) {
            connection.isWaiting = true;
            waiting++;
        }
        try {
            call.accept(connection.id);
        } catch (RdmaException e) {
            failures.println("failure " + step.start() + ": " + e.errno());
            fail(connection);
            return;
        }
        if (!waits) {
            times.end(step, connection.index);
        }
    }

    private void fail(Connection connection) {
        connection.isFailed = true;
        done(connection);
    }

    private void done(Connection connection) {
        if (connection.isWaiting) {
            connection.isWaiting = false;
            waiting--;
        }
    }

    private void handle(CmtimeStep step, ConnectionEvent event, Consumer<RdmaId> call) {
        event.acknowledge();
        Connection connection = (Connection) Objects.requireNonNull(event.id().userContext(), "set with the id");
        if (event.type() == step.outcome()) {
            times.end(step, connection.index);
            done(connection);
            return;
        }
        switch (event.type()) {
            case ADDR_ERROR, ROUTE_ERROR -> {
                if (connection.retries-- > 0) {
                    done(connection);
                    begin(step, connection, call);
                } else {
                    failures.println(event.type().text() + ", error: " + event.status());
                    fail(connection);
                }
            }
            case CONNECT_ERROR, UNREACHABLE, REJECTED -> {
                failures.println("event: " + event.type().text() + ", error: " + event.status());
                fail(connection);
            }
            case DISCONNECTED, DEVICE_REMOVAL -> fail(connection);
            default -> {} // The original ignores other events, too.
        }
    }
}
