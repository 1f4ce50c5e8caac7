// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.loop.LoopProvider;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Clients are notified when devices are added and removed. */
class ClientTest {
    private final LoopProvider provider = new LoopProvider("loop0", "loop1");
    private final Host host = Host.create("test");
    private final List<String> heard = new ArrayList<>();

    ClientTest() {
        host.register(provider);
    }

    private class Listener implements Client {
        private final String name;

        Listener(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public void add(Device device) {
            heard.add(name + " +" + device);
        }

        @Override
        public void remove(Device device, @Nullable Object data) {
            heard.add(name + " -" + device + (data == null ? "" : " " + data));
        }
    }

    /** Like a kernel module: registers when it is loaded, unregisters when it is unloaded. */
    private final class Component extends Listener implements AutoCloseable {
        Component(String name) {
            super(name);
            host.registerClient(this);
        }

        @Override
        public void close() {
            host.unregisterClient(this);
        }
    }

    private List<String> takeHeard() {
        List<String> taken = List.copyOf(heard);
        heard.clear();
        return taken;
    }

    @Test
    @Covers({"DEV-1", "DEV-2", "DEV-3", "GEN-18"})
    void aClientHearsOfThePresentDevicesAndOfEachLaterOne() {
        host.registerClient(new Listener("ulp"));
        assertThat(takeHeard()).containsExactly("ulp +loop0", "ulp +loop1");

        host.newLink("loop2", "loop", "up0");
        assertThat(takeHeard()).containsExactly("ulp +loop2");

        host.devices();
        assertThat(takeHeard()).isEmpty();
    }

    @Test
    @Covers({"DEV-4", "GEN-18"})
    void aClientHearsOfADeviceThatIsDeletedAndOfOneThatVanished() {
        host.registerClient(new Listener("ulp"));
        takeHeard();

        host.deleteLink("loop0");
        assertThat(takeHeard()).containsExactly("ulp -loop0");

        provider.remove(provider.device(0));
        host.devices();
        assertThat(takeHeard()).containsExactly("ulp -loop1");
    }

    @Test
    @Covers({"DEV-4", "DEV-5", "DEV-8"})
    void unregisteringRemovesEveryDeviceAndEndsTheCalls() {
        try (Component component = new Component("module")) {
            assertThat(takeHeard()).containsExactly("module +loop0", "module +loop1");
            Refusals.assertRefused(Errno.EEXIST, "\"module\"", () -> host.registerClient(component));
        }
        assertThat(takeHeard()).containsExactly("module -loop1", "module -loop0");

        host.newLink("loop2", "loop", "up0");
        assertThat(takeHeard()).isEmpty();
    }

    @Test
    @Covers("DEV-5")
    void onlyTheSameObjectCanBeUnregistered() {
        host.registerClient(new Listener("ulp"));
        Refusals.assertRefused(Errno.EINVAL, "not registered", () -> host.unregisterClient(new Listener("ulp")));
    }

    @Test
    void clientsAreRemovedInTheOppositeOrder() {
        host.registerClient(new Listener("a"));
        host.registerClient(new Listener("b"));
        assertThat(takeHeard()).containsExactly("a +loop0", "a +loop1", "b +loop0", "b +loop1");

        host.deleteLink("loop1");
        assertThat(takeHeard()).containsExactly("b -loop1", "a -loop1");
    }

    @Test
    @Covers({"DEV-6", "DEV-7"})
    void eachClientHasItsOwnDataAtEachDevice() {
        Client a = new Listener("a");
        Client b = new Listener("b");
        host.registerClient(a);
        host.registerClient(b);
        Device device = host.device("loop0");

        assertThat(device.clientData(a)).isNull();
        device.setClientData(a, "of a");
        device.setClientData(b, "of b");
        assertThat(device.clientData(a)).isEqualTo("of a");
        assertThat(device.clientData(b)).isEqualTo("of b");
        assertThat(host.device("loop1").clientData(a)).isNull();

        takeHeard();
        host.deleteLink("loop0");
        assertThat(takeHeard()).containsExactly("b -loop0 of b", "a -loop0 of a");
        assertThat(device.clientData(a)).isNull();
    }

    @Test
    void whoIsNotRegisteredLeavesNothing() {
        Refusals.assertRefused(
                Errno.EINVAL,
                "not registered",
                () -> host.device("loop0").setClientData(new Listener("stranger"), "x"));
    }

    @Test
    void aClientThatThrowsKeepsNobodyElseFromHearing() {
        host.registerClient(new Listener("bad") {
            @Override
            public void add(Device device) {
                throw new IllegalStateException("of course");
            }
        });
        host.registerClient(new Listener("good"));
        takeHeard();

        host.newLink("loop2", "loop", "up0");
        assertThat(takeHeard()).containsExactly("good +loop2");
    }

    @Test
    @Covers("DEV-63")
    void aClientCountsThePortsOfTheDeviceThatItIsGiven() {
        List<String> ports = new ArrayList<>();
        host.registerClient(new Listener("ulp") {
            @Override
            public void add(Device device) {
                try (Context context = device.open()) {
                    for (int port = 1; port <= context.queryDevice().physicalPortCount(); port++) {
                        ports.add(device + "/" + port + " "
                                + context.queryPort(port).state());
                    }
                }
            }
        });
        assertThat(ports).containsExactly("loop0/1 ACTIVE", "loop0/2 ARMED", "loop1/1 ACTIVE", "loop1/2 ARMED");
    }
}
