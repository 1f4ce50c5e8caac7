// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.AddressFlag;
import io.rdma4j.rdmacm.AddressHints;
import io.rdma4j.rdmacm.AddressInfo;
import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.ConnectionEventType;
import io.rdma4j.rdmacm.DatagramPeer;
import io.rdma4j.rdmacm.EventChannel;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.values.QpState;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ids and event channels on two real devices. */
@ProvedOn("device")
@Timeout(120)
class RdmaIdOnDeviceTest {
    private static final int PORT = 7471;
    private static final InetSocketAddress SERVER = DeviceHosts.address("10.0.0.2", PORT);

    private final DeviceHosts hosts = new DeviceHosts();
    private final List<AutoCloseable> resources = Collections.synchronizedList(new ArrayList<>());
    private final EventChannel events = hosts.client.cm.createChannel();
    private final EventChannel ofServer = hosts.server.cm.createChannel();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable resource : resources.reversed()) {
            resource.close();
        }
        events.close();
        ofServer.close();
        hosts.close();
    }

    private <T extends AutoCloseable> T kept(T resource) {
        resources.add(resource);
        return resource;
    }

    private RdmaId listener(PortSpace space) {
        RdmaId listener = kept(hosts.server.cm.createId(ofServer, space));
        listener.bindAddress(SERVER);
        listener.listen(10);
        return listener;
    }

    private void createQp(RdmaId id) {
        Context context = Objects.requireNonNull(id.verbs());
        ProtectionDomain pd = context.allocatePd();
        CompletionQueue cq = context.createCq(4);
        // The id is closed before what its queue pair uses.
        resources.addFirst(cq);
        resources.addFirst(pd);
        id.createQp(
                pd, QpInitAttributes.builder(cq).type(id.portSpace().qpType()).build());
    }

    private static ConnectionEvent expect(EventChannel channel, ConnectionEventType type) throws InterruptedException {
        ConnectionEvent event = Objects.requireNonNull(channel.get(Duration.ofSeconds(60)));
        event.acknowledge();
        assertThat(event.type()).isEqualTo(type);
        return event;
    }

    private RdmaId resolved(PortSpace space) throws InterruptedException {
        RdmaId id = kept(hosts.client.cm.createId(events, space));
        id.resolveAddress(null, SERVER, 2000);
        expect(events, ConnectionEventType.ADDR_RESOLVED);
        id.resolveRoute(2000);
        expect(events, ConnectionEventType.ROUTE_RESOLVED);
        createQp(id);
        return id;
    }

    @Test
    @Covers({"RCM-1", "RCM-2", "RCM-3", "RCM-4"})
    void eventsOfAConnectionComeInOrder() throws InterruptedException {
        listener(PortSpace.TCP);
        assertThat(events.poll()).isNull();
        assertThat(events.get(Duration.ofMillis(1))).isNull();
        RdmaId active = resolved(PortSpace.TCP);
        CompletableFuture<ConnectionEvent> request = ofServer.next();
        active.connect(ConnectParameters.DEFAULT);
        RdmaId passive = kept(request.join().id());
        request.join().acknowledge();
        createQp(passive);
        passive.accept(ConnectParameters.DEFAULT);
        expect(events, ConnectionEventType.ESTABLISHED);
        expect(ofServer, ConnectionEventType.ESTABLISHED);
        assertThat(Objects.requireNonNull(active.qp()).state()).isEqualTo(QpState.RTS);
        active.disconnect();
        expect(ofServer, ConnectionEventType.DISCONNECTED);
        passive.disconnect();
        try (ConnectionEvent event = events.get()) {
            assertThat(event.type()).isEqualTo(ConnectionEventType.DISCONNECTED);
        }
        assertThat(Objects.requireNonNull(passive.qp()).state()).isEqualTo(QpState.ERR);
    }

    @Test
    @Covers("RCM-6")
    void anIdLooksUpThePeer() throws InterruptedException {
        hosts.server.answer();
        RdmaId id = kept(hosts.client.cm.createId(events, PortSpace.UDP));
        id.resolveAddressInfo("10.0.0.2", "7471", AddressHints.NONE.with(AddressFlag.DNS, AddressFlag.NUMERIC_HOST));
        expect(events, ConnectionEventType.ADDRINFO_RESOLVED);
        AddressInfo info = id.addressInfo().getFirst();
        assertThat(info.destination()).isEqualTo(SERVER);
        id.resolveAddress(info.source(), Objects.requireNonNull(info.destination()), 2000);
        expect(events, ConnectionEventType.ADDR_RESOLVED);
        id.resolveAddressInfo("10.0.0", "x", AddressHints.NONE.with(AddressFlag.DNS));
        assertThat(expect(events, ConnectionEventType.ADDRINFO_ERROR).status()).isEqualTo(-Errno.EINVAL.code());
    }

    @Test
    @Covers("RCM-4")
    void aDatagramServiceIsResolved() throws InterruptedException {
        listener(PortSpace.UDP);
        RdmaId active = resolved(PortSpace.UDP);
        active.connect(ConnectParameters.DEFAULT);
        RdmaId passive =
                kept(expect(ofServer, ConnectionEventType.CONNECT_REQUEST).id());
        createQp(passive);
        passive.accept(ConnectParameters.DEFAULT);
        DatagramPeer peer = Objects.requireNonNull(
                expect(events, ConnectionEventType.ESTABLISHED).datagram());
        assertThat(peer.qpn()).isEqualTo(Objects.requireNonNull(passive.qp()).qpn());
        assertThat(Objects.requireNonNull(passive.qp()).state()).isEqualTo(QpState.RTS);
    }

    @Test
    @Covers("RCM-4")
    void synchronousIdsWait() throws Exception {
        RdmaId listener = kept(hosts.server.cm.createId(null, PortSpace.TCP));
        listener.bindAddress(SERVER);
        listener.listen(10);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<RdmaId> accepted = threads.submit(() -> {
                RdmaId passive = listener.getRequest();
                createQp(passive);
                passive.accept(ConnectParameters.DEFAULT);
                listener.getRequest().reject(MemorySegment.NULL);
                return passive;
            });
            RdmaId active = kept(hosts.client.cm.createId(null, PortSpace.TCP));
            active.resolveAddress(null, SERVER, 2000);
            active.resolveRoute(2000);
            createQp(active);
            active.connect(ConnectParameters.DEFAULT);
            RdmaId refused = kept(hosts.client.cm.createId(null, PortSpace.TCP));
            refused.resolveAddress(null, SERVER, 2000);
            refused.resolveRoute(2000);
            createQp(refused);
            assertThat(catchThrowableOfType(RdmaException.class, () -> refused.connect(ConnectParameters.DEFAULT))
                            .errno())
                    .isEqualTo(Errno.ECONNREFUSED);
            RdmaId passive = kept(accepted.get());
            Future<?> left = threads.submit(active::disconnect);
            passive.disconnect();
            left.get();
            assertThat(Objects.requireNonNull(passive.lastEvent()).type()).isEqualTo(ConnectionEventType.DISCONNECTED);
        }
    }

    @Test
    void aDomainOfAnotherDeviceIsRefused() throws InterruptedException {
        listener(PortSpace.TCP);
        RdmaId active = kept(hosts.client.cm.createId(events, PortSpace.TCP));
        active.resolveAddress(null, SERVER, 2000);
        expect(events, ConnectionEventType.ADDR_RESOLVED);
        Context other = Objects.requireNonNull(
                hosts.server.service.openDevices().getFirst().context());
        try (ProtectionDomain pd = other.allocatePd();
                CompletionQueue cq = other.createCq(1)) {
            assertThat(catchThrowableOfType(
                                    RdmaException.class,
                                    () -> active.createQp(
                                            pd, QpInitAttributes.builder(cq).build()))
                            .errno())
                    .isEqualTo(Errno.EINVAL);
        }
    }
}
