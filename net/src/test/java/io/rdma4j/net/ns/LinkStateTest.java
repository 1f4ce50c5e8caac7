// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.LinkMode;
import io.rdma4j.net.LinkState;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.OperState;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.ledger.Covers;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LinkStateTest {
    private final NetHost host = NetHost.create(NanoClock.SYSTEM);
    private final NetDevice device = StubDriver.device("eth%d");
    private final LinkState link = device.linkState();
    private final List<NetDeviceEvent> events = new ArrayList<>();
    private int rung;

    @AfterEach
    void close() {
        host.unregister(host.devices());
    }

    private void register() {
        host.initial().register(device);
        device.addListener((_, event) -> events.add(event));
    }

    /** The host has a loop, which the test is. */
    private void defer() {
        host.deferLinkEvents(() -> rung++);
    }

    @Test
    @Covers({"NDEV-26", "NDEV-32", "NDEV-36"})
    void aDeviceIsPresentFromRegistrationUntilItIsDetached() {
        assertThat(link.isPresent()).isFalse();
        register();
        assertThat(link.isPresent()).isTrue();
        device.up();
        link.detach();
        assertThat(link.isPresent()).isFalse();
        assertThat(link.isRunning()).isTrue();
        SkBuffPool pool = new SkBuffPool(1, 64);
        device.transmit(Objects.requireNonNull(pool.allocate()));
        assertThat(device.stats().txDropped()).isEqualTo(1);
        device.down();
        assertThatThrownBy(device::up)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENODEV));
        link.attach();
        device.up();
        SkBuff skb = Objects.requireNonNull(pool.allocate());
        device.transmit(skb);
        assertThat(device.stats().txDropped()).isEqualTo(1);
        device.unregister();
        assertThat(link.isPresent()).isFalse();
        pool.close();
    }

    @Test
    @Covers({"NDEV-28", "NDEV-37", "NDEV-38"})
    void changesOfTheLinkAreOneEventThatTheLoopHandlesLater() {
        register();
        device.up();
        defer();
        events.clear();
        assertThat(link.isEventPending()).isFalse();
        link.setCarrier(false);
        link.setCarrier(true);
        link.setCarrier(false);
        assertThat(link.isCarrierOk()).isFalse();
        assertThat(link.isEventPending()).isTrue();
        assertThat(rung).isEqualTo(1);
        assertThat(events).isEmpty();
        host.runLinkEvents();
        assertThat(link.isEventPending()).isFalse();
        assertThat(events).containsExactly(NetDeviceEvent.CARRIER_CHANGE);
        host.runLinkEvents();
        assertThat(events).hasSize(1);
        link.setCarrier(true);
        assertThat(rung).isEqualTo(2);
    }

    @Test
    void withoutALoopWhoChangesTheLinkHandlesTheEvent() {
        register();
        device.up();
        events.clear();
        link.setCarrier(false);
        assertThat(events).containsExactly(NetDeviceEvent.CARRIER_CHANGE);
        host.rtnl().run(() -> {
            link.setCarrier(true);
            assertThat(events).as("not under the lock").hasSize(1);
        });
        assertThat(events).hasSize(2);
    }

    @Test
    void aDeviceThatIsDownHasItsStateSettledAndNobodyHearsOfIt() {
        register();
        link.setCarrier(false);
        assertThat(link.operState()).isEqualTo(OperState.DOWN);
        assertThat(events).isEmpty();
    }

    @Test
    void whatHappenedToADetachedDeviceIsSettledWhenItIsBack() {
        register();
        device.up();
        link.detach();
        link.setCarrier(false);
        assertThat(link.operState()).isEqualTo(OperState.UNKNOWN);
        link.attach();
        assertThat(link.operState()).isEqualTo(OperState.DOWN);
    }

    @Test
    void aDeviceThatGoesTakesItsEventAlong() {
        register();
        defer();
        link.setCarrier(false);
        assertThat(device.references().count()).as("the event holds it").isEqualTo(1);
        device.unregister();
        assertThat(device.references().count()).isZero();
        host.runLinkEvents();
        assertThat(link.operState()).isEqualTo(OperState.UNKNOWN);
    }

    @Test
    @Covers({"NDEV-29", "NDEV-39"})
    void theOperationalStateFollowsTheLink() {
        register();
        device.up();
        assertThat(link.operState()).as("the driver has not said anything").isEqualTo(OperState.UNKNOWN);
        assertThat(link.isOperational()).isTrue();
        link.setCarrier(false);
        assertThat(link.operState()).isEqualTo(OperState.DOWN);
        assertThat(link.isOperational()).isFalse();
        assertThat(device.flags().has(DeviceFlag.RUNNING)).isFalse();
        link.setDormant(true);
        link.setCarrier(true);
        assertThat(link.operState()).isEqualTo(OperState.DORMANT);
        assertThat(device.flags().has(DeviceFlag.DORMANT)).isTrue();
        assertThat(device.flags().has(DeviceFlag.LOWER_UP)).isTrue();
        assertThat(device.flags().has(DeviceFlag.RUNNING)).isFalse();
        link.setDormant(false);
        assertThat(link.operState()).isEqualTo(OperState.UP);
        assertThat(device.flags().has(DeviceFlag.RUNNING)).isTrue();
    }

    @Test
    @Covers("NDEV-39")
    void aDriverThatSaysBeforeRegistrationThatThereIsNoLinkIsHeard() {
        link.setCarrier(false);
        assertThat(link.operState()).isEqualTo(OperState.UNKNOWN);
        register();
        assertThat(link.operState()).isEqualTo(OperState.DOWN);
        assertThat(OperState.values()).hasSize(7);
        assertThat(OperState.UP.ordinal()).isEqualTo(6);
    }

    @Test
    @Covers("NDEV-39")
    void aLinkThatIsLostBelowIsALinkLostBelow() {
        register();
        NetDevice upper = host.initial().register(StubDriver.above(device, "upper"));
        upper.setCarrier(false);
        assertThat(upper.linkState().operState()).isEqualTo(OperState.DOWN);
        upper.setCarrier(true);
        device.setCarrier(false);
        upper.setCarrier(false);
        assertThat(upper.linkState().operState()).isEqualTo(OperState.LOWER_LAYER_DOWN);
    }

    @Test
    @Covers("NDEV-40")
    void aLinkOfModeDormantWaitsUntilAProgramSaysThatItIsUp() {
        register();
        device.up();
        link.setLinkMode(LinkMode.DORMANT);
        link.setCarrier(false);
        link.setCarrier(true);
        assertThat(link.operState()).isEqualTo(OperState.DORMANT);
        link.setOperState(OperState.UP);
        assertThat(link.operState()).isEqualTo(OperState.UP);
        link.setOperState(OperState.DORMANT);
        assertThat(link.operState()).isEqualTo(OperState.DORMANT);
        link.setLinkMode(LinkMode.DEFAULT);
        link.setCarrier(false);
        link.setOperState(OperState.UP);
        assertThat(link.operState()).as("a program does not make a link").isEqualTo(OperState.DOWN);
        link.setCarrier(true);
        assertThat(link.operState()).isEqualTo(OperState.UP);
        assertThatThrownBy(() -> link.setOperState(OperState.DOWN)).isInstanceOf(RdmaException.class);
    }

    @Test
    @Covers("NDEV-30")
    void flagsThatTwoThreadsChangeDoNotDisturbEachOther() throws InterruptedException {
        NetDevice other = new NetDevice(
                new NetDeviceSetup(LinkType.ETHERNET, "x", 1, 1500, 0, List.of(), Set.of()), new StubDriver());
        LinkState state = other.linkState();
        int rounds = 20_001;
        List<Integer> lost = new ArrayList<>();
        Thread carrier = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < rounds; i++) {
                state.setCarrier(i % 2 == 0);
                if (state.isCarrierOk() != (i % 2 == 0)) {
                    lost.add(i);
                }
            }
        });
        for (int i = 0; i < rounds; i++) {
            state.setDormant(i % 2 == 0);
            assertThat(state.isDormant()).isEqualTo(i % 2 == 0);
        }
        carrier.join();
        assertThat(lost).isEmpty();
        other.unregister();
    }
}
