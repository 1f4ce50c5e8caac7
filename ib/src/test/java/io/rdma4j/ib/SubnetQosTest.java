// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.RdmaException;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.sm.SubnetQos;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.SlToVlTable;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.sm.VlArbitrationTable;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The tables of virtual lanes that a manager writes, in virtual time. */
class SubnetQosTest {
    private static final int LOW = 1;
    private static final int HIGH = 3;

    private static List<Integer> levels() {
        List<Integer> lanes = new ArrayList<>();
        for (int level = 0; level < 16; level++) {
            lanes.add(level % 4);
        }
        return lanes;
    }

    private static final SubnetQos QOS = new SubnetQos(
            levels(),
            7,
            List.of(new SubnetQos.Share(3, 64)),
            List.of(new SubnetQos.Share(0, 4), new SubnetQos.Share(1, 8), new SubnetQos.Share(2, 16)));

    private static MemorySegment read(NodeAgents node, MadAttribute attribute, int modifier) {
        MemorySegment data = MemorySegment.ofArray(new byte[Smp.DATA_BYTES]);
        assertThat(node.agent().read(attribute, modifier, data)).isZero();
        return data;
    }

    private static void assertLow(MemorySegment table) {
        for (int i = 0; i < 3; i++) {
            assertThat(VlArbitrationTable.LANES.getInt(table, 0, i)).isEqualTo(i);
            assertThat(VlArbitrationTable.WEIGHTS.getInt(table, 0, i)).isEqualTo(4 << i);
        }
        assertThat(VlArbitrationTable.WEIGHTS.getInt(table, 0, 3)).isZero();
    }

    @Test
    void hostsAndSwitchesGetTheTables() {
        try (VirtualFabric tree = new VirtualFabric(2, 1, 1, null);
                IbManager manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT.qos(QOS))) {
            tree.runUntilUp(manager);
            assertThat(manager.isUp()).isTrue();
            NodeAgents host = tree.hosts.get(1).agents();
            NodeAgents leaf = tree.fabric.nodes().stream()
                    .filter(node -> node.name().equals("leaf1"))
                    .findFirst()
                    .orElseThrow();
            assertLow(read(host, MadAttribute.VL_ARBITRATION_TABLE, LOW << Short.SIZE));
            assertLow(read(leaf, MadAttribute.VL_ARBITRATION_TABLE, LOW << Short.SIZE | 1));
            MemorySegment high = read(leaf, MadAttribute.VL_ARBITRATION_TABLE, HIGH << Short.SIZE | 2);
            assertThat(VlArbitrationTable.LANES.getInt(high, 0, 0)).isEqualTo(3);
            assertThat(VlArbitrationTable.WEIGHTS.getInt(high, 0, 0)).isEqualTo(64);
            MemorySegment lanes = read(leaf, MadAttribute.SL_TO_VL_TABLE, 1 << Byte.SIZE | 2);
            assertThat(SlToVlTable.LANES.getInt(lanes, 0, 6)).isEqualTo(2);
            assertThat(PortInfoAttribute.VL_HIGH_LIMIT.getInt(read(leaf, MadAttribute.PORT_INFO, 2), 0))
                    .isEqualTo(7);

            long before = manager.datagramsSent();
            manager.sweep();
            tree.run(1_000_000_000);
            long second = manager.datagramsSent() - before;
            assertThat(second).isLessThan(before / 2); // the tables are not written again
        }
    }

    @Test
    void valuesAreChecked() {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> new SubnetQos.Share(15, 1))
                .withMessageContaining("15:1");
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> new SubnetQos(List.of(0), 0, List.of(), List.of()))
                .withMessageContaining("[0]");
    }
}
