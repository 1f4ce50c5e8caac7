// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.ConnectionEventType;
import io.rdma4j.rdmacm.EventChannel;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.rdmacm.RdmaIdState;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Devices and addresses that go and come while ids use them. */
@ProvedOn("device")
@Timeout(120)
class DeviceRemovalTest {
    private static final int PORT = 7471;
    private static final InetSocketAddress SERVER = DeviceHosts.address("10.0.0.2", PORT);

    private final DeviceHosts hosts = new DeviceHosts();
    private final EventChannel events = hosts.server.cm.createChannel();

    @AfterEach
    void close() {
        events.close();
        hosts.close();
    }

    private ConnectionEvent expect(ConnectionEventType type) throws InterruptedException {
        ConnectionEvent event = Objects.requireNonNull(events.get(Duration.ofSeconds(60)), type.name());
        event.acknowledge();
        assertThat(event.type()).isEqualTo(type);
        return event;
    }

    private RdmaId bound(InetSocketAddress address) {
        RdmaId id = hosts.server.cm.createId(events, PortSpace.TCP);
        id.bindAddress(address);
        return id;
    }

    @Test
    @Covers("RCM-11")
    void everyIdOfARemovedDeviceIsTold() throws InterruptedException {
        try (RdmaId bound = bound(SERVER);
                RdmaId listener = bound(DeviceHosts.address("fd00::2", PORT));
                RdmaId wildcard = bound(DeviceHosts.address("0.0.0.0", PORT + 1))) {
            listener.listen(0);
            wildcard.listen(0);
            hosts.server.unplug();
            assertThat(expect(ConnectionEventType.DEVICE_REMOVAL).id()).isSameAs(bound);
            assertThat(expect(ConnectionEventType.DEVICE_REMOVAL).id()).isSameAs(listener);
            assertThat(bound.state()).isEqualTo(RdmaIdState.DEVICE_REMOVAL);
            assertThat(wildcard.state()).isEqualTo(RdmaIdState.LISTEN);
            assertThat(wildcard.listenAddresses()).isEmpty();
            assertThat(catchThrowableOfType(RdmaException.class, () -> bound.listen(0))
                            .errno())
                    .isEqualTo(Errno.EINVAL);
            assertThat(hosts.server.service.openDevices()).isEmpty();
        }
    }

    @Test
    @Covers("RCM-13")
    void aWildcardListenerUsesADeviceThatComesLater() throws Exception {
        hosts.server.unplug();
        try (RdmaServer server = RdmaServer.listen(DeviceHosts.address("0.0.0.0", PORT), hosts.server.options())) {
            assertThat(server.addresses()).isEmpty();
            hosts.server.plug();
            // The service opens the device in the background.
            while (server.addresses().isEmpty()) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            try (RdmaConnection client = RdmaConnection.connect(SERVER, hosts.client.options());
                    RdmaConnection peer = server.accept()) {
                client.send("late");
                assertThat(peer.receiveText()).isEqualTo("late");
            }
        }
    }

    @Test
    @Covers("RCM-11")
    void aServerAndItsConnectionsEndWithTheirDevice() throws Exception {
        try (RdmaServer server = RdmaServer.listen(SERVER, hosts.server.options());
                RdmaConnection _ = RdmaConnection.connect(SERVER, hosts.client.options());
                RdmaConnection peer = server.accept()) {
            CompletableFuture<RdmaConnection> next = server.acceptAsync();
            hosts.server.unplug();
            assertThat(peer.disconnected().orTimeout(60, TimeUnit.SECONDS).join())
                    .isSameAs(peer);
            Throwable cause = next.handle((_, error) -> error)
                    .orTimeout(60, TimeUnit.SECONDS)
                    .join();
            assertThat(cause)
                    .isInstanceOf(RdmaException.class)
                    .hasMessageContaining("ENODEV: the device of the server");
            assertThat(catchThrowableOfType(RdmaException.class, server::accept).errno())
                    .isEqualTo(Errno.ENODEV);
        }
    }

    @Test
    @Covers("RCM-12")
    void anIdIsToldThatItsAddressIsGone() throws InterruptedException {
        try (RdmaId ipv4 = bound(SERVER);
                RdmaId ipv6 = bound(DeviceHosts.address("fd00::2", PORT))) {
            hosts.server.setAddresses("fd00::2");
            assertThat(expect(ConnectionEventType.ADDR_CHANGE).id()).isSameAs(ipv4);
            assertThat(ipv4.state()).isEqualTo(RdmaIdState.ADDR_BOUND);
            hosts.server.setAddresses("10.0.0.2", "fd00::2");
            hosts.server.setAddresses("10.0.0.2");
            assertThat(expect(ConnectionEventType.ADDR_CHANGE).id()).isSameAs(ipv6);
            assertThat(events.poll()).isNull();
        }
    }
}
