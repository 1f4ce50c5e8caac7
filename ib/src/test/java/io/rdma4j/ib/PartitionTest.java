// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.RdmaException;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.sm.SubnetPartition;
import io.rdma4j.sm.SubnetPartition.Membership;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.wire.mad.sm.PkeyTableBlock;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The P_Key tables that a manager writes, in virtual time. */
class PartitionTest {
    private static final int STORAGE = 0x12;
    private static final int FULL = 0x8000;

    private final VirtualFabric tree = new VirtualFabric(2, 1, 2, null);

    @AfterEach
    void close() {
        tree.close();
    }

    private IbManager manage(SubnetPartition... partitions) {
        IbManager manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT.partitions(partitions));
        tree.runUntilUp(manager);
        assertThat(manager.isUp()).isTrue();
        return manager;
    }

    private SubnetPartition storage() {
        return new SubnetPartition(
                STORAGE,
                Membership.NONE,
                Map.of(tree.portGuid(1), Membership.FULL, tree.portGuid(2), Membership.LIMITED));
    }

    private static MemorySegment read(NodeAgents node, MadAttribute attribute, int modifier) {
        MemorySegment data = MemorySegment.ofArray(new byte[Smp.DATA_BYTES]);
        assertThat(node.agent().read(attribute, modifier, data)).isZero();
        return data;
    }

    /** The P_Keys of a port up to the last one. */
    private static List<Integer> pkeys(NodeAgents node, int port) {
        MemorySegment table = read(node, MadAttribute.P_KEY_TABLE, port << Short.SIZE);
        List<Integer> keys = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            keys.add(PkeyTableBlock.PKEYS.getInt(table, 0, i));
        }
        while (!keys.isEmpty() && keys.getLast() == 0) {
            keys.removeLast();
        }
        return keys;
    }

    private List<Integer> pkeys(int host) {
        return pkeys(tree.hosts.get(host).agents(), 0);
    }

    private NodeAgents node(String name) {
        return tree.fabric.nodes().stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void withoutPartitionsAllPortsAreFullMembersOfTheDefaultOne() {
        try (IbManager _ = manage()) {
            for (int host = 0; host < 4; host++) {
                assertThat(pkeys(host)).containsExactly(0xFFFF);
            }
            MemorySegment port = read(node("leaf0"), MadAttribute.PORT_INFO, 1);
            assertThat(PortInfoAttribute.PARTITION_ENFORCEMENT_INBOUND.isSet(port, 0))
                    .isFalse();
        }
    }

    /** The manager stays a full member, or no host could ask it. */
    @Test
    @Covers("SM-4")
    void membersHaveTheKeyAndTheirSwitchesEnforceIt() {
        try (IbManager _ = manage(storage())) {
            assertThat(pkeys(0)).containsExactly(0xFFFF);
            assertThat(pkeys(1)).containsExactly(0x7FFF, STORAGE | FULL);
            assertThat(pkeys(2)).containsExactly(0x7FFF, STORAGE);
            assertThat(pkeys(3)).containsExactly(0x7FFF);
            assertThat(pkeys(node("leaf0"), 2)).containsExactly(0xFFFF, STORAGE | FULL);
            assertThat(pkeys(node("leaf1"), 1)).containsExactly(0xFFFF, STORAGE | FULL);
            assertThat(pkeys(node("leaf1"), 2)).containsExactly(0xFFFF);
            MemorySegment port = read(node("leaf1"), MadAttribute.PORT_INFO, 2);
            assertThat(PortInfoAttribute.PARTITION_ENFORCEMENT_INBOUND.isSet(port, 0))
                    .isTrue();
            assertThat(PortInfoAttribute.PARTITION_ENFORCEMENT_OUTBOUND.isSet(port, 0))
                    .isTrue();
            MemorySegment inner = read(node("leaf1"), MadAttribute.PORT_INFO, 3);
            assertThat(PortInfoAttribute.PARTITION_ENFORCEMENT_INBOUND.isSet(inner, 0))
                    .isFalse();
        }
    }

    /** A key that stays keeps its index, so queue pairs keep theirs. */
    @Test
    void theNextManagerChangesOnlyWhatDiffers() {
        SubnetPartition other = new SubnetPartition(0x99, Membership.FULL, Map.of(tree.portGuid(3), Membership.NONE));
        try (IbManager _ = manage(other, storage())) {
            assertThat(pkeys(1)).containsExactly(0x7FFF, 0x99 | FULL, STORAGE | FULL);
        }
        SubnetPartition open = new SubnetPartition(SubnetPartition.DEFAULT, Membership.FULL, Map.of());
        try (IbManager _ = manage(open, storage())) {
            assertThat(pkeys(1)).containsExactly(0xFFFF, 0, STORAGE | FULL);
            assertThat(pkeys(3)).containsExactly(0xFFFF);
        }
    }

    @Test
    void partitionsAreChecked() {
        Map<Long, Membership> none = Map.of();
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> new SubnetPartition(0x8001, Membership.FULL, none))
                .withMessageContaining("0x8001");
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> new SubnetPartition(SubnetPartition.DEFAULT, Membership.NONE, none))
                .withMessageContaining("0x7fff");
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> SubnetOptions.DEFAULT.partitions(storage(), storage()))
                .withMessageContaining("2");
    }
}
