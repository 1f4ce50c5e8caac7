// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.DatagramPeer;
import io.rdma4j.rdmacm.EventChannel;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.tools.peer.ToolFailure;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * One end of {@code ucmatose} or {@code udaddy}: all its connections, or services of datagrams, share an event channel.
 * One thread.
 */
final class TransferEnd implements AutoCloseable {
    private static final int RETRIES = 5;

    private final String name;
    private final TransferOptions options;
    private final RdmaCm cm;
    private final PrintWriter out;
    private final Map<RdmaId, TransferNode> nodes = new LinkedHashMap<>();
    private final List<RdmaId> ids = new ArrayList<>();
    private EventChannel channel;
    private int connected;

    /** Time until all connections are there, ns. */
    private long connectNs;

    /** Time of all messages, ns. */
    private long transferNs;

    private int disconnected;

    /** @param name of the program in its lines */
    TransferEnd(String name, TransferOptions options, RdmaCm cm, PrintWriter out) {
        this.name = name;
        this.options = options;
        this.cm = cm;
        this.out = out;
        this.channel = cm.createChannel();
    }

    /**
     * Connects, waits for all messages, sends as many, and waits until the server has disconnected. The client of a
     * datagram service sends first, because the server learns its queue pair from the messages.
     */
    void runClient() throws ToolFailure, InterruptedException {
        out.println(name + ": starting client");
        InetSocketAddress server = CmTool.address(options.server(), options.port(), options.family());
        InetSocketAddress own = options.bind() == null ? null : CmTool.address(options.bind(), 0, options.family());
        out.println(name + ": connecting");
        try {
            for (int i = 0; i < options.connections(); i++) {
                RdmaId id = cm.createId(channel, options.space());
                ids.add(id);
                id.resolveAddress(own, server, CmTool.RESOLVE_MS);
            }
        } catch (RdmaException e) {
            throw CmTool.failed(name + ": failure getting addr", e);
        }
        awaitConnections();
        long startNs = System.nanoTime();
        if (options.messages() > 0 && isDatagram()) {
            out.println("initiating data transfers");
            postSends();
            out.println("receiving data transfers");
            awaitReceives();
            out.println("data transfers complete");
        } else if (options.messages() > 0) {
            out.println("receiving data transfers");
            awaitReceives();
            out.println("sending replies");
            postSends();
            awaitSends();
            out.println("data transfers complete");
        }
        transferNs = System.nanoTime() - startNs;
        awaitDisconnects();
    }

    private boolean isDatagram() {
        return options.space() == PortSpace.UDP;
    }

    /** Accepts, sends all messages, waits for as many, and disconnects. */
    void runServer() throws ToolFailure, InterruptedException {
        out.println(name + ": starting server");
        RdmaId listener = cm.createId(channel, options.space());
        ids.add(listener);
        try {
            listener.bindAddress(CmTool.address(options.bind(), options.port(), options.family()));
            listener.listen(options.connections());
        } catch (RdmaException e) {
            throw CmTool.failed(name + ": bind address failed", e);
        }
        awaitConnections();
        long startNs = System.nanoTime();
        if (options.messages() > 0 && isDatagram()) {
            out.println("receiving data transfers");
            awaitReceives();
            out.println("sending replies");
            postSends();
            awaitSends();
            out.println("data transfers complete");
        } else if (options.messages() > 0) {
            out.println("initiating data transfers");
            postSends();
            out.println("completing sends");
            awaitSends();
            out.println("receiving data transfers");
            awaitReceives();
            out.println("data transfers complete");
        }
        transferNs = System.nanoTime() - startNs;
        if (!isDatagram()) {
            disconnect();
        }
    }

    /** The JSON document after a run. */
    Map<String, Object> json() {
        Map<String, Object> members = CmOutput.document(options.server() == null ? "server" : "client");
        members.put(
                "connections", nodes.values().stream().map(TransferNode::json).toList());
        members.put("messages", options.messages());
        members.put("size", options.bytes());
        members.put("connect_seconds", CmOutput.seconds(connectNs));
        members.put("transfer_seconds", CmOutput.seconds(transferNs));
        return members;
    }

