// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.DeviceRegistration;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceListener;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.address.AddressAssignment;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.device.RegistrationState;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.testing.ledger.Covers;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RegistrationTest {
    private final NetHost host = NetHost.create(NanoClock.SYSTEM);
    private final NetNamespace namespace = host.initial();
    private final NetDevice lo = Objects.requireNonNull(namespace.find("lo"));
    private final StubDriver driver = new StubDriver();
    private final NetDevice device = driver.make("eth%d", 0);
    private final List<String> events = new ArrayList<>();

    @AfterEach
    void close() {
        host.unregister(namespace.devices());
        device.registration().free();
    }

    private static void refused(Errno errno, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    private void follow(NetDevice who, NetDeviceEvent event) {
        events.add(who.name() + " " + event);
    }

    @Test
    @Covers({"NDEV-41", "NDEV-42", "NDEV-44", "NDEV-45"})
    void aDeviceLivesFromUninitializedToReleased() {
        assertThat(device.registration().state()).isEqualTo(RegistrationState.UNINITIALIZED);
        refused(Errno.ENODEV, device::up);
        namespace.register(device);
        assertThat(device.registration().state()).isEqualTo(RegistrationState.REGISTERED);
        refused(Errno.EINVAL, () -> namespace.register(device));
        refused(Errno.EBUSY, device.registration()::free);
        device.references().hold();
        device.unregister();
        assertThat(device.registration().state()).isEqualTo(RegistrationState.UNREGISTERED);
        refused(Errno.ENODEV, device::up);
        device.references().put();
        assertThat(device.registration().state()).isEqualTo(RegistrationState.RELEASED);
        assertThat(driver.calls).containsExactly("init", "uninit", "destructor");
        refused(Errno.EINVAL, () -> namespace.register(device));
    }

    @Test
    @Covers({"NDEV-43", "NDEV-48"})
    void whileItIsUnregisteredItIsDownAndOffTheListsAndKnowsIt() {
        namespace.register(device).up();
        assertThat(device.registration().isDismantled()).isFalse();
        device.addListener((who, event) -> {
            events.add(event + " " + who.registration().state());
            assertThat(who.registration().isDismantled()).isTrue();
            if (event == NetDeviceEvent.UNREGISTER) {
                assertThat(namespace.find("eth0")).isNull();
                assertThat(who.isUp()).isFalse();
            }
        });
        device.unregister();
        assertThat(events).containsExactly("DOWN REGISTERED", "UNREGISTER UNREGISTERING");
        device.unregister();
        assertThat(driver.calls).containsExactly("init", "open", "stop", "uninit", "destructor");
    }

    @Test
    @Covers({"NDEV-5", "NDEV-7", "NDEV-9", "NDEV-10", "NDEV-11"})
    void aRegisteredDeviceIsFoundByNameByNumberAndInTheList() {
        assertThat(namespace.devices()).containsExactly(lo);
        namespace.register(device);
        assertThat(namespace.devices()).containsExactly(lo, device);
        assertThat(namespace.find("eth0")).isSameAs(device);
        assertThat(namespace.find(2)).isSameAs(device);
        assertThat(NetNamespace.of(device)).isSameAs(namespace);
        device.unregister();
        assertThat(namespace.devices()).containsExactly(lo);
        assertThat(namespace.find("eth0")).isNull();
        assertThat(namespace.find(2)).isNull();
    }

    @Test
    @Covers({"NDEV-6", "NDEV-8"})
    void whoLooksADeviceUpMayHoldIt() {
        namespace.register(device);
        assertThat(namespace.hold("eth0")).isSameAs(device);
        assertThat(namespace.hold(2)).isSameAs(device);
        assertThat(device.references().count()).isEqualTo(2);
        assertThat(namespace.hold("eth1")).isNull();
        assertThat(namespace.hold(3)).isNull();
        device.references().put();
        device.references().put();
    }

    @Test
    @Covers({"NDEV-15", "NDEV-16"})
    void numbersGoUpFromTheLoopbackInterfacesAndAreNotUsedAgain() {
        assertThat(lo.ifindex()).isEqualTo(1);
        NetDevice second = namespace.register(StubDriver.device("a"));
        second.unregister();
        NetDevice third = namespace.register(StubDriver.device("b"));
        assertThat(second.ifindex()).isEqualTo(2);
        assertThat(third.ifindex()).isEqualTo(3);
    }

    @Test
    @Covers("NDEV-16")
    void afterTheLastNumberComesTheFirstThatIsFree() {
        DeviceTable table = new DeviceTable(Integer.MAX_VALUE - 1);
        NetDevice first = new StubDriver().make("first", 1);
        table.add(first);
        assertThat(table.chooseIndex(0)).isEqualTo(Integer.MAX_VALUE);
        assertThat(table.chooseIndex(0)).isEqualTo(2);
        first.registration().free();
    }

    @Test
    void aNumberMayBeAskedForAndBelongsToOneDevice() {
        assertThat(namespace.register(driver.make("a", 7)).ifindex()).isEqualTo(7);
        NetDevice other = driver.make("b", 7);
        refused(Errno.EBUSY, () -> namespace.register(other));
        assertThat(other.registration().state()).isEqualTo(RegistrationState.UNINITIALIZED);
        assertThat(driver.calls).containsExactly("init", "init", "uninit");
        other.unregister();
        assertThat(other.registration().state()).isEqualTo(RegistrationState.RELEASED);
    }

    @Test
    void aPatternBecomesTheFirstNameThatIsFree() {
        NetDevice zero = namespace.register(StubDriver.device("eth%d"));
        NetDevice one = namespace.register(StubDriver.device("eth%d"));
        assertThat(List.of(zero.name(), one.name())).containsExactly("eth0", "eth1");
        zero.unregister();
        assertThat(namespace.register(device).name()).isEqualTo("eth0");
        assertThat(namespace.register(StubDriver.device("p%ds0")).name()).isEqualTo("p0s0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"eth%s", "e%d%d", "%%d", "eth%", "longer-name-of-%d"})
    void whatIsNoPatternIsRefused(String name) {
        refused(Errno.EINVAL, () -> new DeviceTable(0).chooseName(name));
    }

    @Test
    @Covers("NDEV-3")
    void aPolicyOfTheHostSaysWhatNewDevicesAreCalled() {
        host.namingPolicy(who -> "embedded".equals(who.node().parent()) ? "em%d" : who.name());
        NetDevice embedded = StubDriver.device("eth%d");
        embedded.node().parent("embedded");
        assertThat(namespace.register(embedded).name()).isEqualTo("em0");
        assertThat(namespace.register(device).name()).isEqualTo("eth0");
        assertThat(host.createNamespace().find("lo")).isNotNull();
    }

    @Test
    @Covers("NDEV-47")
    void registrationSetsUpTheDriverFixesFeaturesAndMakesTheDevicePresent() {
        NetDevice card = new NetDevice(
                new NetDeviceSetup(
                                LinkType.ETHERNET,
                                "wan",
                                0,
                                1500,
                                0,
                                List.of(),
                                Set.of(NetDeviceFeature.TSO, NetDeviceFeature.HW_CSUM))
                        .withQueues(2, 3),
                driver);
        assertThat(card.features().has(NetDeviceFeature.TSO)).isTrue();
        assertThat(card.linkState().isPresent()).isFalse();
        namespace.register(card);
        assertThat(driver.calls).containsExactly("init");
        assertThat(card.features().has(NetDeviceFeature.TSO))
                .as("no scatter-gather")
                .isFalse();
        assertThat(card.linkState().isPresent()).isTrue();
        assertThat(card.link().assignment()).isEqualTo(AddressAssignment.RANDOM);
        assertThat(card.link().permanent()).as("not drawn by lot").isZero();
        NetDevice real = namespace.register(new NetDevice(
                new NetDeviceSetup(LinkType.ETHERNET, "real", 0, 1500, 0x02_0000_0000_07L, List.of(), Set.of()),
                driver));
        assertThat(real.link().permanent()).isEqualTo(0x02_0000_0000_07L);
        assertThat(card.receiveQueues().count()).isEqualTo(3);
    }

    @Test
    @Covers("NDEV-46")
    void aDummyIsPolledWithoutBeingRegistered() {
        NetDevice dummy = DeviceRegistration.dummy(driver);
        assertThat(dummy.registration().state()).isEqualTo(RegistrationState.DUMMY);
        assertThat(dummy.isUp()).isTrue();
        assertThat(dummy.linkState().isPresent()).isTrue();
        driver.arrives = 3;
        assertThat(dummy.napi().poll(8)).isEqualTo(3);
        refused(Errno.EINVAL, () -> namespace.register(dummy));
        assertThat(namespace.devices()).containsExactly(lo);
        dummy.registration().free();
        assertThat(dummy.registration().state()).isEqualTo(RegistrationState.RELEASED);
    }

    @Test
    void aNameBelongsToOneDevice() {
        NetDevice second = StubDriver.device("lo");
        refused(Errno.EEXIST, () -> namespace.register(second));
        assertThat(namespace.find("lo")).isSameAs(lo);
        second.registration().free();
    }

    @Test
    void aDriverThatRefusesLeavesNothingBehind() {
        driver.refusesInit = true;
        refused(Errno.EIO, () -> namespace.register(device));
        assertThat(driver.calls).containsExactly("init");
        assertThat(namespace.devices()).containsExactly(lo);
        driver.refusesInit = false;
        assertThat(namespace.register(device).name()).isEqualTo("eth0");
    }

    @Test
    @Covers("NDEV-65")
    void aFollowerOfTheHostHearsOfAllDevicesAndOfThoseThatWereThere() {
        lo.up();
        host.addListener(this::follow);
        namespace.register(device).up();
        device.setMtu(1400);
        device.unregister();
        assertThat(events)
                .containsExactly(
                        "lo REGISTER",
                        "lo UP",
                        "eth0 REGISTER",
                        "eth0 UP",
                        "eth0 MTU_CHANGE",
                        "eth0 DOWN",
                        "eth0 UNREGISTER");
    }

    @Test
    void aFollowerThatGoesIsToldToLetGo() {
        NetDeviceListener follower = this::follow;
        host.addListener(follower);
        namespace.register(device).up();
        events.clear();
        host.removeListener(follower);
        host.removeListener(follower);
        lo.up();
        assertThat(events).containsExactly("lo UNREGISTER", "eth0 DOWN", "eth0 UNREGISTER");
    }

    @Test
    void aFollowerMayRefuseADevice() {
        host.addListener(this::follow);
        events.clear();
        host.addListener((who, event) -> {
            if (event == NetDeviceEvent.REGISTER && !who.name().equals("lo")) {
                throw new RdmaException(Errno.EPERM, "not here");
            }
        });
        refused(Errno.EPERM, () -> namespace.register(device));
        assertThat(events).containsExactly("eth0 REGISTER", "eth0 UNREGISTER");
        assertThat(namespace.devices()).containsExactly(lo);
        assertThat(device.name()).isEqualTo("eth%d");
        assertThat(driver.calls).containsExactly("init", "uninit");
    }

    @Test
    @Covers("NDEV-12")
    void devicesThatGoTogetherAreAllOffTheListsBeforeAnyFollowerHearsOfIt() {
        namespace.register(device);
        NetDevice other = namespace.register(StubDriver.device("other"));
        host.addListener((who, event) -> {
            if (event == NetDeviceEvent.UNREGISTER) {
                events.add(who.name() + " of " + namespace.devices().size());
            }
        });
        host.unregister(List.of(device, other, device));
        assertThat(events).containsExactly("eth0 of 1", "other of 1");
    }

    @Test
    void aStandaloneDeviceIsAloneOnItsMachine() {
        NetDevice alone = NetHost.standalone(driver.make("only", 5));
        assertThat(NetNamespace.of(alone).devices()).containsExactly(alone);
        alone.unregister();
    }
}
