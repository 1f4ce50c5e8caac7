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
import org.jspecify.annotations.Nullable;

/** The client of {@code rping}: each ping goes to the server's memory and comes back to other memory of the client. */
final class RpingClient {
    private final RpingOptions options;
    private final PrintWriter out;
    private final PrintWriter err;

    RpingClient(RpingOptions options, PrintWriter out, PrintWriter err) {
        this.options = options;
        this.out = out;
        this.err = err;
    }

    RpingResult run(RdmaCm cm) throws ToolFailure, InterruptedException {
        InetSocketAddress server = CmTool.address(options.address(), options.port(), CmTool.Family.ANY);
        InetSocketAddress source =
                options.source() == null ? null : CmTool.address(options.source(), 0, CmTool.Family.ANY);
        EventChannel channel = cm.createChannel();
        try (CmEnd end = new CmEnd(channel, cm.createId(channel, PortSpace.TCP))) {
            return run(end, source, server);
        }
    }

    private RpingResult run(CmEnd end, @Nullable InetSocketAddress source, InetSocketAddress server)
            throws ToolFailure, InterruptedException {
        end.resolve(source, server);
        try (RpingBuffers buffers = new RpingBuffers(end, options)) {
            connect(end, buffers);
            long startNs = System.nanoTime();
            int pings = 0;
            while ((options.count() == 0 || pings < options.count()) && ping(buffers, pings)) {
                pings++;
            }
            long elapsedNs = System.nanoTime() - startNs;
            if (end.isDisconnected()) {
                err.println("client DISCONNECT EVENT...");
            }
            if (pings < options.count()) {
                throw new ToolFailure("wait for RDMA_WRITE_ADV state 10");
            }
            disconnect(end);
            return buffers.result(pings, elapsedNs);
        }
    }

    private void connect(CmEnd end, RpingBuffers buffers) throws ToolFailure, InterruptedException {
        ConnectParameters parameters = ConnectParameters.DEFAULT.withResources(1, 1);
        try {
            if (options.ownQp()) {
                end.id().connect(parameters.withQueuePair(buffers.qp().qpn(), false));
                end.expect(ConnectionEventType.CONNECT_RESPONSE);
                buffers.connectOwn();
                end.id().establish();
            } else {
                end.id().connect(parameters);
                end.expect(ConnectionEventType.ESTABLISHED);
            }
        } catch (RdmaException e) {
            throw CmTool.failed("rdma_connect", e);
        }
    }

    /** Returns false if the server has disconnected. */
    private boolean ping(RpingBuffers buffers, int ping) throws ToolFailure, InterruptedException {
        RpingData.fill(buffers.source(), ping);
        buffers.sendSource();
        if (!buffers.awaitMessage()) {
            return false;
        }
        buffers.sendTarget();
        if (!buffers.awaitMessage()) {
            return false;
        }
        if (options.validates() && buffers.source().mismatch(buffers.data()) >= 0) {
            throw new ToolFailure("data mismatch!");
        }
        if (options.prints()) {
            out.println("ping data: " + RpingData.text(buffers.data(), options.size()));
        }
        return true;
    }

    private static void disconnect(CmEnd end) throws ToolFailure {
        try {
            end.id().disconnect();
        } catch (RdmaException e) {
            throw CmTool.failed("rdma_disconnect", e);
        }
    }
}
