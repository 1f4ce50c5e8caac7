// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.peer;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.ConnectionEventType;
import io.rdma4j.rdmacm.EventChannel;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.rdmacm.host.RdmaCmService;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.wr.WaitStrategy;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Connections of the rdma4j side by rdma_cm. One listener and one connection at a time. One thread. */
@SuppressWarnings("NullAway.Init") // a request or "cm_connect" comes before the other commands of a connection
final class OurConnections implements AutoCloseable {
    private static final int MESSAGE = 64;
    private static final int DEPTH = 4;
    private static final int RESOLVE_MS = 2000;
    private static final Duration LIMIT = Duration.ofSeconds(50);

    private final RdmaCmService service;
    private final EventChannel channel;

    /** What the connection uses, the last one first. */
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    private RdmaId id;
    private CompletionQueue sends;
    private CompletionQueue receives;
    private MemoryRegion region;
    private QueuePair qp;

    OurConnections(Host host) {
        service = RdmaCmService.open(host);
        channel = service.cm().createChannel();
    }

    /** Opens the services of the device, which the first address of rdma_cm does. */
    Map<String, ?> serve(CommandWords words) {
        service.cm().createId(channel, PortSpace.TCP).bindAddress(address(words, 0));
        return Map.of();
    }

    Map<String, ?> run(String command, CommandWords words) {
        switch (command) {
            case "cm_listen" -> {
                RdmaId listener = service.cm().createId(channel, space(words));
                listener.bindAddress(address(words, words.integer("port")));
                listener.listen(words.integer("backlog"));
            }
            case "cm_connect" -> connect(words);
            case "cm_accept" -> {
                prepare();
                id.accept(parameters(words));
            }
            case "cm_reject" -> id.reject(data(words));
            case "cm_disconnect" -> id.disconnect();
            case "cm_event" -> {
                return event();
            }
            case "cm_send" -> {
                return send(words.text("text"));
            }
            case "cm_receive" -> {
                return receive();
            }
            case "cm_close" -> closeConnection();
            default -> throw new RdmaException(Errno.EINVAL, "no such command: " + command);
        }
        return Map.of();
    }

    private static InetSocketAddress address(CommandWords words, int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(words.text("address")), port);
    }

    private static PortSpace space(CommandWords words) {
        return PortSpace.valueOf(words.text("space"));
    }

    private static MemorySegment data(CommandWords words) {
        return MemorySegment.ofArray(words.text("data").getBytes(StandardCharsets.US_ASCII));
    }

    private static ConnectParameters parameters(CommandWords words) {
        return ConnectParameters.DEFAULT.withPrivateData(data(words)).withResources(1, 1);
    }

    private void connect(CommandWords words) {
        RdmaId next = service.cm().createId(channel, space(words));
        if (words.integer("further") == 0) {
            begin(next);
        } else {
            id = keep(next);
        }
        id.resolveAddress(null, address(words, words.integer("port")), RESOLVE_MS);
        require(ConnectionEventType.ADDR_RESOLVED);
        id.resolveRoute(RESOLVE_MS);
        require(ConnectionEventType.ROUTE_RESOLVED);
        prepare();
        id.connect(parameters(words));
    }

    private void require(ConnectionEventType expected) {
        try (ConnectionEvent event = next()) {
            if (event.type() != expected) {
                throw new RdmaException(Errno.EIO, "event " + event + ", " + expected + " expected");
            }
        }
    }

    private ConnectionEvent next() {
        try {
            ConnectionEvent event = channel.get(LIMIT);
            if (event == null) {
                throw new RdmaException(Errno.ETIMEDOUT, "no event in " + LIMIT);
            }
            return event;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RdmaException(Errno.EINTR, "interrupted", e);
        }
    }

    /** Makes the queue pair, and posts the receive of the first message. */
    private void prepare() {
        ProtectionDomain pd =
                keep(Objects.requireNonNull(id.verbs(), "an id with a device").allocatePd());
        sends = keep(pd.context().createCq(DEPTH));
        receives = keep(pd.context().createCq(DEPTH));
        region = keep(pd.allocateMemory(2 * MESSAGE, Set.of(AccessFlag.LOCAL_WRITE)));
        keep(id::destroyQp);
        qp = id.createQp(
                pd,
                QpInitAttributes.builder(sends, receives)
                        .type(id.portSpace().qpType())
                        .capabilities(QpCapabilities.of(DEPTH, DEPTH))
                        .build());
        postReceive();
    }

    private void postReceive() {
        qp.postReceive(ReceiveRequest.of(1, region.sge(MESSAGE, MESSAGE)));
    }

    private Map<String, ?> event() {
        try (ConnectionEvent event = next()) {
            if (event.type() == ConnectionEventType.CONNECT_REQUEST) {
                begin(event.id());
            }
            String data = new String(event.privateData().toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII);
            int end = data.indexOf(0);
            String text = end < 0 ? data : data.substring(0, end);
            return Map.of("event", event.type(), "data", text.isEmpty() ? "-" : text);
        }
    }

    private Map<String, ?> send(String text) {
        byte[] bytes = (text + ".".repeat(MESSAGE)).substring(0, MESSAGE).getBytes(StandardCharsets.US_ASCII);
        MemorySegment.copy(bytes, 0, region.segment(), ValueLayout.JAVA_BYTE, 0, MESSAGE);
        qp.postSend(SendRequest.send()
                .wrId(2)
                .sge(region.sge(0, MESSAGE))
                .signaled()
                .build());
        return Map.of("status", await(sends).status().code());
    }

    private Map<String, ?> receive() {
        WcStatus status = await(receives).status();
        String text = "";
        if (status == WcStatus.SUCCESS) {
            byte[] bytes = region.segment().asSlice(MESSAGE, MESSAGE).toArray(ValueLayout.JAVA_BYTE);
            text = new String(bytes, StandardCharsets.US_ASCII).replaceAll("\\.+$", "");
            postReceive();
        }
        return Map.of("status", status.code(), "text", text);
    }

    private static WorkCompletion await(CompletionQueue cq) {
        try {
            List<WorkCompletion> completions = cq.poll(1, LIMIT, WaitStrategy.PARK);
            if (completions.isEmpty()) {
                throw new RdmaException(Errno.ETIMEDOUT, "no completion in " + LIMIT);
            }
            return completions.getFirst();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RdmaException(Errno.EINTR, "interrupted", e);
        }
    }

    /** Ends the last connection, and begins another one. */
    private void begin(RdmaId next) {
        closeConnection();
        id = keep(next);
    }

    private <T extends AutoCloseable> T keep(T part) {
        parts.push(part);
        return part;
    }

    private void closeConnection() {
        try {
            while (!parts.isEmpty()) {
                parts.pop().close();
            }
        } catch (Exception e) {
            throw new RdmaException(Errno.EIO, "cannot close: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        closeConnection();
        service.close();
    }
}
