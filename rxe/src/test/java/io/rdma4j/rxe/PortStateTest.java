// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.PhysicalState;
import io.rdma4j.verbs.device.PortInfo;
import io.rdma4j.verbs.device.PortModification;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.verbs.values.EventType;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The states of a port and their transitions by link, program and subnet manager. */
class PortStateTest {
    private static final int SM_LID = 9;

    private final PortBench bench = new PortBench(DeviceProfile.FULL);
    private final Bench traffic = new Bench(Set.of());

    @AfterEach
    void close() {
        bench.close();
        traffic.close();
    }

    private void assertPort(PortState state, PhysicalState physical, EventType... told) {
        assertThat(bench.query().state()).isEqualTo(state);
        assertThat(bench.query().physicalState()).isEqualTo(physical);
        assertThat(bench.events()).containsExactly(told);
    }

    private void order(PortInfo.Builder orders) {
        bench.port().setInfo(orders.build());
    }

    private PortInfo.Builder info() {
        return bench.port().info().toBuilder();
    }

    /** A subnet manager takes over the port: from now on its link comes up in INIT. */
    private void takeOver() {
        order(info().masterSm(SM_LID, 0).state(PortState.DOWN));
        assertPort(PortState.INIT, PhysicalState.LINK_UP, EventType.PORT_ERR, EventType.SM_CHANGE);
    }

    @Test
    @Covers({"PORT-52", "DEV-39", "DEV-41", "PORT-3", "PORT-51"})
    void aPortThatIsShutDownStaysDownUntilItsLinkIsOrderedUp() {
        bench.port().modify(PortModification.ofShutdown());
        assertPort(PortState.DOWN, PhysicalState.DISABLED, EventType.PORT_ERR);
        bench.network.down();
        bench.network.up();
        assertPort(PortState.DOWN, PhysicalState.DISABLED);
        bench.reopen();
        assertPort(PortState.DOWN, PhysicalState.DISABLED);
        order(info().physicalState(PhysicalState.POLLING));
        assertPort(PortState.ACTIVE, PhysicalState.LINK_UP, EventType.PORT_ACTIVE);
        order(info().physicalState(PhysicalState.DISABLED));
        assertPort(PortState.DOWN, PhysicalState.DISABLED, EventType.PORT_ERR);
    }

    @Test
    @Covers({"PORT-52", "DEV-39"})
    void nothingGoesInOrOutWhileThePortIsShutDown() {
        Endpoint to = traffic.connected(Bench.PEER_V4, 14);
        traffic.context.port(1).modify(PortModification.ofShutdown());
        to.postReceive(1, 0, 256);
        traffic.link.arrive(packet(to));
        to.postSend(2, 0, 100);
        traffic.run();
        assertThat(to.receiveCq.poll(1)).isEmpty();
        assertThat(traffic.link.sent).isEmpty();
        PortInfo now = traffic.context.port(1).info();
        traffic.context
                .port(1)
                .setInfo(now.toBuilder().physicalState(PhysicalState.POLLING).build());
        traffic.link.arrive(packet(to));
        traffic.now += 1_000_000_000;
        traffic.run();
        assertThat(to.receiveCq.poll(1)).hasSize(1);
        assertThat(traffic.link.sent).as("the request, again").hasSize(1);
    }

    private static byte[] packet(Endpoint to) {
        return new PlainPacket(Bench.PEER_V4, Bench.LOCAL_V4)
                .qpn(to.qp.qpn())
                .psn(Bench.FIRST_PSN)
                .payload((byte) 1, (byte) 2, (byte) 3, (byte) 4)
                .bytes();
    }

    @Test
    @Covers({"PORT-4", "PORT-5", "PORT-6", "DEV-41"})
    void aSubnetManagerBringsThePortFromInitToActive() {
        takeOver();
        order(info().state(PortState.ARMED));
        assertPort(PortState.ARMED, PhysicalState.LINK_UP);
        order(info().state(PortState.ACTIVE));
        assertPort(PortState.ACTIVE, PhysicalState.LINK_UP, EventType.PORT_ACTIVE);
        bench.network.down();
        assertPort(PortState.DOWN, PhysicalState.DISABLED, EventType.PORT_ERR);
        bench.network.up();
        assertPort(PortState.INIT, PhysicalState.LINK_UP);
    }

