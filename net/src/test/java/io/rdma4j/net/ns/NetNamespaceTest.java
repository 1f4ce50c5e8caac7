// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.RegistrationState;
import io.rdma4j.testing.ledger.Covers;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NetNamespaceTest {
    private final NetHost host = NetHost.create(NanoClock.SYSTEM);
    private final NetNamespace initial = host.initial();
    private final NetNamespace blue = host.createNamespace();
    private final NetDevice device = initial.register(StubDriver.device("eth%d"));
    private final List<String> events = new ArrayList<>();

    @AfterEach
    void close() {
        host.unregister(host.devices());
    }

    private static void refused(Errno errno, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    private void note(Uevent event) {
        String where = event.namespace() == initial ? "initial" : "blue";
        events.add(where + " " + event.action() + " " + event.device());
    }

    @Test
    @Covers({"NETNS-2", "NETNS-4"})
    void theInitialNamespaceHasTheDevicesAndANewOneItsLoopbackInterfaceOnly() {
        assertThat(initial.devices()).extracting(NetDevice::name).containsExactly("lo", "eth0");
        assertThat(NetNamespace.of(NetHost.standalone(StubDriver.device("x"))).devices())
                .hasSize(1);
        assertThat(blue.devices()).singleElement().satisfies(lo -> {
            assertThat(lo.name()).isEqualTo("lo");
            assertThat(lo.ifindex()).isEqualTo(1);
            assertThat(NetNamespace.of(lo)).isSameAs(blue);
        });
        NetDevice inside = blue.register(StubDriver.device("eth%d"));
        assertThat(inside.name()).isEqualTo("eth0");
        assertThat(inside.ifindex()).isEqualTo(2);
        assertThat(NetNamespace.of(inside)).isSameAs(blue);
        assertThat(initial.find("eth0")).isSameAs(device);
    }

    @Test
    @Covers({"NETNS-1", "NETNS-10"})
    void aDeviceBelongsToExactlyOneNamespace() {
        assertThat(NetNamespace.of(device)).isSameAs(initial);
        assertThat(blue.find("eth0")).isNull();
        refused(Errno.EINVAL, () -> blue.register(device));
        NetDevice nowhere = StubDriver.device("x");
        refused(Errno.ENODEV, () -> NetNamespace.of(nowhere));
        nowhere.unregister();
    }

    @Test
    @Covers("NETNS-5")
    void aNamespaceHasNoNameButANumberThatIsUsedOnce() {
        long number = blue.id();
        blue.close();
        NetNamespace green = host.createNamespace();
        assertThat(List.of(initial.id(), number, green.id())).doesNotHaveDuplicates();
        assertThat(host.namespaces()).containsExactly(initial, green);
    }

    @Test
    @Covers({"NETNS-8", "NETNS-11"})
    void aDeviceThatMovesIsUnregisteredHereAndRegisteredThere() {
        device.up();
        device.addListener((who, event) -> events.add(event + " " + (NetNamespace.of(who) == blue)));
        blue.move(device, null);
        assertThat(events).containsExactly("DOWN false", "UNREGISTER false", "REGISTER true");
        assertThat(device.isUp()).isFalse();
        assertThat(device.registration().state()).isEqualTo(RegistrationState.REGISTERED);
        assertThat(NetNamespace.of(device)).isSameAs(blue);
        assertThat(blue.find("eth0")).isSameAs(device);
        assertThat(blue.find(2)).isSameAs(device);
        assertThat(initial.find("eth0")).isNull();
        assertThat(initial.devices()).hasSize(1);
        blue.move(device, null);
        assertThat(events).hasSize(3);
    }

    @Test
    @Covers("NETNS-8")
    void aNameThatIsTakenThereNeedsAPattern() {
        NetDevice there = blue.register(StubDriver.device("eth0"));
        refused(Errno.EEXIST, () -> blue.move(device, null));
        assertThat(NetNamespace.of(device)).isSameAs(initial);
        assertThat(initial.find("eth0")).isSameAs(device);
        blue.move(device, "moved%d");
        assertThat(device.name()).isEqualTo("moved0");
        assertThat(device.ifindex()).as("2 is taken as well").isEqualTo(3);
        assertThat(blue.find("eth0")).isSameAs(there);
    }

    @Test
    @Covers("NETNS-8")
    void whatBelongsToItsNamespaceDoesNotMove() {
        NetDevice lo = Objects.requireNonNull(initial.find("lo"));
        refused(Errno.EINVAL, () -> blue.move(lo, "lo%d"));
        NetDevice elsewhere = NetHost.standalone(StubDriver.device("x"));
        refused(Errno.EINVAL, () -> blue.move(elsewhere, null));
        NetDevice gone = initial.register(StubDriver.device("gone"));
        gone.unregister();
        refused(Errno.EINVAL, () -> blue.move(gone, null));
    }

    @Test
    @Covers("NETNS-9")
    void bothNamespacesHearOfTheMove() {
        initial.addUeventListener(this::note);
        blue.addUeventListener(this::note);
        blue.register(StubDriver.device("eth0"));
        blue.move(device, "eth%d");
        device.unregister();
        assertThat(events).containsExactly("blue ADD eth0", "initial REMOVE eth0", "blue ADD eth1", "blue REMOVE eth1");
    }

    @Test
    @Covers("NETNS-7")
    void whenANamespaceGoesItsRealDevicesComeBackAndItsOwnAreDeleted() {
        NetDevice lo = Objects.requireNonNull(blue.find("lo"));
        NetDevice card = blue.register(StubDriver.device("eth0"));
        NetDevice other = blue.register(StubDriver.device("wan"));
        blue.close();
        blue.close();
        assertThat(lo.registration().state()).isEqualTo(RegistrationState.RELEASED);
        assertThat(NetNamespace.of(card)).isSameAs(initial);
        assertThat(card.name()).as("eth0 is taken").isEqualTo("dev0");
        assertThat(initial.find("wan")).isSameAs(other);
        assertThat(blue.devices()).isEmpty();
        NetDevice late = StubDriver.device("late");
        refused(Errno.ENOENT, () -> blue.register(late));
        refused(Errno.ENOENT, () -> blue.move(card, null));
        refused(Errno.EBUSY, initial::close);
        late.unregister();
    }

    @Test
    void aDeviceIsRenamedWhileItIsDown() {
        device.addListener((who, event) -> events.add(event + " " + who.name()));
        initial.rename(device, "wan%d");
        assertThat(events).containsExactly("NAME_CHANGE wan0");
        assertThat(initial.find("wan0")).isSameAs(device);
        assertThat(initial.find("eth0")).isNull();
        initial.rename(device, "wan0");
        refused(Errno.EEXIST, () -> initial.rename(device, "lo"));
        refused(Errno.ENODEV, () -> blue.rename(device, "x"));
        device.up();
        refused(Errno.EBUSY, () -> initial.rename(device, "x"));
        assertThat(device.ifindex()).isEqualTo(2);
    }
}
