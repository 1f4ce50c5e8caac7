// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server and a connection on hosts of a subnet, in real time. */
@ProvedOn("device")
@Timeout(120)
class ConnectionOnSubnetTest {
    @Test
    @Covers("RCM-65")
    void messagesGoBothWays() throws InterruptedException {
        try (SubnetMachines subnet = new SubnetMachines(false, SubnetOptions.DEFAULT);
                RdmaServer server = RdmaServer.listen(DeviceHosts.address("0.0.0.0", 0), subnet.server.options());
                RdmaConnection client = RdmaConnection.connect(
                        DeviceHosts.address("10.0.0.2", server.address().getPort()), subnet.client.options());
                RdmaConnection peer = server.accept()) {
            for (int i = 0; i < 10; i++) {
                client.send("question " + i);
                assertThat(text(peer)).isEqualTo("question " + i);
                peer.send("answer " + i);
                assertThat(text(client)).isEqualTo("answer " + i);
            }
        }
    }

    private static String text(RdmaConnection connection) throws InterruptedException {
        try (ReceivedMessage message = connection.receive()) {
            return message == null ? "end" : message.text();
        }
    }
}
