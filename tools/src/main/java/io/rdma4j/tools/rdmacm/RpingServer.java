// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.ConnectionEventType;
import io.rdma4j.rdmacm.EventChannel;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.tools.peer.ToolFailure;
import java.io.PrintWriter;
import java.net.InetSocketAddress;

/**
 * The server of {@code rping}: reads each ping from the client's memory, and writes it to other memory of the client.
 */
final class RpingServer {
    private static final int BACKLOG = 3;

    private final RpingOptions options;
    private final PrintWriter out;
    private final PrintWriter err;

    RpingServer(RpingOptions options, PrintWriter out, PrintWriter err) {
        this.options = options;
        this.out = out;
        this.err = err;
    }

    /** Serves one connection. */
    RpingResult serveOne(RdmaCm cm) throws ToolFailure, InterruptedException {
        try (CmEnd listener = listen(cm)) {
            return serve(listener.nextRequest(cm));
        }
    }

    /** Serves any number of connections until the thread is interrupted. */
    void servePersistently(RdmaCm cm) throws ToolFailure, InterruptedException {
        try (CmEnd listener = listen(cm)) {
            while (!Thread.currentThread().isInterrupted()) {
                CmEnd connection = listener.nextRequest(cm);
                Thread.ofVirtual().start(() -> serveAlone(connection));
            }
        }
    }

    private CmEnd listen(RdmaCm cm) throws ToolFailure {
        InetSocketAddress address = CmTool.address(options.address(), options.port(), CmTool.Family.ANY);
        EventChannel channel = cm.createChannel();
        CmEnd listener = new CmEnd(channel, cm.createId(channel, PortSpace.TCP));
        try {
            listener.id().bindAddress(address);
            listener.id().listen(BACKLOG);
            return listener;
        } catch (RdmaException e) {
            listener.close();
            throw CmTool.failed("rdma_bind_addr", e);
        }
    }

    private void serveAlone(CmEnd connection) {
        try {
            serve(connection);
        } catch (ToolFailure e) {
            e.print("rping", err);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private RpingResult serve(CmEnd connection) throws ToolFailure, InterruptedException {
        try (connection;
                RpingBuffers buffers = new RpingBuffers(connection, options)) {
            accept(connection, buffers);
            long startNs = System.nanoTime();
            long endNs = startNs;
            int pings = 0;
            while (pong(buffers)) {
                pings++;
                endNs = System.nanoTime();
            }
            err.println("server DISCONNECT EVENT...");
            err.println("wait for RDMA_READ_ADV state 10");
            connection.id().disconnect();
            return buffers.result(pings, endNs - startNs);
        } catch (RdmaException e) {
            throw CmTool.failed("rdma_accept", e);
        }
    }

    private void accept(CmEnd connection, RpingBuffers buffers) throws ToolFailure, InterruptedException {
        ConnectParameters parameters = ConnectParameters.DEFAULT;
        if (options.ownQp()) {
            buffers.connectOwn();
            connection.id().accept(parameters.withQueuePair(buffers.qp().qpn(), false));
        } else {
            connection.id().accept(parameters);
        }
        connection.expect(ConnectionEventType.ESTABLISHED);
    }

    /** Returns false if the client has disconnected. */
    private boolean pong(RpingBuffers buffers) throws ToolFailure, InterruptedException {
        if (!buffers.awaitMessage()) {
            return false;
        }
        int bytes = buffers.read();
        if (options.prints()) {
            out.println("server ping data: " + RpingData.text(buffers.data(), bytes));
        }
        buffers.sendGo();
        if (!buffers.awaitMessage()) {
            return false;
        }
        // The text and the 0 behind it.
        buffers.write(Math.min(bytes, RpingData.length(buffers.data(), bytes) + 1));
        buffers.sendGo();
        return true;
    }
}
