// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.IbLinkProfile;
import io.rdma4j.sm.SmState;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.sm.SmInfo;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several subnet managers on a fat tree: election, hand-over and the end of the master, in virtual time. */
class SubnetElectionTest {
    private static final long SECOND_NS = 1_000_000_000;
    private static final int HANDOVER = 1;
    private static final int DISABLE = 3;
    private static final int WAKE = 4;

    private final VirtualFabric tree = new VirtualFabric(3, 2, 2, null);
    private final List<IbManager> managers = new ArrayList<>();

    @AfterEach
    void close() {
        managers.forEach(IbManager::close);
        tree.close();
    }

    private IbManager manager(int host, int priority) {
        return manager(host, SubnetOptions.DEFAULT.priority(priority));
    }

    private IbManager manager(int host, SubnetOptions options) {
        IbManager manager = tree.manage(tree.hosts.get(host), options);
        managers.add(manager);
        return manager;
    }

    private static void assertStates(IbManager master, IbManager standby) {
        assertThat(master.state()).isEqualTo(SmState.MASTER);
        assertThat(master.isUp()).isTrue();
        assertThat(standby.state()).isEqualTo(SmState.STANDBY);
    }

    /** The LIDs of all hosts and the forwarding tables of all switches. */
    private List<Integer> configuration() {
        List<Integer> all = new ArrayList<>();
        tree.hosts.forEach(host -> all.add(host.lid()));
        for (int lid = 1; lid <= tree.hosts.size() + 5; lid++) {
            for (int i = 0; i < tree.leaves.size(); i++) {
                all.add(tree.leaves.get(i).tables().linear(lid));
            }
        }
        return all;
    }

    @Test
    void ofTwoThatStartTogetherTheSmallerGuidIsMaster() {
        IbManager second = manager(5, 3);
        IbManager first = manager(0, 3);
        tree.run(30 * SECOND_NS);
        assertStates(first, second);
    }

    @Test
    void theHigherPriorityIsMaster() {
        IbManager low = manager(0, 3);
        IbManager high = manager(5, 4);
        tree.run(30 * SECOND_NS);
        assertStates(high, low);
        long before = low.datagramsSent();
        tree.run(100 * SECOND_NS);
        assertThat(low.datagramsSent() - before).isBetween(9L, 11L); // one poll in 10 s
        assertStates(high, low);
    }

    /** Hosts keep LIDs and tables, and hear of the new master. */
    @Test
    @Covers("SM-3")
    void aMasterHandsOverToAHigherOne() {
        IbManager low = manager(0, 3);
        tree.runUntilUp(low);
        List<Integer> before = configuration();
        try (Host host = tree.open(3);
                Context context = host.open("ib3")) {
            List<EventType> events = new ArrayList<>();
            context.registerEventHandler(event -> events.add(event.type()));
            IbManager high = manager(5, 4);
            tree.run(20 * SECOND_NS);

            assertStates(high, low);
            assertThat(configuration()).isEqualTo(before);
            assertThat(context.queryPort(1).smLid()).isEqualTo(tree.lid(5));
            assertThat(events).contains(EventType.SM_CHANGE, EventType.CLIENT_REREGISTER);
        }
    }

    @Test
    @Covers("SM-3")
    void theStandbyReplacesAMasterThatDoesNotAnswer() {
        IbManager master = manager(0, 5);
        IbManager standby = manager(5, 3);
        tree.run(30 * SECOND_NS);
        assertStates(master, standby);
        List<Integer> before = configuration();
        managers.remove(master);
        master.close();
        tree.run(39 * SECOND_NS);
        assertThat(standby.state()).isEqualTo(SmState.STANDBY);
        tree.run(30 * SECOND_NS);

        assertThat(standby.state()).isEqualTo(SmState.MASTER);
        assertThat(standby.isUp()).isTrue();
        assertThat(configuration()).isEqualTo(before);
    }

    /** Two polls, half a second apart. */
    @Test
    void aStandbyThatPollsOftenTakesOverSoon() {
        IbManager master = manager(0, 5);
        IbManager standby = manager(5, SubnetOptions.DEFAULT.priority(3).polling(SECOND_NS / 2, 1));
        tree.run(30 * SECOND_NS);
        assertStates(master, standby);
        managers.remove(master);
        master.close();
        tree.run(4 * SECOND_NS);
        assertThat(standby.state()).isEqualTo(SmState.MASTER);
        assertThat(standby.isUp()).isTrue();
    }

    @Test
    void managersWithDifferentKeysIgnoreEachOther() {
        IbManager first = manager(0, SubnetOptions.DEFAULT.smKey(7));
        IbManager second = manager(5, SubnetOptions.DEFAULT.smKey(8));
        tree.run(30 * SECOND_NS);
        assertThat(List.of(first, second)).allSatisfy(each -> {
            assertThat(each.state()).isEqualTo(SmState.MASTER);
            assertThat(each.foreignKeys()).isPositive();
        });
    }

