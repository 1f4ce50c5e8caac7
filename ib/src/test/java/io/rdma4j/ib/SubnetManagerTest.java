// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.IbLinkProfile;
import io.rdma4j.fabric.IbSwitch;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.sm.sweep.SubnetManager;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** Sweeps of the subnet manager over a fat tree of wire links, in virtual time. */
class SubnetManagerTest {
    private static final int HOSTS_OF_LEAF = 2;
    private static final long INTERVAL_NS = SubnetOptions.DEFAULT.sweepIntervalNs();

    private static VirtualFabric fatTree() {
        return new VirtualFabric(3, 2, HOSTS_OF_LEAF, null);
    }

    private static void assertAllPairsReach(VirtualFabric tree, int lids) {
        for (int from = 0; from < tree.hosts.size(); from++) {
            for (int to = 0; to < tree.hosts.size(); to++) {
                for (int i = 0; i < lids; i++) {
                    assertThat(tree.walk(from, tree.lid(to) + i))
                            .as("from host %d to host %d, LID %d", from, to, tree.lid(to) + i)
                            .isNotEmpty();
                }
            }
        }
    }

    private static Set<Integer> lids(VirtualFabric tree) {
        Set<Integer> lids = new HashSet<>();
        tree.hosts.forEach(host -> lids.add(host.lid()));
        return lids;
    }