    /** IBA 7.2.7: an ARMED port receives, so that the first ACTIVE port may send to it. */
    @Test
    @Covers({"PORT-4", "PORT-5"})
    void aPortInInitIsDeafAndAnArmedOneIsDumb() {
        Endpoint to = traffic.connected(Bench.PEER_V4, 14);
        PortInfo.Builder orders = traffic.context.port(1).info().toBuilder().masterSm(SM_LID, 0);
        traffic.context.port(1).setInfo(orders.state(PortState.DOWN).build());
        to.postReceive(1, 0, 256);
        traffic.link.arrive(packet(to));
        traffic.run();
        assertThat(to.receiveCq.poll(1)).isEmpty();
        traffic.context.port(1).setInfo(orders.state(PortState.ARMED).build());
        traffic.link.arrive(packet(to));
        traffic.run();
        assertThat(to.receiveCq.poll(1)).hasSize(1);
        assertThat(traffic.link.sent).isEmpty();
        traffic.context.port(1).setInfo(orders.state(PortState.ACTIVE).build());
        to.postSend(2, 0, 100);
        traffic.run();
        assertThat(traffic.link.sent).hasSize(1);
    }

    @Test
    @Covers({"PORT-17", "PORT-53", "DEV-40"})
    void theSubnetManagerAnswersWhatTheNodeAsksItToKeep() {
        bench.port().modify(PortModification.ofInitType(0b0101));
        takeOver();
        assertThat(bench.port().info().initType()).isEqualTo(0b0101);
        assertThat(bench.query().initTypeReply()).isZero();
        order(info().initTypeReply(0b0100).initType(0).state(PortState.ARMED));
        order(info().state(PortState.ACTIVE));
        assertThat(bench.query().initTypeReply()).isEqualTo(0b0100);
        assertThat(bench.port().info().initType()).as("the node's to say").isEqualTo(0b0101);
        order(info().state(PortState.DOWN));
        assertThat(bench.query().initTypeReply())
                .as("nobody has answered again")
                .isZero();
    }

    @Test
    @Covers("PORT-4")
    void aDormantLinkWaitsInInit() {
        bench.network.linkState().setDormant(true);
        assertPort(PortState.INIT, PhysicalState.LINK_UP, EventType.PORT_ERR);
        bench.network.linkState().setDormant(false);
        assertPort(PortState.ACTIVE, PhysicalState.LINK_UP, EventType.PORT_ACTIVE);
    }

    /** The machine processes link events after a delay; a link that is back by then raises no event. */
    @Test
    @Covers("PORT-7")
    void aLinkThatIsLostDefersUntilThatIsSettled() {
        bench.machine.deferLinkEvents(() -> {});
        bench.network.setCarrier(false);
        assertPort(PortState.ACTIVE_DEFER, PhysicalState.LINK_ERROR_RECOVERY);
        bench.network.setCarrier(true);
        bench.machine.runLinkEvents();
        assertPort(PortState.ACTIVE, PhysicalState.LINK_UP);
        bench.network.setCarrier(false);
        bench.machine.runLinkEvents();
        assertPort(PortState.DOWN, PhysicalState.POLLING, EventType.PORT_ERR);
    }

    @ParameterizedTest
    @EnumSource(
            value = PortState.class,
            names = {"INIT", "ARMED", "ACTIVE_DEFER"})
    void ordersThatDoNotFollowTheStateAreRefusedAndNothingChanges(PortState wanted) {
        PortInfo orders = info().lid(5, 0).state(wanted).build();
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> bench.port().setInfo(orders))
                .withMessageContaining("PortState " + wanted + " does not follow ACTIVE")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        assertThat(bench.query().lid()).isZero();
        assertPort(PortState.ACTIVE, PhysicalState.LINK_UP);
    }

    @Test
    void whatWasReadMayBeWrittenBack() {
        order(info());
        order(info().state(PortState.NOP));
        assertPort(PortState.ACTIVE, PhysicalState.LINK_UP);
        bench.network.down();
        order(info());
        bench.network.up();
        assertPort(PortState.ACTIVE, PhysicalState.LINK_UP, EventType.PORT_ERR, EventType.PORT_ACTIVE);
    }

    @Test
    @Covers("DEV-41")
    void aDeviceThatDoesNotTellOfActivePortsDoesNot() {
        try (PortBench mute = new PortBench(DeviceProfile.FULL.without(DeviceCapability.PORT_ACTIVE_EVENT))) {
            mute.network.down();
            mute.network.up();
            assertThat(mute.events()).containsExactly(EventType.PORT_ERR);
            assertThat(mute.query().state()).isEqualTo(PortState.ACTIVE);
            assertThat(mute.context.queryDevice().has(DeviceCapability.PORT_ACTIVE_EVENT))
                    .isFalse();
        }
        assertThat(bench.context.queryDevice().has(DeviceCapability.PORT_ACTIVE_EVENT))
                .isTrue();
    }
}
