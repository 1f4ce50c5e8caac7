// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.EventChannel;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.tools.rdmacm.CmEnd;
import io.rdma4j.tools.rdmacm.CmTool;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The way of the connections of a test that rdma_cm makes.
 *
 * @param space of the port
 * @param server its address; of a server that listens on all, the wildcard
 * @param source address of the client's end; null: the route determines it
 * @param typeOfService of the connections, 8 bits; negative if not given
 * @param ackTimeout code, 5 bits
 */
record CmRoute(
        PortSpace space,
        InetSocketAddress server,
        @Nullable InetSocketAddress source,
        int typeOfService,
        int ackTimeout) {
    private static final int ATTEMPTS = 10;
    private static final int PAUSE_MS = 100;

    /** A step of a connection that may fail because the server does not listen yet. */
    @FunctionalInterface
    interface Step<T> {
        T run() throws ToolFailure, InterruptedException;
    }

    static CmRoute of(PerfOptions options, PortSpace space) throws ToolFailure {
        String source = options.sourceAddress();
        String server = options.isClient() ? options.server() : source;
        return new CmRoute(
                space,
                CmTool.address(server, options.tcpPort(), CmTool.Family.ANY),
                options.isClient() && source != null ? CmTool.address(source, 0, CmTool.Family.ANY) : null,
                options.cm().typeOfService(),
                options.connection().timeout());
    }

    /** Runs a step until it succeeds, at most ten times. */
    <T> T retry(Step<T> step) throws ToolFailure, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            try {
                return step.run();
            } catch (ToolFailure e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
        }
    }

    /** Makes an id with device and route to the server. The caller closes it. */
    CmEnd resolved(RdmaCm cm) throws ToolFailure, InterruptedException {
        EventChannel channel = cm.createChannel();
        RdmaId id = cm.createId(channel, space);
        CmEnd end = new CmEnd(channel, id);
        try {
            if (space == PortSpace.TCP) {
                id.setAckTimeout(ackTimeout);
            }
            if (typeOfService >= 0) {
                id.setTypeOfService(typeOfService);
            }
            end.resolve(source, server);
            return end;
        } catch (ToolFailure | InterruptedException | RuntimeException e) {
            end.close();
            throw e;
        }
    }

    /** Makes a listening id. The caller closes it. */
    CmEnd listen(RdmaCm cm, int backlog) throws ToolFailure {
        EventChannel channel = cm.createChannel();
        RdmaId id = cm.createId(channel, space);
        CmEnd end = new CmEnd(channel, id);
        try {
            if (typeOfService >= 0) {
                id.setTypeOfService(typeOfService);
            }
            id.bindAddress(server);
            id.listen(backlog);
            return end;
        } catch (RdmaException e) {
            end.close();
            throw CmTool.failed("rdma_bind_addr", e);
        }
    }
}
