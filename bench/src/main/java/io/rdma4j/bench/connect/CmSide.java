// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.connect;

import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.ConnectionEventType;
import io.rdma4j.rdmacm.EventChannel;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.rdmacm.host.RdmaCmService;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.Rdma;
import io.rdma4j.verbs.values.QpCapabilities;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Connections by rdma_cm over the loopback device of this process: a thread accepts, the caller connects. */
final class CmSide implements AutoCloseable {
    private static final int PORT = 7471;
    private static final int RESOLVE_MS = 2000;
    private static final int BACKLOG = 1024;

    private final RdmaCm cm = RdmaCmService.ofProcess().cm();
    private final Context context = Rdma.open("rxe_lo");
    private final ProtectionDomain pd = context.allocatePd();
    private final CompletionQueue cq = context.createCq(16);
    private final InetSocketAddress address =
            new InetSocketAddress(context.queryGid(1, 0).toInetAddress(), PORT);
    private final EventChannel ofServer = cm.createChannel();
    private final EventChannel ofClient = cm.createChannel();
    private final RdmaId listener = cm.createId(ofServer, PortSpace.TCP);
    private final Set<RdmaId> accepted = ConcurrentHashMap.newKeySet();
    private final List<RdmaId> held = new ArrayList<>();
    private final Thread server;

    CmSide() {
        listener.bindAddress(address);
        listener.listen(BACKLOG);
        server = Thread.ofVirtual().start(this::serve);
    }

    private void serve() {
        try {
            while (true) {
                ConnectionEvent event = ofServer.get();
                event.acknowledge();
                RdmaId id = event.id();
                switch (event.type()) {
                    case CONNECT_REQUEST -> {
                        createQp(id);
                        accepted.add(id);
                        id.accept(ConnectParameters.DEFAULT);
                    }
                    case DISCONNECTED -> {
                        id.disconnect();
                        accepted.remove(id);
                        id.close();
                    }
                    default -> {}
                }
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void createQp(RdmaId id) {
        id.createQp(
                pd,
                QpInitAttributes.builder(cq)
                        .capabilities(QpCapabilities.of(1, 1))
                        .build());
    }

    private void expect(ConnectionEventType type) throws InterruptedException {
        ConnectionEvent event = ofClient.get();
        event.acknowledge();
        if (event.type() != type) {
            throw new IllegalStateException("expected " + type + ", got " + event);
        }
    }

    Round round(int count) throws InterruptedException {
        Round round = new Round(count);
        for (int i = 0; i < count; i++) {
            RdmaId id = cm.createId(ofClient, PortSpace.TCP);
            connect(id, i, round);
            long startNs = System.nanoTime();
            id.disconnect();
            expect(ConnectionEventType.DISCONNECTED);
            id.close();
            round.record("disconnect", i, System.nanoTime() - startNs);
        }
        return round;
    }

    private void connect(RdmaId id, int number, Round round) throws InterruptedException {
        long startNs = System.nanoTime();
        id.resolveAddress(null, address, RESOLVE_MS);
        expect(ConnectionEventType.ADDR_RESOLVED);
        long addressNs = System.nanoTime();
        round.record("resolve addr", number, addressNs - startNs);
        id.resolveRoute(RESOLVE_MS);
        expect(ConnectionEventType.ROUTE_RESOLVED);
        long routeNs = System.nanoTime();
        round.record("resolve route", number, routeNs - addressNs);
        createQp(id);
        long qpNs = System.nanoTime();
        round.record("create qp", number, qpNs - routeNs);
        id.connect(ConnectParameters.DEFAULT);
        expect(ConnectionEventType.ESTABLISHED);
        round.record("connect", number, System.nanoTime() - qpNs);
    }

    /** Makes connections and keeps them. */
    void hold(int count) throws InterruptedException {
        Round round = new Round(count);
        for (int i = 0; i < count; i++) {
            RdmaId id = cm.createId(ofClient, PortSpace.TCP);
            held.add(id);
            connect(id, i, round);
        }
    }

    /** Ends the connections that are kept. */
    void release() throws InterruptedException {
        for (RdmaId id : held) {
            id.disconnect();
            expect(ConnectionEventType.DISCONNECTED);
            id.close();
        }
        held.clear();
    }

    @Override
    public void close() {
        server.interrupt();
        try {
            server.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        held.forEach(RdmaId::close);
        accepted.forEach(RdmaId::close);
        listener.close();
        ofServer.close();
        ofClient.close();
        cq.close();
        pd.close();
        context.close();
    }
}
