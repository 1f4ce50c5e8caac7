// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.EventChannel;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.tools.peer.ToolFailure;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.Set;

/** Server of {@code cmtime}: accepts until a number of connections have ended. One thread. */
final class CmtimeServer {
    private final RdmaCm cm;
    private final PrintWriter err;
    private final Set<RdmaId> open = new LinkedHashSet<>();

    CmtimeServer(RdmaCm cm, PrintWriter err) {
        this.cm = cm;
        this.err = err;
    }

    void run(InetSocketAddress address, int connections) throws ToolFailure, InterruptedException {
        try (EventChannel channel = cm.createChannel();
                CmtimeQueues queues = new CmtimeQueues()) {
            RdmaId listener = cm.createId(channel, PortSpace.TCP);
            open.add(listener);
            try {
                listen(listener, address);
                int ended = 0;
                while (ended < connections) {
                    ended += handle(channel.get(), queues) ? 1 : 0;
                }
            } finally {
                open.forEach(RdmaId::close);
            }
        }
    }

    private static void listen(RdmaId listener, InetSocketAddress address) throws ToolFailure {
        try {
            listener.bindAddress(address);
            listener.listen(0);
        } catch (RdmaException e) {
            throw CmTool.failed("bind address failed", e);
        }
    }

    /** {@return true if a connection has ended} */
    private boolean handle(ConnectionEvent event, CmtimeQueues queues) {
        event.acknowledge();
        RdmaId id = event.id();
        switch (event.type()) {
            case CONNECT_REQUEST -> accept(id, queues);
            case DISCONNECTED -> {
                id.disconnect();
                open.remove(id);
                id.close();
                return true;
            }
            default -> {} // The original ignores other events, too.
        }
        return false;
    }

    private void accept(RdmaId id, CmtimeQueues queues) {
        open.add(id);
        try {
            queues.createQp(id);
            id.accept(ConnectParameters.DEFAULT);
        } catch (RdmaException e) {
            err.println("failing connection request: " + e.getMessage());
            id.reject(MemorySegment.NULL);
            open.remove(id);
            id.close();
        }
    }
}