    /** Sends a Set of SMInfo from host 1 to the standby at host 5; returns the status of the response. */
    private int command(int modifier, SmState sender) {
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        Mad.write(mad, 0, MadClass.SUBN_LID_ROUTED, MadMethod.SET.code(), MadAttribute.SM_INFO.attributeId(), modifier);
        Mad.ATTRIBUTE_MODIFIER.put(mad, 0, modifier);
        SmInfo.STATE.put(mad, Smp.DATA, sender.ordinal());
        List<Integer> answers = new ArrayList<>();
        ManagementListener listener = (memory, offset, _, _, _) -> answers.add(Mad.STATUS.getInt(memory, offset));
        NodeAgents agents = tree.hosts.get(1).agents();
        tree.fabric.exclusively(() -> {
            agents.add(listener);
            agents.sendManagement(mad, tree.lid(5));
        });
        tree.run(SECOND_NS / 10);
        tree.fabric.exclusively(() -> agents.remove(listener));
        assertThat(answers).hasSize(1);
        return answers.getFirst();
    }

    private static void assertAnnounced(Context context, boolean isDisabled) {
        assertThat(context.queryPort(1).capabilities())
                .contains(PortCapability.SM)
                .matches(all -> all.contains(PortCapability.SM_DISABLED) == isDisabled);
    }

    /** The port of a manager in the state NOT-ACTIVE says so. */
    @Test
    @Covers({"PORT-30", "SM-3"})
    void aStandbyIsDisabledAndWokenByTheMasterOnly() {
        try (Host host = tree.open(5);
                Context port = host.open("ib5")) {
            disableAndWake(port);
        }
    }

    private void disableAndWake(Context port) {
        IbManager master = manager(0, 5);
        IbManager standby = manager(5, 3);
        tree.run(30 * SECOND_NS);
        assertThat(command(DISABLE, SmState.STANDBY)).isEqualTo(MadStatus.BAD_FIELD);
        assertThat(command(WAKE, SmState.MASTER)).isEqualTo(MadStatus.BAD_FIELD);
        assertAnnounced(port, false);
        assertThat(command(DISABLE, SmState.MASTER)).isZero();
        assertAnnounced(port, true);
        assertThat(standby.state()).isEqualTo(SmState.NOT_ACTIVE);
        assertThat(command(HANDOVER, SmState.MASTER)).isEqualTo(MadStatus.BAD_FIELD);
        standby.sweep();
        tree.run(100 * SECOND_NS);
        assertThat(standby.state()).isEqualTo(SmState.NOT_ACTIVE);
        assertThat(command(WAKE, SmState.MASTER)).isZero();
        tree.run(SECOND_NS);
        assertStates(master, standby);
        assertAnnounced(port, false);
    }

    /** Each leaves the other node out, says so, and sweeps no more than twice. */
    @Test
    void twoManagersWithOneGuidComeToRest() {
        IbDevice twin = tree.fabric.newDevice("twin", tree.hosts.getFirst().nodeGuid());
        tree.fabric.connect(twin.port(), tree.leaves.get(1).port(5), IbLinkProfile.PLAIN);
        IbManager first = manager(0, 3);
        IbManager second = tree.manage(twin, SubnetOptions.DEFAULT);
        managers.add(second);
        tree.run(30 * SECOND_NS);
        int sweeps = first.sweeps() + second.sweeps();
        tree.run(30 * SECOND_NS);
        assertThat(first.sweeps() + second.sweeps()).isEqualTo(sweeps).isLessThan(10);
        assertThat(List.of(first, second))
                .allSatisfy(each ->
                        assertThat(each.describe()).anyMatch(line -> line.startsWith("duplicate GUID 0x1000 behind")));
        for (int host = 1; host < tree.hosts.size(); host++) {
            assertThat(tree.walk(1, tree.lid(host))).isNotEmpty();
        }
    }

    /** Two subnets become one: the LIDs of the higher master stay. */
    @Test
    void ofTwoMastersTheLowerOneHandsOver() {
        tree.fabric.exclusively(() -> {
            tree.link("leaf2-spine0").unplug();
            tree.link("leaf2-spine1").unplug();
        });
        IbManager high = manager(0, 5);
        IbManager low = manager(5, 3);
        tree.run(30 * SECOND_NS);
        assertThat(low.state()).isEqualTo(SmState.MASTER);
        assertThat(tree.lid(5)).isEqualTo(tree.lid(0));
        int lid = tree.lid(0);
        tree.fabric.exclusively(() -> {
            tree.link("leaf2-spine0").plug();
            tree.link("leaf2-spine1").plug();
        });
        tree.run(60 * SECOND_NS);

        assertStates(high, low);
        assertThat(tree.lid(0)).isEqualTo(lid);
        assertThat(tree.hosts).extracting(IbDevice::lid).doesNotHaveDuplicates();
    }
}