    private void disconnect() throws ToolFailure, InterruptedException {
        out.println(name + ": disconnecting");
        for (TransferNode node : nodes.values()) {
            node.id().disconnect();
        }
        awaitDisconnects();
        out.println("disconnected");
    }

    private void awaitReceives() throws ToolFailure, InterruptedException {
        for (TransferNode node : nodes.values()) {
            node.awaitReceives();
        }
    }

    private void postSends() throws ToolFailure {
        for (TransferNode node : nodes.values()) {
            node.postSends();
        }
    }

    private void awaitSends() throws ToolFailure, InterruptedException {
        for (TransferNode node : nodes.values()) {
            node.awaitSends();
        }
    }

    private void awaitConnections() throws ToolFailure, InterruptedException {
        long startNs = System.nanoTime();
        while (connected < options.connections()) {
            handleNext();
        }
        connectNs = System.nanoTime() - startNs;
        if (options.migrates()) {
            migrate();
        }
    }

    /** Moves the ids of the connections to another event channel. */
    private void migrate() {
        out.println("migrating to new event channel");
        EventChannel next = cm.createChannel();
        for (RdmaId id : ids) {
            id.migrate(next);
        }
        for (RdmaId id : nodes.keySet()) {
            if (!ids.contains(id)) {
                id.migrate(next);
            }
        }
        channel.close();
        channel = next;
    }

    private void awaitDisconnects() throws ToolFailure, InterruptedException {
        while (!isDatagram() && disconnected < options.connections()) {
            handleNext();
        }
    }

    private void handleNext() throws ToolFailure, InterruptedException {
        try (ConnectionEvent event = channel.get()) {
            handle(event);
        } catch (RdmaException e) {
            throw CmTool.failed(name + ": failure connecting", e);
        }
    }

    private void handle(ConnectionEvent event) throws ToolFailure {
        RdmaId id = event.id();
        switch (event.type()) {
            case ADDR_RESOLVED -> {
                if (options.typeOfService() >= 0) {
                    id.setTypeOfService(options.typeOfService());
                }
                if (options.ackTimeout() >= 0) {
                    id.setAckTimeout(options.ackTimeout());
                }
                id.resolveRoute(CmTool.RESOLVE_MS);
            }
            case ROUTE_RESOLVED -> {
                add(id);
                id.connect(ConnectParameters.DEFAULT.withResources(1, 1).withRetryCounts(RETRIES, 0));
            }
            case CONNECT_REQUEST -> accept(id);
            case ESTABLISHED -> {
                DatagramPeer peer = event.datagram();
                if (peer != null) {
                    node(id).peer(peer);
                }
                connected++;
            }
            case DISCONNECTED -> {
                if (options.server() != null) {
                    id.disconnect();
                }
                disconnected++;
            }
            case TIMEWAIT_EXIT -> {}
            default -> throw new ToolFailure(name + ": event: " + event.type().text() + ", error: " + event.status());
        }
    }

    private void add(RdmaId id) throws ToolFailure {
        nodes.put(id, new TransferNode(id, name, options));
    }

    private TransferNode node(RdmaId id) {
        return Objects.requireNonNull(nodes.get(id), "an id of this program");
    }

    private void accept(RdmaId id) throws ToolFailure {
        if (nodes.size() == options.connections()) {
            id.reject(MemorySegment.NULL);
            id.close();
            return;
        }
        add(id);
        id.accept(ConnectParameters.DEFAULT);
        if (isDatagram()) {
            // The service has no handshake.
            connected++;
        }
    }

    @Override
    public void close() {
        nodes.values().forEach(TransferNode::close);
        ids.forEach(RdmaId::close);
        channel.close();
    }
}
