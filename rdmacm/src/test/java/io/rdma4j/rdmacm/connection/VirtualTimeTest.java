// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.ConnectionEventType;
import io.rdma4j.rdmacm.EventChannel;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two real devices that the test drives. */
@ProvedOn("device")
class VirtualTimeTest {
    private static final int PORT = 7471;

    private final DeviceHosts hosts = new DeviceHosts(true);
    private final EventChannel ofClient = hosts.client.cm.createChannel();
    private final EventChannel ofServer = hosts.server.cm.createChannel();
    private final RdmaId active = hosts.client.cm.createId(ofClient, PortSpace.TCP);
    private final RdmaId listener = hosts.server.cm.createId(ofServer, PortSpace.TCP);

    @AfterEach
    void close() {
        active.close();
        listener.close();
        ofClient.close();
        ofServer.close();
        hosts.close();
    }

    private ConnectionEvent expect(EventChannel channel, ConnectionEventType type) {
        ConnectionEvent event = hosts.await(channel);
        assertThat(event.type()).isEqualTo(type);
        return event;
    }

    private void connect() {
        hosts.server.answer();
        active.resolveAddress(null, DeviceHosts.address("10.0.0.2", PORT), 2000);
        expect(ofClient, ConnectionEventType.ADDR_RESOLVED);
        active.resolveRoute(2000);
        expect(ofClient, ConnectionEventType.ROUTE_RESOLVED);
        active.connect(ConnectParameters.DEFAULT.withQueuePair(0x17, false));
    }

    @Test
    @Covers("RCM-4")
    void aConnectionTakesNoTime() {
        listener.bindAddress(DeviceHosts.address("10.0.0.2", PORT));
        listener.listen(1);
        connect();
        RdmaId passive = expect(ofServer, ConnectionEventType.CONNECT_REQUEST).id();
        passive.accept(ConnectParameters.DEFAULT.withQueuePair(0x18, false));
        expect(ofClient, ConnectionEventType.CONNECT_RESPONSE);
        active.establish();
        expect(ofServer, ConnectionEventType.ESTABLISHED);
        passive.close();
        expect(ofClient, ConnectionEventType.DISCONNECTED);
        assertThat(hosts.virtualNs()).isLessThan(TimeUnit.SECONDS.toNanos(1));
    }

    @Test
    @Covers("RCM-4")
    void aHostThatDoesNotAnswerIsUnreachableAfter98Seconds() {
        connect();
        assertThat(expect(ofClient, ConnectionEventType.UNREACHABLE).status()).isEqualTo(-110);
        assertThat(TimeUnit.NANOSECONDS.toSeconds(hosts.virtualNs())).isBetween(60L, 110L);
    }
}
