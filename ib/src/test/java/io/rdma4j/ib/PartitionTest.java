// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.RdmaException;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.sm.SubnetPartition;
import io.rdma4j.sm.SubnetPartition.Membership;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Deth;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.ib.LinkNextHeader;
import io.rdma4j.wire.ib.Lrh;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.sm.Notice;
import io.rdma4j.wire.mad.sm.PkeyTableBlock;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.sm.TrapDetails;
import io.rdma4j.wire.mad.table.MadAttribute;
import io.rdma4j.wire.roce.Icrc;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

    /** Sends a datagram of host 1 to host 3, whatever the P_Keys of host 1 are. */
    private void send(int pkey) {
        SkBuff skb = Objects.requireNonNull(tree.fabric.datagrams().allocate());
        int headers = Lrh.BYTES + Bth.BYTES + Deth.BYTES;
        int at = skb.put(headers + 16);
        int words = (headers + 16 + Icrc.BYTES) / Lrh.WORD_BYTES;
        MemorySegment memory = skb.memory();
        Lrh.write(memory, at, 0, 2, LinkNextHeader.LOCAL, tree.lid(3), words, tree.lid(1));
        Bth.write(memory, at + Lrh.BYTES, Opcode.UD_SEND_ONLY, false, false, 0, pkey, 0x33, false, 0);
        Deth.write(memory, at + Lrh.BYTES + Bth.BYTES, 0x11, 0x22);
        tree.fabric.exclusively(() -> tree.hosts.get(1).agents().send(skb));
        tree.run(1_000_000);
    }

    /** Keys that the port of a host lacks are dropped where the host sends or where it receives. */
    @Test
    @Covers("PORT-32")
    void theSwitchTellsOfPacketsThatItsPortsDrop() {
        try (IbManager _ = manage(storage())) {
            for (String leaf : List.of("leaf0", "leaf1")) {
                MemorySegment port = read(node(leaf), MadAttribute.PORT_INFO, 0);
                assertThat(PortCapability.ofMask(PortInfoAttribute.CAPABILITY_MASK.getInt(port, 0)))
                        .contains(PortCapability.PKEY_SW_EXT_PORT_TRAP_SUP, PortCapability.TRAP_SUP);
            }
            List<MemorySegment> traps = new ArrayList<>();
            tree.hosts.getFirst().agents().add((memory, mad, _, _, _) -> {
                boolean isTrap = Mad.METHOD.getInt(memory, mad) == MadMethod.TRAP.code();
                if (isTrap) {
                    traps.add(
                            MemorySegment.ofArray(memory.asSlice(mad, Mad.BYTES).toArray(ValueLayout.JAVA_BYTE)));
                }
                return false;
            });
            send(0x8999);
            send(STORAGE | FULL);

            assertThat(traps).hasSize(2);
            assertTold(traps.get(0), "leaf0", 0x8999);
            assertTold(traps.get(1), "leaf1", STORAGE | FULL);
        }
    }

    private void assertTold(MemorySegment trap, String leaf, int pkey) {
        MemorySegment details = trap.asSlice(Smp.DATA + Notice.DATA_DETAILS.offset());
        assertThat(Notice.TRAP_NUMBER.getInt(trap, Smp.DATA)).isEqualTo(TrapDetails.BAD_P_KEY_AT_SWITCH);
        assertThat(Notice.ISSUER_LID.getInt(trap, Smp.DATA))
                .isEqualTo(node(leaf).lid());
        assertThat(TrapDetails.DATA_VALID.getInt(details, 0)).isEqualTo(0xFC00);
        assertThat(TrapDetails.SENDER_LID.getInt(details, 0)).isEqualTo(tree.lid(1));
        assertThat(TrapDetails.RECEIVER_LID.getInt(details, 0)).isEqualTo(tree.lid(3));
        assertThat(TrapDetails.P_KEY.getInt(details, 0)).isEqualTo(pkey);
        assertThat(TrapDetails.PACKET_SL.getInt(details, 0)).isEqualTo(2);
        assertThat(TrapDetails.SENDER_QPN.getInt(details, 0)).isEqualTo(0x22);
        assertThat(TrapDetails.RECEIVER_QPN.getInt(details, 0)).isEqualTo(0x33);
        assertThat(TrapDetails.ENFORCING_LID.getInt(details, 0))
                .isEqualTo(node(leaf).lid());
        assertThat(TrapDetails.ENFORCING_PORT.getInt(details, 0)).isEqualTo(2);
        MemorySegment zero = read(node(leaf), MadAttribute.PORT_INFO, 0);
        assertThat(PortInfoAttribute.P_KEY_VIOLATIONS.getInt(zero, 0)).isEqualTo(1);
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