    @Test
    @Covers({"SM-1", "SM-2", "SM-6"})
    void theFirstSweepMakesAllPortsActiveAndAllPairsReachEachOther() {
        try (VirtualFabric tree = fatTree();
                IbManager manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT)) {
            tree.runUntilUp(manager);

            assertThat(manager.isUp()).isTrue();
            assertThat(tree.hosts)
                    .allSatisfy(host -> assertThat(host.port().state()).isEqualTo(PortState.ACTIVE));
            assertThat(lids(tree)).hasSize(6).doesNotContain(0);
            assertThat(tree.lid(0)).isEqualTo(1);
            assertAllPairsReach(tree, 1);
            assertThat(manager.describe())
                    .contains("Switch 5 \"leaf0\" guid 0x9100", "  [1] ACTIVE mtu 4096 -> \"ib0\"[1]");
        }
    }

    /** Nothing has changed: a heavy sweep only reads, and light sweeps ask each switch once. */
    @Test
    void theSecondSweepWritesNothing() {
        try (VirtualFabric tree = fatTree();
                IbManager manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT)) {
            tree.runUntilUp(manager);
            long before = manager.datagramsSent();
            tree.run(3 * INTERVAL_NS);
            assertThat(manager.sweeps()).isEqualTo(1);
            assertThat(manager.datagramsSent() - before).isBetween(10L, 20L);

            before = manager.datagramsSent();
            manager.sweep();
            tree.run(INTERVAL_NS / 2);
            long second = manager.datagramsSent() - before;
            before = manager.datagramsSent();
            manager.sweep();
            tree.run(INTERVAL_NS / 2);
            assertThat(manager.datagramsSent() - before).isEqualTo(second);
            assertThat(manager.sweeps()).isEqualTo(3);
        }
    }

    @Test
    @Covers("MAD-19")
    void aCutLinkCausesATrapAndASweepThatAvoidsIt() {
        try (VirtualFabric tree = fatTree();
                IbManager manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT)) {
            tree.runUntilUp(manager);
            Set<Integer> before = lids(tree);
            tree.fabric.exclusively(() -> tree.link("leaf1-spine0").unplug());
            tree.run(INTERVAL_NS / 10);

            assertThat(manager.sweeps()).isGreaterThan(1);
            assertThat(manager.isUp()).isTrue();
            assertThat(lids(tree)).isEqualTo(before);
            assertAllPairsReach(tree, 1);
            IbSwitch leaf = tree.leaves.get(1);
            assertThat(tree.hosts)
                    .noneSatisfy(
                            host -> assertThat(leaf.tables().linear(host.lid())).isEqualTo(1 + HOSTS_OF_LEAF));
        }
    }

    @Test
    void aHostThatComesBackKeepsItsLid() {
        try (VirtualFabric tree = fatTree();
                IbManager manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT)) {
            tree.runUntilUp(manager);
            int lid = tree.lid(5);
            tree.fabric.exclusively(() -> tree.link("ib5").unplug());
            tree.run(INTERVAL_NS / 10);
            assertThat(tree.hosts.get(5).port().state()).isEqualTo(PortState.DOWN);
            tree.fabric.exclusively(() -> tree.link("ib5").plug());
            tree.run(INTERVAL_NS / 10);

            assertThat(tree.hosts.get(5).port().state()).isEqualTo(PortState.ACTIVE);
            assertThat(tree.lid(5)).isEqualTo(lid);
            assertAllPairsReach(tree, 1);
        }
    }

    @Test
    @Covers("AH-5")
    void theLidsOfAPortLeaveByDifferentSpines() {
        try (VirtualFabric tree = fatTree();
                IbManager manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT.lmc(1))) {
            tree.runUntilUp(manager);

            assertThat(tree.hosts).allSatisfy(host -> assertThat(host.lid() % 2).isZero());
            assertAllPairsReach(tree, 2);
            List<IbSwitch> first = tree.walk(0, tree.lid(5));
            List<IbSwitch> second = tree.walk(0, tree.lid(5) + 1);
            assertThat(first).hasSize(3);
            assertThat(first.get(1)).isNotSameAs(second.get(1));
        }
    }

    @Test
    void aGroupIsATreeOverItsMembers() {
        int mlid = 0xC005;
        try (VirtualFabric tree = fatTree();
                IbManager manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT)) {
            manager.group(mlid, Set.of(tree.portGuid(0), tree.portGuid(1), tree.portGuid(4)));
            tree.runUntilUp(manager);
            IbSwitch first = tree.leaves.get(0);
            assertThat(first.tables().isMulticastMember(mlid, 1)).isTrue();
            assertThat(first.tables().isMulticastMember(mlid, 2)).isTrue();
            assertThat(tree.leaves.get(2).tables().isMulticastMember(mlid, 1)).isTrue();
            assertThat(tree.leaves.get(2).tables().isMulticastMember(mlid, 2)).isFalse();
            long spinesOfGroup = tree.spines.stream()
                    .filter(spine -> spine.tables().isMulticastMember(mlid, 1))
                    .count();
            assertThat(spinesOfGroup).isEqualTo(1);
            assertThat(tree.leaves.get(1).tables().isMulticastMember(mlid, 1)).isFalse();

            manager.group(mlid, Set.of());
            tree.run(INTERVAL_NS / 10);
            assertThat(first.tables().isMulticastMember(mlid, 1)).isFalse();
        }
    }

    /** What a switch has is not known after a request that had no response. */
    @Test
    void aTableThatWasLostIsWrittenByTheNextSweep() {
        try (VirtualFabric tree = fatTree()) {
            NodeAgents agents = tree.hosts.getFirst().agents();
            AtomicBoolean losesTables = new AtomicBoolean();
            SubnetManager manager = new SubnetManager(
                    (mad, lid) -> {
                        if (!losesTables.get() || !isLinearTable(mad)) {
                            agents.sendManagement(mad, lid);
                        }
                    },
                    SubnetOptions.DEFAULT,
                    tree.portGuid(0));
            LongSupplier clock = tree.fabric.loop().clock()::nanoTime;
            tree.fabric.exclusively(() -> {
                agents.add(
                        (memory, mad, lid, _, qpn) -> qpn == 0 && manager.receive(memory, mad, lid, clock.getAsLong()));
                manager.sweep(clock.getAsLong());
            });
            run(tree, manager, INTERVAL_NS / 10);
            assertThat(manager.isUp()).isTrue();

            losesTables.set(true);
            tree.move(5, 2, 5);
            run(tree, manager, INTERVAL_NS / 2);
            assertThat(manager.isUp()).isFalse();
            losesTables.set(false);
            run(tree, manager, 2 * INTERVAL_NS);
            assertThat(manager.isUp()).isTrue();
            assertThat(tree.leaves.get(2).tables().linear(tree.lid(5))).isEqualTo(5);
        }
    }

    private static boolean isLinearTable(MemorySegment mad) {
        return Mad.ATTRIBUTE_ID.getInt(mad, 0) == MadAttribute.LINEAR_FORWARDING_TABLE.attributeId();
    }

    private static void run(VirtualFabric tree, SubnetManager manager, long ns) {
        long step = INTERVAL_NS / 100;
        for (long passed = 0; passed < ns; passed += step) {
            tree.run(step);
            tree.fabric.exclusively(
                    () -> manager.advance(tree.fabric.loop().clock().nanoTime()));
        }
    }

    /** The node that is found first is used. */
    @Test
    void aSecondNodeWithTheSameGuidIsLeftOut() {
        try (VirtualFabric tree = fatTree();
                IbManager manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT)) {
            IbDevice twin = tree.fabric.newDevice("twin", tree.hosts.get(1).nodeGuid());
            tree.fabric.connect(twin.port(), tree.leaves.getFirst().port(5), IbLinkProfile.PLAIN);
            tree.runUntilUp(manager);
            tree.run(3 * INTERVAL_NS);

            assertThat(manager.isUp()).isTrue();
            assertThat(manager.sweeps()).isLessThan(4);
            assertThat(manager.describe()).contains("duplicate GUID 0x1010 behind \"leaf0\"[5]");
            assertThat(twin.port().state()).isEqualTo(PortState.INIT);
            assertAllPairsReach(tree, 1);
        }
    }

    @Test
    void aCableToTheSameSwitchIsInNoTable() {
        try (VirtualFabric tree = new VirtualFabric(2, 2, HOSTS_OF_LEAF, null);
                IbManager manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT)) {
            IbSwitch spine = tree.spines.getFirst();
            tree.fabric.connect(spine.port(3), spine.port(4), IbLinkProfile.PLAIN);
            tree.runUntilUp(manager);
            tree.run(3 * INTERVAL_NS);

            assertThat(manager.isUp()).isTrue();
            assertThat(manager.describe())
                    .filteredOn(line -> line.contains("-> \"spine0\"[3]"))
                    .hasSize(1);
            for (int lid = 1; lid <= tree.hosts.size() + 4; lid++) {
                assertThat(spine.tables().linear(lid)).isNotIn(3, 4);
            }
            assertAllPairsReach(tree, 1);
        }
    }

    /**
     * One of twenty packets of each link arrives damaged: requests are repeated, and the sweep ends with the right
     * tables.
     */
    @Test
    void lostDatagramsAreRepeated() {
        SplittableRandom random = new SplittableRandom(11);
        try (VirtualFabric tree = new VirtualFabric(2, 2, HOSTS_OF_LEAF, (bytes, _) -> damage(random, bytes));
                IbManager manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT)) {
            for (int i = 0; i < 60 && !manager.isUp(); i++) {
                tree.run(1_000_000_000);
            }

            assertThat(manager.isUp()).isTrue();
            assertAllPairsReach(tree, 1);
        }
    }

    private static void damage(SplittableRandom random, MemorySegment bytes) {
        if (bytes.byteSize() > 100 && random.nextInt(20) == 0) {
            long at = random.nextLong(bytes.byteSize());
            bytes.set(ValueLayout.JAVA_BYTE, at, (byte) ~bytes.get(ValueLayout.JAVA_BYTE, at));
        }
    }
}
