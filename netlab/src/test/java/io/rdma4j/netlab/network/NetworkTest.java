// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.links.LinkEvent;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.InterfaceAddress;
import io.rdma4j.netlab.Machine;
import io.rdma4j.netlab.topology.TopologyParser;
import io.rdma4j.testing.conformance.harness.Capability;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.wr.WcStatus;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Machines with RDMA devices, on links with and without faults. */
class NetworkTest {
    private static final String SWITCHED = """
            host a
            host b
            switch s
            link a/eth0 s mtu 4200
            link b/eth0 s mtu 4200 delay 20us 10us loss 2% duplicate 1% reorder 2% corrupt 1%
            """;

    private final Network network =
            Network.build(TopologyParser.parse("test", SWITCHED), NanoClock.SYSTEM, ProgressMode.AUTOMATIC, 7);

    @AfterEach
    void close() {
        network.close();
    }

    private NetDevice device(String machine) {
        return Objects.requireNonNull(network.machine(machine).find(Machine.INITIAL, "eth0"));
    }

    /** Two RDMA devices and the contexts of both. */
    private final class Pair implements ConformanceTarget {
        private final Context first;
        private final Context second;

        Pair() {
            first = open("a", "10.0.0.1/24");
            second = open("b", "10.0.0.2/24");
        }

        private Context open(String machine, String address) {
            device(machine).ip().set(List.of(InterfaceAddress.parse(address)));
            return network.machine(machine)
                    .rdma()
                    .newLink("rxe0", "rxe", "eth0")
                    .open();
        }

        @Override
        public Context first() {
            return first;
        }

        @Override
        public Context second() {
            return second;
        }

        @Override
        public Set<Capability> capabilities() {
            return Set.of(Capability.UNATTENDED_PROGRESS);
        }

        @Override
        public void close() {
            first.close();
            second.close();
        }
    }

    @Test
    void reliableMessagesArriveOverABadLinkBehindASwitch() {
        try (Pair pair = new Pair();
                Endpoint a = new Endpoint(pair, pair.first(), EndpointSetup.DEFAULT);
                Endpoint b = new Endpoint(pair, pair.second(), EndpointSetup.DEFAULT)) {
            a.connectTo(b, LinkSetup.DEFAULT);
            b.connectTo(a, LinkSetup.DEFAULT);
            for (int i = 0; i < 50; i++) {
                b.postReceive(i, 0, 2000);
                a.memory.asSlice(0, 2000).fill((byte) i);
                a.postSend(100 + i, 0, 2000);
                assertThat(b.awaitReceive().status()).isEqualTo(WcStatus.SUCCESS);
                assertThat(a.awaitSend().status()).isEqualTo(WcStatus.SUCCESS);
                assertThat(b.memory.asSlice(0, 2000).mismatch(a.memory.asSlice(0, 2000)))
                        .isEqualTo(-1);
            }
        }
        assertThat(network.faults()).hasSize(2);
        assertThat(network.faults().stream()
                        .mapToLong(link -> link.send().stats().count(LinkEvent.LOST))
                        .sum())
                .isPositive();
    }

    @Test
    void aPortFollowsItsInterface() throws InterruptedException {
        try (Pair pair = new Pair()) {
            Context context = pair.first();
            assertThat(context.queryPort(1).state()).isEqualTo(PortState.ACTIVE);
            device("a").down();
            assertThat(context.getAsyncEvent().type()).isEqualTo(EventType.PORT_ERR);
            assertThat(context.queryPort(1).state()).isEqualTo(PortState.DOWN);
            device("a").up();
            assertThat(context.getAsyncEvent().type()).isEqualTo(EventType.PORT_ACTIVE);

            device("a").ip().set(List.of(InterfaceAddress.parse("10.0.0.7/24")));
            assertThat(context.getAsyncEvent().type()).isEqualTo(EventType.GID_CHANGE);
            assertThat(context.queryGid(1, 0)).hasToString("::ffff:10.0.0.7");
        }
    }

    @Test
    void anRdmaDeviceGoesWithItsInterface() throws InterruptedException {
        Machine a = network.machine("a");
        try (Context context = a.rdma().newLink("rxe0", "rxe", "eth0").open()) {
            device("a").unregister();
            assertThat(context.device().isPresent()).isFalse();
            assertThat(a.rdma().devices()).isEmpty();
            assertThat(context.getAsyncEvent().type()).isEqualTo(EventType.PORT_ERR);
            assertThat(context.getAsyncEvent().type()).isEqualTo(EventType.DEVICE_FATAL);
            assertThat(context.getAsyncEvent(Duration.ZERO)).isNull();
        }
    }

    @Test
    void whatCannotBeIsRefused() {
        Machine a = network.machine("a");
        a.rdma().newLink("rxe0", "rxe", "eth0");
        assertRefused(
                Errno.EEXIST, "eth0 carries the device rxe0", () -> a.rdma().newLink("rxe1", "rxe", "eth0"));
        assertRefused(Errno.ENODEV, "\"eth7\" on a", () -> a.rdma().newLink("rxe1", "rxe", "eth7"));
        assertRefused(Errno.ENOENT, "there is a, b, s", () -> network.machine("c"));
        assertRefused(Errno.ENOENT, "no namespace \"x\" on a", () -> a.namespace("x"));
        a.addNamespace("x");
        assertRefused(Errno.EEXIST, "\"x\" already", () -> a.addNamespace("x"));
    }

    private static void assertRefused(Errno errno, String message, Runnable action) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(action::run)
                .withMessageContaining(message)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(errno));
    }
}
