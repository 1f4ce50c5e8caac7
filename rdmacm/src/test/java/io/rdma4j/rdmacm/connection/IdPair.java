// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.ConnectionEventType;
import io.rdma4j.rdmacm.EventChannel;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SignalType;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Two hosts in virtual time with an event channel each. The ids of a test connect over their real devices. */
final class IdPair implements AutoCloseable {
    static final int PORT = 7471;
    static final InetSocketAddress SERVER = DeviceHosts.address("10.0.0.2", PORT);
    static final ConnectParameters DEFAULT = ConnectParameters.DEFAULT;

    final DeviceHosts hosts = new DeviceHosts(true);
    final EventChannel ofClient = hosts.client.cm.createChannel();
    final EventChannel ofServer = hosts.server.cm.createChannel();
    private final List<RdmaId> ids = new ArrayList<>();

    IdPair() {
        hosts.server.answer();
    }

    /** The two ends of an established connection, each with a queue pair of its id. */
    record Connection(RdmaId active, RdmaId passive) {}

    static Errno errnoOf(Runnable call) {
        return catchThrowableOfType(RdmaException.class, call::run).errno();
    }

    RdmaId client(PortSpace space) {
        return kept(hosts.client.cm.createId(ofClient, space));
    }

    RdmaId server(PortSpace space) {
        return kept(hosts.server.cm.createId(ofServer, space));
    }

    RdmaId kept(RdmaId id) {
        ids.add(id);
        return id;
    }

    RdmaId listener(PortSpace space) {
        return listener(server(space), SERVER, 0);
    }

    RdmaId listener(RdmaId id, InetSocketAddress address, int backlog) {
        id.bindAddress(address);
        id.listen(backlog);
        return id;
    }

    RdmaId addressed(RdmaId id, @Nullable InetSocketAddress source, InetSocketAddress destination) {
        id.resolveAddress(source, destination, 2000);
        atClient(ConnectionEventType.ADDR_RESOLVED);
        return id;
    }

    RdmaId resolved(PortSpace space) {
        return resolved(client(space), SERVER);
    }

    RdmaId resolved(RdmaId id, InetSocketAddress destination) {
        addressed(id, null, destination);
        id.resolveRoute(2000);
        atClient(ConnectionEventType.ROUTE_RESOLVED);
        return id;
    }

    static QueuePair createQp(RdmaId id) {
        return createQp(id, id.qpType());
    }

    static QueuePair createQp(RdmaId id, QpType type) {
        return id.createQp(
                null,
                QpInitAttributes.builder(null, null)
                        .type(type)
                        .capabilities(new QpCapabilities(4, 4, 1, 1, 64))
                        .signalType(SignalType.ALL_WR)
                        .build());
    }

    ConnectionEvent atClient(ConnectionEventType type) {
        return expect(ofClient, type);
    }

    ConnectionEvent atServer(ConnectionEventType type) {
        return expect(ofServer, type);
    }

    private ConnectionEvent expect(EventChannel channel, ConnectionEventType type) {
        ConnectionEvent event = hosts.await(channel);
        assertThat(event.type()).as("%s", event).isEqualTo(type);
        return event;
    }

    /** The id of the next request. */
    RdmaId request() {
        return kept(atServer(ConnectionEventType.CONNECT_REQUEST).id());
    }

    /** The server's device is open, so that its communication manager answers. */
    void openServer() {
        try (RdmaId id = hosts.server.cm.createId(ofServer, PortSpace.TCP)) {
            id.bindAddress(DeviceHosts.address("10.0.0.2", 0));
        }
    }

    /** Nothing more happens within a time that is shorter than any timeout. */
    void expectNothing() {
        settle();
        assertThat(ofClient.poll()).isNull();
        assertThat(ofServer.poll()).isNull();
    }

    /** Lets everything happen that needs no timer; the program fetches no event. */
    void settle() {
        hosts.pass(Duration.ofMillis(1));
    }

    /** Connects an id with a route. */
    Connection connect(RdmaId active) {
        createQp(active);
        active.connect(DEFAULT);
        RdmaId passive = request();
        createQp(passive);
        passive.accept(DEFAULT);
        atClient(ConnectionEventType.ESTABLISHED);
        atServer(ConnectionEventType.ESTABLISHED);
        return new Connection(active, passive);
    }

    @Override
    public void close() {
        ids.reversed().forEach(RdmaId::close);
        ofClient.close();
        ofServer.close();
        hosts.close();
    }
}
