// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.device.PhysicalState;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.wire.ib.Lid;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class IbSwitchTest {
    private final Star star = new Star(4, IbLinkProfile.PLAIN);

    private long dropped(int port, DropReason reason) {
        return star.hub.port(port).counts().dropped(reason);
    }

    @Test
    void aPacketCrossesTheSwitchToThePortOfItsLid() {
        assertThat(star.send(1, 3, 64, 7)).isTrue();
        star.run();

        assertThat(star.mail(3).arrivals)
                .containsExactly(new Mailbox.Arrival(star.schedule.nowNs(), 7, 1, 3, 1, 8 + 12 + 64));
        assertThat(star.mail(2).arrivals).isEmpty();
        assertThat(star.hub.port(1).counts().get(PortCount.RCV_PKTS)).isEqualTo(1);
        assertThat(star.hub.port(3).counts().get(PortCount.XMIT_PKTS)).isEqualTo(1);
        assertThat(star.hub.port(3).counts().get(PortCount.XMIT_DATA)).isEqualTo((8 + 12 + 64 + 4) / 4);
        star.assertEmpty();
    }

    @Test
    void packetsOfALevelArriveInOrder() {
        List<Integer> sent = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            star.send(1, 2, 4, i);
            sent.add(i);
        }
        star.run();

        assertThat(star.mail(2).numbers()).isEqualTo(sent);
    }

    @Test
    void lidsThatLeadNowhereAreCountedAtTheInputPort() {
        star.send(1, 99, 4, 0);
        star.hub.tables().linear(50, 77); // the switch has no such port
        star.send(1, 50, 4, 0);
        star.hub.tables().linearTop(2);
        star.send(1, 3, 4, 0);
        star.send(1, 0, 4, 0);
        star.run();

        assertThat(dropped(1, DropReason.NO_ROUTE)).isEqualTo(4);
        assertThat(star.hub.port(1).counts().get(PortCount.RCV_SWITCH_RELAY_ERRORS))
                .isEqualTo(4);
        assertThat(star.hub.port(1).counts().get(PortCount.DLID_MAPPING_ERRORS)).isEqualTo(4);
        star.assertEmpty();
    }

    @Test
    void aPacketDoesNotLeaveByThePortAtWhichItArrived() {
        star.hub.tables().linear(9, 1);
        star.send(1, 9, 4, 0);
        star.run();

        assertThat(dropped(1, DropReason.LOOP)).isEqualTo(1);
        assertThat(star.hub.port(1).counts().get(PortCount.LOOPING_ERRORS)).isEqualTo(1);
    }

    @Test
    void thePortOfTheSwitchItselfReceivesAndSends() {
        star.hub.tables().linear(20, 0);
        star.send(2, 20, 4, 5);
        star.run();
        assertThat(star.switchMail.arrivals).hasSize(1);
        assertThat(star.switchMail.arrivals.getFirst().inputPort()).isEqualTo(2);

        star.hub.send(star.packets.send(20, 4, 0, 4, 6));
        star.hub.sendBy(star.packets.management(Lid.PERMISSIVE, Lid.PERMISSIVE), 3);
        star.run();
        assertThat(star.mail(4).numbers()).containsExactly(6);
        assertThat(star.mail(3).arrivals).hasSize(1);
        star.assertEmpty();
    }

    @Test
    void permissiveLidsAreForManagementOnly() {
        star.end(1).send(star.packets.management(Lid.PERMISSIVE, Lid.PERMISSIVE));
        star.send(1, Lid.PERMISSIVE, 4, 0);
        star.run();

        assertThat(star.switchMail.arrivals).hasSize(1);
        assertThat(dropped(1, DropReason.NO_ROUTE)).isEqualTo(1);
    }

    @Test
    void aMulticastPacketGoesToTheMembersButNotBack() {
        for (int port : new int[] {0, 1, 2, 4}) {
            star.hub.tables().multicast(0xC005, port, true);
        }
        star.hub.tables().multicast(0xC005, 4, false);
        star.hub.tables().multicast(0xC005, 3, true);
        star.end(1).send(star.packets.multicast(1, 0xC005, 32, 3));
        star.run();

        assertThat(star.mail(1).arrivals).isEmpty();
        assertThat(star.mail(2).numbers()).containsExactly(3);
        assertThat(star.mail(3).numbers()).containsExactly(3);
        assertThat(star.mail(4).arrivals).isEmpty();
        assertThat(star.switchMail.numbers()).containsExactly(3);
        assertThat(star.hub.port(1).counts().get(PortCount.MULTICAST_RCV_PKTS)).isEqualTo(1);
        assertThat(star.hub.port(2).counts().get(PortCount.MULTICAST_XMIT_PKTS)).isEqualTo(1);
        star.assertEmpty();
    }

    @Test
    void multicastLidsAboveTheTableUseTheDefaultPorts() {
        int mlid = Lid.MULTICAST + IbSubnet.MULTICAST_CAP;
        star.end(1).send(star.packets.multicast(1, mlid, 4, 1));
        star.run();
        assertThat(dropped(1, DropReason.NO_ROUTE)).isEqualTo(1);
        star.hub.tables().defaultMulticastPorts(2, 3);
        star.end(1).send(star.packets.multicast(1, mlid, 4, 2));
        star.end(2).send(star.packets.multicast(2, mlid, 4, 3));
        star.run();

        assertThat(star.mail(2).numbers()).containsExactly(2);
        assertThat(star.mail(3).numbers()).containsExactly(3);
    }

    @Test
    void aMulticastPacketWithoutGrhIsNotForAnEndPort() {
        star.hub.tables().multicast(0xC000, 2, true);
        star.send(1, 0xC000, 4, 0);
        star.run();

        assertThat(star.end(2).port().counts().dropped(DropReason.NOT_MINE)).isEqualTo(1);
    }

    @Test
    void aPacketForAnotherLidIsDroppedByTheEndPort() {
        star.hub.tables().linear(9, 2);
        star.send(1, 9, 4, 0);
        star.run();
        assertThat(star.end(2).port().counts().dropped(DropReason.NOT_MINE)).isEqualTo(1);

        star.end(2).lid(8, 1);
        star.send(1, 9, 4, 1);
        star.run();
        assertThat(star.mail(2).numbers()).containsExactly(1);
    }

    @Test
    void partitionsAreEnforcedInBothDirections() {
        star.hub.port(1).partitions().pkeys(0x8001, 0x0002);
        star.hub.port(2).partitions().pkeys(0x0001, 0x8002);
        star.hub.port(1).partitions().enforce(true, true);
        star.end(1).send(star.packets.withPkey(1, 2, 0x8001));
        star.end(1).send(star.packets.withPkey(1, 2, 0x0002)); // both are limited members
        star.end(1).send(star.packets.withPkey(1, 2, 0x8003));
        star.end(2).send(star.packets.withPkey(2, 1, 0x8003));
        star.run();

        assertThat(star.mail(2).arrivals).hasSize(1);
        assertThat(dropped(1, DropReason.INBOUND_CONSTRAINT)).isEqualTo(2);
        assertThat(dropped(1, DropReason.OUTBOUND_CONSTRAINT)).isEqualTo(1);
        assertThat(star.hub.port(1).counts().get(PortCount.RCV_CONSTRAINT_ERRORS))
                .isEqualTo(2);
        star.end(1).send(star.packets.management(Lid.PERMISSIVE, Lid.PERMISSIVE));
        star.run();
        assertThat(star.switchMail.arrivals).hasSize(1);
    }

    @Test
    void rawPacketsAreFiltered() {
        star.end(1).send(star.packets.raw(1, 2, 8));
        star.hub.port(1).partitions().filterRaw(true, false);
        star.end(1).send(star.packets.raw(1, 2, 8));
        star.hub.port(1).partitions().filterRaw(false, false);
        star.hub.port(2).partitions().filterRaw(false, true);
        star.run();

        assertThat(dropped(1, DropReason.INBOUND_CONSTRAINT) + dropped(2, DropReason.OUTBOUND_CONSTRAINT))
                .isEqualTo(2);
    }

    @Test
    void payloadsAboveTheNeighbourMtuAreDiscarded() {
        star.hub.port(2).neighborMtu(Mtu.MTU_256);
        star.send(1, 2, 256, 1);
        star.send(1, 2, 260, 2);
        star.run();

        assertThat(star.mail(2).numbers()).containsExactly(1);
        assertThat(star.hub.port(2).counts().get(PortCount.NEIGHBOR_MTU_DISCARDS))
                .isEqualTo(1);
    }

    @Test
    void aServiceLevelWithoutLaneIsDropped() {
        star.hub.slToVl(1, 2, 3, IbSwitch.DROP_LANE);
        star.end(1).send(star.packets.send(1, 2, 3, 4, 1));
        star.end(1).send(star.packets.send(1, 3, 3, 4, 2));
        star.hub.port(4).lanes(1);
        star.end(1).send(star.packets.send(1, 4, 3, 4, 3));
        star.run();

        assertThat(star.mail(3).numbers()).containsExactly(2);
        assertThat(dropped(2, DropReason.NO_LANE)).isEqualTo(1);
        assertThat(dropped(4, DropReason.NO_LANE)).isEqualTo(1);
    }

    @Test
    void aPortThatIsNotActiveDiscards() {
        star.hub.port(2).setState(PortState.DOWN);
        star.send(1, 2, 4, 1);
        star.run();

        assertThat(star.hub.port(2).state()).isEqualTo(PortState.INIT);
        assertThat(dropped(2, DropReason.INACTIVE)).isEqualTo(1);
        assertThat(star.hub.port(2).counts().get(PortCount.LINK_DOWNED)).isEqualTo(1);
        assertThat(star.send(2, 1, 4, 1)).isFalse();
    }

    @Test
    void portsTrainThenWaitForTheSubnetManager() {
        EventSchedule schedule = new EventSchedule();
        IbSubnet subnet = new IbSubnet(schedule);
        List<String> states = new ArrayList<>();
        IbEndPort a = subnet.newEndPort(1, (skb, _) -> skb.free(), (_, state) -> states.add("a " + state));
        IbEndPort b = subnet.newEndPort(1, (skb, _) -> skb.free(), (_, state) -> states.add("b " + state));
        IbLink link = subnet.connect(a.port(), b.port(), new IbLinkProfile(false, 0, 64, 500, false, null));
        assertThat(a.port().state()).isEqualTo(PortState.DOWN);
        schedule.runUntil(499);
        assertThat(a.port().physicalState()).isEqualTo(PhysicalState.POLLING);
        schedule.runUntil(500);
        assertThat(a.port().physicalState()).isEqualTo(PhysicalState.LINK_UP);
        assertThat(states).containsExactly("a INIT", "b INIT");
        assertThat(a.port().setState(PortState.ACTIVE)).isFalse();
        assertThat(a.port().setState(PortState.ARMED)).isTrue();
        assertThat(a.port().setState(PortState.INIT)).isFalse();
        assertThat(a.port().setState(PortState.NOP)).isTrue();
        assertThat(a.port().setState(PortState.ACTIVE)).isTrue();
        assertThat(a.port().setState(PortState.ACTIVE)).isTrue();

        link.unplug();
        assertThat(b.port().state()).isEqualTo(PortState.DOWN);
        schedule.runUntil(5_000);
        assertThat(a.port().state()).isEqualTo(PortState.DOWN);
        link.plug();
        schedule.runUntil(6_000);
        assertThat(a.port().state()).isEqualTo(PortState.INIT);
        assertThatThrownBy(() -> subnet.connect(a.port(), b.port(), IbLinkProfile.PLAIN))
                .hasMessageContaining("has a link already");
    }

    @Test
    void aDisabledPortStaysDownUntilItPolls() {
        star.hub.port(1).setPhysicalState(PhysicalState.DISABLED);
        star.run();
        assertThat(star.hub.port(1).physicalState()).isEqualTo(PhysicalState.DISABLED);
        assertThat(star.end(1).port().physicalState()).isEqualTo(PhysicalState.POLLING);
        star.hub.port(1).setPhysicalState(PhysicalState.POLLING);
        star.run();

        assertThat(star.end(1).port().state()).isEqualTo(PortState.INIT);
        assertThatThrownBy(() -> star.hub.port(1).setPhysicalState(PhysicalState.LINK_UP))
                .hasMessageContaining("LINK_UP");
    }

    @Test
    void beforeThePortIsArmedOnlyManagementPasses() {
        star.hub.port(1).setState(PortState.DOWN);
        star.run();
        Star.activate(star.end(1).port());
        star.send(1, 2, 4, 1);
        star.end(1).send(star.packets.management(Lid.PERMISSIVE, Lid.PERMISSIVE));
        star.run();
        assertThat(star.mail(2).arrivals).isEmpty();
        assertThat(star.switchMail.arrivals).hasSize(1);
        assertThat(dropped(1, DropReason.STATE)).isEqualTo(1);

        star.hub.port(1).setState(PortState.ARMED);
        star.send(1, 2, 4, 2);
        star.run();
        assertThat(star.mail(2).numbers()).containsExactly(2);
        assertThat(star.hub.port(1).state()).isEqualTo(PortState.ACTIVE);
    }

    @Test
    void malformedPacketsAreRefused() {
        assertThat(star.end(1).send(star.packets.raw(1, 2, 2))).isFalse();
        star.hub.send(star.packets.raw(1, 2, 2));
        star.send(1, 2, 4, 1);
        star.run();

        assertThat(star.mail(2).arrivals).hasSize(1);
        star.assertEmpty();
    }

    @Test
    void aSourceLidOfAGroupIsDropped() {
        star.end(1).send(star.packets.send(0xC000, 2, 0, 4, 1));
        star.run();
        assertThat(dropped(1, DropReason.BAD_SLID)).isEqualTo(1);
    }

    @Test
    void wrongSettingsAreRefusedWithTheLimit() {
        assertThatThrownBy(() -> star.hub.port(5)).hasMessageContaining("the switch has ports 1..4, not 5");
        assertThatThrownBy(() -> star.hub.tables().linear(0xC000, 1)).hasMessageContaining("49152 entries");
        assertThatThrownBy(() -> star.hub.tables().multicast(0xC400, 1, true)).hasMessageContaining("1024 entries");
        assertThatThrownBy(() -> star.hub.tables().multicast(0xC000, 5, true)).hasMessageContaining("ports 0..4");
        assertThatThrownBy(() -> star.end(1).lid(3, 1)).hasMessageContaining("not aligned");
        assertThatThrownBy(() -> star.end(1).lid(0xC000, 0)).hasMessageContaining("no unicast LID");
        assertThatThrownBy(() -> star.hub.port(1).lanes(3)).hasMessageContaining("1, 2, 4, 8 or 15");
        assertThatThrownBy(() -> star.hub.port(1).arbitration(true, 64, 0, 0)).hasMessageContaining("0..63");
        assertThatThrownBy(() -> new IbLinkProfile(false, -1, 1, 0, false, null))
                .hasMessageContaining("latencyNs -1");
        IbPort free =
                star.subnet.newSwitch(1, star.switchMail, PortObserver.NONE).port(1);
        assertThatThrownBy(() -> star.subnet.connect(free, free, IbLinkProfile.PLAIN))
                .hasMessageContaining("two ports");
        assertThatThrownBy(() -> new LinkModes(2, 8, 0)).hasMessageContaining("speeds 8");
        assertThatThrownBy(() -> IbLinkProfile.PLAIN.with((_, _) -> {})).hasMessageContaining("noise");
        assertThatThrownBy(() -> star.subnet.newSwitch(255, star.switchMail, PortObserver.NONE))
                .hasMessageContaining("1..254");
    }
}
