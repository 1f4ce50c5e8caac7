// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.LinkCreation;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.device.RegistrationState;
import io.rdma4j.testing.ledger.Covers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LinkKindsTest {
    private final NetHost host = NetHost.create(NanoClock.SYSTEM);
    private final NetNamespace namespace = host.initial();
    private final LinkKinds links = host.links();
    private final StubKind kind = new StubKind();

    /** Links on top of others that have a colour, and go with a second device. */
    private static final class StubKind implements LinkKind {
        final List<String> calls = new ArrayList<>();
        boolean refuses;
        String colour = "";

        @Override
        public String name() {
            return "stub";
        }

        @Override
        public int txQueues() {
            return 3;
        }

        @Override
        public int rxQueues() {
            return 2;
        }

        @Override
        public NetDevice setup(LinkRequest request) {
            calls.add("setup " + request.txQueues() + " " + request.rxQueues());
            return StubDriver.above(
                    Objects.requireNonNull(request.lower()), request.name().isEmpty() ? "stub%d" : request.name());
        }

        @Override
        public void newlink(LinkRequest request, NetDevice device) {
            calls.add("newlink " + device.node().creation());
            colour = request.attributes().getOrDefault("colour", "grey");
            LinkKind.super.newlink(request, device);
            if (refuses) {
                throw new RdmaException(Errno.ENOMEM, "no paint");
            }
        }

        @Override
        public void changelink(NetDevice device, Map<String, String> attributes) {
            colour = attributes.getOrDefault("colour", colour);
        }

        @Override
        public void dellink(NetDevice device, List<NetDevice> unregister) {
            calls.add("dellink " + device.name());
            LinkKind.super.dellink(device, unregister);
        }
    }

    private final NetDevice lower = namespace.register(StubDriver.device("eth0"));

    @AfterEach
    void close() {
        host.unregister(host.devices());
    }

    private LinkRequest request() {
        return LinkRequest.of("stub", namespace).withLower(lower);
    }

    private static void refused(Errno errno, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    @Covers({"NETNS-12", "NETNS-13", "NETNS-17", "NETNS-19"})
    void aUserMakesALinkOfAKindThatTheMachineKnows() {
        refused(Errno.EOPNOTSUPP, () -> links.create(request()));
        links.register(kind);
        assertThat(links.names()).contains("stub");
        assertThat(links.find("stub")).isSameAs(kind);
        refused(Errno.EEXIST, () -> links.register(new StubKind()));
        NetDevice link = links.create(request().withAttributes(Map.of("colour", "green")));
        assertThat(namespace.find("stub0")).isSameAs(link);
        assertThat(link.stack().lower()).isSameAs(lower);
        assertThat(link.node().kind()).isEqualTo("stub");
        assertThat(kind.colour).isEqualTo("green");
        NetDevice named = links.create(request().withName("mine"));
        assertThat(named.name()).isEqualTo("mine");
        refused(Errno.EEXIST, () -> links.create(request().withName("mine")));
    }

    @Test
    @Covers("NETNS-16")
    void theKindSaysHowManyQueuesUnlessTheUserDoes() {
        links.register(kind);
        links.create(request());
        links.create(request().withQueues(8, 0));
        assertThat(kind.calls).contains("setup 3 2", "setup 8 2");
    }

    @Test
    @Covers({"NDEV-50", "NETNS-19"})
    void aLinkIsInitializingUntilItsKindHasConfiguredIt() {
        links.register(kind);
        List<LinkCreation> seen = new ArrayList<>();
        host.addListener((who, event) -> {
            if (event == NetDeviceEvent.REGISTER && who.name().equals("stub0")) {
                seen.add(who.node().creation());
            }
        });
        NetDevice link = links.create(request());
        assertThat(kind.calls).contains("newlink INITIALIZING");
        assertThat(seen).containsExactly(LinkCreation.INITIALIZING);
        assertThat(link.node().creation()).isEqualTo(LinkCreation.INITIALIZED);
        assertThat(lower.node().creation()).as("nobody asked for it").isEqualTo(LinkCreation.INITIALIZED);
    }

    @Test
    void aLinkThatCannotBeConfiguredLeavesNothingBehind() {
        links.register(kind);
        kind.refuses = true;
        refused(Errno.ENOMEM, () -> links.create(request()));
        assertThat(namespace.find("stub0")).isNull();
        assertThat(lower.references().count()).isZero();
    }

    @Test
    @Covers("NETNS-14")
    void parametersOfALinkChange() {
        links.register(kind);
        NetDevice link = links.create(request());
        assertThat(kind.colour).isEqualTo("grey");
        links.change(link, Map.of("colour", "red"));
        assertThat(kind.colour).isEqualTo("red");
        refused(Errno.EOPNOTSUPP, () -> links.change(lower, Map.of("colour", "red")));
    }

    @Test
    @Covers("NETNS-15")
    void aLinkIsTakenAway() {
        links.register(kind);
        NetDevice link = links.create(request());
        links.delete(link);
        assertThat(kind.calls).contains("dellink stub0");
        assertThat(link.registration().state()).isEqualTo(RegistrationState.RELEASED);
        refused(Errno.EOPNOTSUPP, () -> links.delete(lower));
    }

    @Test
    @Covers("NETNS-18")
    void aKindThatIsForgottenTakesItsLinksAlong() {
        links.register(kind);
        NetDevice link = links.create(request());
        NetNamespace other = host.createNamespace();
        NetDevice moved = links.create(request().withName("moved"));
        other.move(moved, null);
        links.unregister(kind);
        links.unregister(kind);
        assertThat(link.registration().state()).isEqualTo(RegistrationState.RELEASED);
        assertThat(moved.registration().state()).isEqualTo(RegistrationState.RELEASED);
        assertThat(lower.registration().state()).isEqualTo(RegistrationState.REGISTERED);
        refused(Errno.EOPNOTSUPP, () -> links.create(request()));
    }

    @Test
    @Covers("NETNS-7")
    void softwareLinksGoWithTheirNamespace() {
        links.register(kind);
        NetNamespace other = host.createNamespace();
        NetDevice link = links.create(request());
        other.move(link, null);
        other.close();
        assertThat(link.registration().state()).isEqualTo(RegistrationState.RELEASED);
        assertThat(namespace.devices()).hasSize(2);
    }

    @Test
    void aLinkIsMadeOnItsOwnMachine() {
        links.register(kind);
        NetHost elsewhere = NetHost.create(NanoClock.SYSTEM);
        refused(
                Errno.EINVAL,
                () -> links.create(LinkRequest.of("stub", elsewhere.initial()).withLower(lower)));
        NetDevice foreign = elsewhere.initial().register(StubDriver.device("x"));
        refused(
                Errno.EINVAL,
                () -> links.create(LinkRequest.of("stub", namespace).withLower(foreign)));
        refused(Errno.EINVAL, () -> request().withQueues(-1, 0));
        foreign.unregister();
    }
}
