// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.fabric.IbPort;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.Transitions;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.Rate;
import io.rdma4j.verbs.wr.WorkCompletion;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What changes while a subnet is managed, in virtual time: it comes to rest with right tables. */
class SubnetChangeTest {
    private static final long SECOND_NS = 1_000_000_000;
    private static final long MICROSECOND_NS = 1_000;
    private static final int SWITCHES = 5;
    private static final int MLID = 0xC005;
    private static final Gid GROUP = Gid.parse("ff12::5");

    private final VirtualFabric tree = new VirtualFabric(3, 2, 2, null);
    private IbManager manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT);

    @AfterEach
    void close() {
        manager.close();
        tree.close();
    }

    private void plug(String link, boolean isPlugged) {
        tree.plug(link, isPlugged);
    }

    private List<Integer> configuration() {
        List<Integer> all = new ArrayList<>();
        tree.hosts.forEach(host -> all.add(host.lid()));
        for (int lid = 1; lid <= tree.hosts.size() + SWITCHES; lid++) {
            for (int i = 0; i < tree.leaves.size(); i++) {
                all.add(tree.leaves.get(i).tables().linear(lid));
            }
            for (int i = 0; i < tree.spines.size(); i++) {
                all.add(tree.spines.get(i).tables().linear(lid));
            }
        }
        return all;
    }

    private void assertAllPairsReach() {
        assertThat(manager.isUp()).isTrue();
        assertThat(tree.hosts)
                .allSatisfy(host -> assertThat(host.port().state()).isEqualTo(PortState.ACTIVE));
        for (int from = 0; from < tree.hosts.size(); from++) {
            for (int to = 0; to < tree.hosts.size(); to++) {
                assertThat(tree.walk(from, tree.lid(to)))
                        .as("from host %d to host %d", from, to)
                        .isNotEmpty();
            }
        }
    }

    @Test
    void aManagerThatStartsAgainChangesNothing() {
        tree.runUntilUp(manager);
        List<Integer> before = configuration();
        manager.close();
        tree.run(SECOND_NS);
        manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT);
        tree.runUntilUp(manager);
        assertThat(configuration()).isEqualTo(before);
        assertAllPairsReach();
    }

    /** Ten losses of a link in half a second: each change causes at most one sweep. */
    @Test
    void aLinkThatComesAndGoesCausesFewSweeps() {
        tree.runUntilUp(manager);
        for (int i = 0; i < 20; i++) {
            plug("ib5", i % 2 == 1);
            tree.run(SECOND_NS / 40);
        }
        tree.run(20 * SECOND_NS);
        assertThat(manager.sweeps()).isLessThanOrEqualTo(1 + 20 + 2);
        assertAllPairsReach();
    }

    /** A link is lost at some time within the first sweep, and comes back within another one. */
    @ParameterizedTest
    @ValueSource(ints = {60, 200, 500})
    void aChangeWithinASweepIsFoundByTheNextOne(int microseconds) {
        tree.run(microseconds * MICROSECOND_NS);
        plug("leaf1-spine0", false);
        tree.run(30 * SECOND_NS);
        assertAllPairsReach();
        plug("leaf1-spine0", true);
        tree.run(microseconds * MICROSECOND_NS);
        plug("leaf2-spine1", false);
        tree.run(30 * SECOND_NS);
        assertAllPairsReach();
    }

    /** Links between switches at random; each leaf keeps one. */
    @Test
    void afterManyChangesTheTablesAreRight() {
        tree.runUntilUp(manager);
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 100; i++) {
            plug("leaf" + random.nextInt(tree.leaves.size()) + "-spine0", random.nextBoolean());
            tree.run(random.nextLong(SECOND_NS / 100));
        }
        tree.run(30 * SECOND_NS);
        assertAllPairsReach();
        assertThat(manager.creditLoop()).isEmpty();
    }

    /** Two ports have the same LID before the first sweep: one of them gets another. */
    @Test
    void aDuplicateLidIsReassigned() {
        tree.runUntilUp(manager);
        manager.close();
        int kept = tree.lid(2);
        int lost = tree.lid(3);
        setLid(3, kept);
        assertThat(tree.lid(3)).isEqualTo(kept);
        manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT);
        tree.runUntilUp(manager);
        assertThat(tree.lid(2)).isEqualTo(kept);
        assertThat(tree.lid(3)).isEqualTo(lost);
        assertAllPairsReach();
    }

    /** As another manager would. */
    private void setLid(int host, int lid) {
        NodeAgents agents = tree.hosts.get(host).agents();
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        int attribute = MadAttribute.PORT_INFO.attributeId();
        Mad.write(mad, 0, MadClass.SUBN_DIRECTED_ROUTE, MadMethod.SET.code(), attribute, 1);
        Mad.ATTRIBUTE_MODIFIER.put(mad, 0, 1);
        Smp.DR_SLID.put(mad, 0, Lid.PERMISSIVE);
        Smp.DR_DLID.put(mad, 0, Lid.PERMISSIVE);
        tree.fabric.exclusively(() -> {
            agents.agent().read(MadAttribute.PORT_INFO, 1, mad.asSlice(Smp.DATA, Smp.DATA_BYTES));
            PortInfoAttribute.LID.put(mad, Smp.DATA, lid);
            PortInfoAttribute.PORT_STATE.put(mad, Smp.DATA, 0);
            PortInfoAttribute.PORT_PHYSICAL_STATE.put(mad, Smp.DATA, 0);
            agents.sendManagement(mad, Lid.PERMISSIVE);
        });
        tree.run(MICROSECOND_NS);
    }

    /** A host has the same LID at another switch, which the tables know. */
    @Test
    void aHostThatMovesKeepsItsLid() {
        tree.runUntilUp(manager);
        int lid = tree.lid(5);
        tree.fabric.exclusively(() -> tree.link("ib5").unplug());
        tree.run(SECOND_NS);
        tree.move(5, 1, 5);
        tree.run(SECOND_NS);
        assertThat(tree.lid(5)).isEqualTo(lid);
        assertThat(tree.leaves.get(1).tables().linear(lid)).isEqualTo(5);
        assertAllPairsReach();
    }

    /** A switch loses its tables: all is written again, and hosts behind it are asked to register. */
    @ParameterizedTest
    @ValueSource(longs = {100 * MICROSECOND_NS, SECOND_NS})
    void aSwitchThatStartsAgainGetsAllTables(long awayNs) {
        manager.group(MLID, Set.of(tree.portGuid(1), tree.portGuid(2), tree.portGuid(4)));
        tree.runUntilUp(manager);
        List<Integer> before = configuration();
        try (VirtualEnd behind = new VirtualEnd(tree, 2, QpType.UD);
                VirtualEnd elsewhere = new VirtualEnd(tree, 4, QpType.UD)) {
            tree.restartLeaf(1, awayNs);
            tree.run(SECOND_NS);
            assertAllPairsReach();
            assertThat(configuration()).isEqualTo(before);
            assertThat(tree.leaves.get(1).tables().isMulticastMember(MLID, 1)).isTrue();
            assertThat(behind.events).contains(EventType.PORT_ACTIVE, EventType.CLIENT_REREGISTER);
            assertThat(elsewhere.events).isEmpty();
        }
    }

    /** A link of the tree of a group is lost: members miss some datagrams, and get none twice. */
    @Test
    void aGroupGoesOnWhenItsTreeLosesALink() {
        int millis = 60;
        manager.group(MLID, Set.of(tree.portGuid(1), tree.portGuid(2), tree.portGuid(4)));
        tree.runUntilUp(manager);
        int spine = tree.spines.getFirst().tables().isMulticastMember(MLID, 3) ? 0 : 1;
        try (VirtualEnd sender = new VirtualEnd(tree, 1, QpType.UD);
                VirtualEnd near = new VirtualEnd(tree, 2, QpType.UD);
                VirtualEnd far = new VirtualEnd(tree, 4, QpType.UD);
                AddressHandle toGroup = sender.pd.createAddressHandle(
                        new AddressVector(GlobalRoute.to(GROUP, 0), MLID, 0, 0, Rate.PORT_CURRENT, 1))) {
            for (VirtualEnd each : List.of(sender, near, far)) {
                each.connect(each, LinkSetup.DEFAULT);
                each.receive(millis, 100);
                each.qp.attachMulticast(GROUP, MLID);
            }
            for (int i = 0; i < millis; i++) {
                if (i == 20) {
                    plug("leaf2-spine" + spine, false);
                }
                sender.qp
                        .startSend()
                        .sendImm(i)
                        .destination(toGroup, 0xFFFFFF, Transitions.QKEY)
                        .sge(sender.memory.lkey(), sender.memory.address(), 8)
                        .complete();
                tree.run(SECOND_NS / 1000);
            }
            List<Integer> numbers = numbers(far);
            assertThat(numbers)
                    .hasSizeBetween(millis - 5, millis - 1)
                    .isSorted()
                    .doesNotHaveDuplicates();
            assertThat(numbers).startsWith(0, 1).endsWith(millis - 1);
            assertThat(numbers(near))
                    .hasSizeBetween(millis - 5, millis)
                    .isSorted()
                    .doesNotHaveDuplicates();
        }
    }

    private static List<Integer> numbers(VirtualEnd end) {
        return end.receives.poll(VirtualEnd.DEPTH).stream()
                .map(WorkCompletion::immediate)
                .toList();
    }

    /** After each microsecond: one end ACTIVE, the other at least ARMED; and what both ends must have in common. */
    @Test
    void theEndsOfALinkAgreeAtAnyTime() {
        SplittableRandom random = new SplittableRandom(9);
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < 1500; i++) {
                tree.run(MICROSECOND_NS);
                tree.linksUp().forEach(ports -> {
                    IbPort first = ports.getFirst();
                    IbPort second = ports.getLast();
                    assertThat(isAtLeastArmed(second) || first.state() != PortState.ACTIVE)
                            .isTrue();
                    assertThat(isAtLeastArmed(first) || second.state() != PortState.ACTIVE)
                            .isTrue();
                    if (first.state() == PortState.ACTIVE) {
                        assertThat(first.neighborMtu()).isEqualTo(second.neighborMtu());
                        assertThat(first.lanes()).isEqualTo(second.lanes());
                    }
                });
            }
            String link = "leaf" + random.nextInt(3) + "-spine" + random.nextInt(2);
            plug(link, false);
            plug(link, true);
        }
        tree.run(SECOND_NS);
        assertAllPairsReach();
    }

    private static boolean isAtLeastArmed(IbPort port) {
        return port.state() == PortState.ARMED || port.state() == PortState.ACTIVE;
    }

    /** Lost datagrams and a number of changes: the number of sweeps is limited, and the last one is good. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void afterTheLastChangeTheManagerComesToRest(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int changes = 10;
        try (VirtualFabric fabric = new VirtualFabric(3, 2, 1, (bytes, _) -> damage(random, bytes));
                IbManager lossy = fabric.manage(fabric.hosts.getFirst(), SubnetOptions.DEFAULT)) {
            Set<String> lost = new HashSet<>();
            for (int i = 0; i < changes; i++) {
                String cable = "leaf" + (1 + random.nextInt(2)) + "-spine" + random.nextInt(2);
                boolean isPlugged = lost.remove(cable);
                if (!isPlugged) {
                    lost.add(cable);
                }
                fabric.plug(cable, isPlugged);
                fabric.run(random.nextLong(2 * SECOND_NS / 1000));
            }
            fabric.run(60 * SECOND_NS);
            int sweeps = lossy.sweeps();
            assertThat(lossy.isUp()).isTrue();
            assertThat(sweeps).isLessThanOrEqualTo(2 * changes + 5);
            for (int leaf = 1; leaf <= 2; leaf++) {
                boolean isReached = !lost.containsAll(Set.of("leaf" + leaf + "-spine0", "leaf" + leaf + "-spine1"));
                assertThat(fabric.walk(0, fabric.lid(leaf)).isEmpty()).isEqualTo(!isReached);
            }
            fabric.run(60 * SECOND_NS);
            assertThat(lossy.sweeps()).isEqualTo(sweeps);
        }
    }

    private static void damage(SplittableRandom random, MemorySegment bytes) {
        if (bytes.byteSize() > 100 && random.nextInt(200) == 0) {
            long at = random.nextLong(bytes.byteSize());
            bytes.set(ValueLayout.JAVA_BYTE, at, (byte) ~bytes.get(ValueLayout.JAVA_BYTE, at));
        }
    }
}
