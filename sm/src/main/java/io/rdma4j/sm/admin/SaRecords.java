// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.admin;

import io.rdma4j.sm.SmState;
import io.rdma4j.sm.SubnetQos;
import io.rdma4j.sm.routing.LinearRoutes;
import io.rdma4j.sm.routing.MulticastTrees;
import io.rdma4j.sm.sweep.QosTables;
import io.rdma4j.sm.sweep.SubnetSnapshot;
import io.rdma4j.sm.topology.SmNode;
import io.rdma4j.sm.topology.SmPort;
import io.rdma4j.wire.mad.sa.GuidInfoRecord;
import io.rdma4j.wire.mad.sa.LinearForwardingRecord;
import io.rdma4j.wire.mad.sa.LinkRecord;
import io.rdma4j.wire.mad.sa.MulticastForwardingRecord;
import io.rdma4j.wire.mad.sa.NodeRecord;
import io.rdma4j.wire.mad.sa.PkeyTableRecord;
import io.rdma4j.wire.mad.sa.PortInfoRecord;
import io.rdma4j.wire.mad.sa.SlToVlRecord;
import io.rdma4j.wire.mad.sa.SmInfoRecord;
import io.rdma4j.wire.mad.sa.SwitchInfoRecord;
import io.rdma4j.wire.mad.sa.VlArbitrationRecord;
import io.rdma4j.wire.mad.sm.LinearForwardingTable;
import io.rdma4j.wire.mad.sm.MulticastForwardingTable;
import io.rdma4j.wire.mad.sm.NodeInfo;
import io.rdma4j.wire.mad.sm.PkeyTableBlock;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.SmInfo;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.sm.SwitchInfo;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The records of subnet administration that a sweep knows (IBA 15.2.5): nodes, ports, links, switches, tables. */
final class SaRecords {
    private final SubnetSnapshot snapshot;
    private final List<MemorySegment> records = new ArrayList<>();

    private SaRecords(SubnetSnapshot snapshot) {
        this.snapshot = snapshot;
    }

    /** Returns all records of a kind, or null for a kind that is not made here. */
    static @Nullable List<MemorySegment> of(SubnetSnapshot snapshot, MadAttribute attribute) {
        SaRecords made = new SaRecords(snapshot);
        switch (attribute) {
            case NODE_RECORD -> made.snapshot.ends().forEach(made::node);
            case PORT_INFO_RECORD -> made.snapshot.topology().ports().forEach(made::port);
            case LINK_RECORD -> made.snapshot.topology().ports().forEach(made::link);
            case SWITCH_INFO_RECORD -> made.snapshot.topology().switches().forEach(made::switchInfo);
            case LINEAR_FORWARDING_RECORD -> made.snapshot.topology().switches().forEach(made::table);
            case MULTICAST_FORWARDING_RECORD ->
                made.snapshot.topology().switches().forEach(made::groups);
            case P_KEY_TABLE_RECORD -> made.snapshot.ends().forEach(made::pkeys);
            case GUID_INFO_RECORD -> made.snapshot.ends().forEach(made::guids);
            case SL_TO_VL_RECORD, VL_ARBITRATION_RECORD -> made.lanes(attribute);
            case SM_INFO_RECORD -> made.managers();
            default -> {
                return null;
            }
        }
        return made.records;
    }

    private MemorySegment add(MadAttribute attribute) {
        MemorySegment record = MemorySegment.ofArray(new byte[attribute.layout().bytes()]);
        records.add(record);
        return record;
    }

    private void node(SmPort end) {
        MemorySegment record = add(MadAttribute.NODE_RECORD);
        NodeRecord.LID.put(record, 0, end.lid);
        MemorySegment.copy(end.node.info, 0, record, NodeRecord.NODE_INFO, end.node.info.byteSize());
        NodeInfo.PORT_GUID.put(record, NodeRecord.NODE_INFO, end.guid);
        NodeInfo.LOCAL_PORT_NUM.put(record, NodeRecord.NODE_INFO, end.number);
        byte[] text = end.node.description.getBytes(StandardCharsets.UTF_8);
        MemorySegment description = NodeRecord.NODE_DESCRIPTION.bytes(record, 0);
        MemorySegment.copy(
                MemorySegment.ofArray(text), 0, description, 0, Math.min(text.length, description.byteSize()));
    }

    /** The M_Key is not shown. */
    private void port(SmPort port) {
        MemorySegment record = add(MadAttribute.PORT_INFO_RECORD);
        PortInfoRecord.END_PORT_LID.put(record, 0, SubnetSnapshot.lidAt(port));
        PortInfoRecord.PORT_NUM.put(record, 0, port.number);
        MemorySegment.copy(port.info, 0, record, PortInfoRecord.PORT_INFO, port.info.byteSize());
        PortInfoAttribute.M_KEY.put(record, PortInfoRecord.PORT_INFO, 0);
    }

    private void link(SmPort port) {
        SmPort peer = port.peer;
        if (peer != null) {
            MemorySegment record = add(MadAttribute.LINK_RECORD);
            LinkRecord.FROM_LID.put(record, 0, SubnetSnapshot.lidAt(port));
            LinkRecord.FROM_PORT.put(record, 0, port.number);
            LinkRecord.TO_LID.put(record, 0, SubnetSnapshot.lidAt(peer));
            LinkRecord.TO_PORT.put(record, 0, peer.number);
        }
    }

    private static int lid(SmNode node) {
        SmPort zero = node.port(0);
        return zero == null ? 0 : zero.lid;
    }

    private void switchInfo(SmNode node) {
        MemorySegment record = add(MadAttribute.SWITCH_INFO_RECORD);
        SwitchInfoRecord.LID.put(record, 0, lid(node));
        MemorySegment.copy(node.switchInfo, 0, record, SwitchInfoRecord.SWITCH_INFO, node.switchInfo.byteSize());
        SwitchInfo.LINEAR_FDB_TOP.put(record, SwitchInfoRecord.SWITCH_INFO, node.linearTop);
    }

    private void table(SmNode node) {
        byte[] table = snapshot.routes().table(node);
        for (int block = 0; block * Smp.DATA_BYTES < table.length; block++) {
            MemorySegment record = add(MadAttribute.LINEAR_FORWARDING_RECORD);
            LinearForwardingRecord.LID.put(record, 0, lid(node));
            LinearForwardingRecord.BLOCK.put(record, 0, block);
            for (int i = 0; i < Smp.DATA_BYTES; i++) {
                int lid = block * Smp.DATA_BYTES + i;
                int port = lid < table.length ? Byte.toUnsignedInt(table[lid]) : LinearRoutes.NO_PORT;
                LinearForwardingTable.PORTS.elements().get(i).put(record, LinearForwardingRecord.TABLE, port);
            }
        }
    }

    /** The blocks in which a group has a port. */
    private void groups(SmNode node) {
        for (int block : snapshot.trees().blocks(node)) {
            for (int position = 0; position <= node.portCount / MulticastTrees.PORTS_OF_POSITION; position++) {
                MemorySegment record = add(MadAttribute.MULTICAST_FORWARDING_RECORD);
                MulticastForwardingRecord.LID.put(record, 0, lid(node));
                MulticastForwardingRecord.BLOCK.put(record, 0, block);
                MulticastForwardingRecord.POSITION.put(record, 0, position);
                for (int i = 0; i < MulticastTrees.MLIDS_OF_BLOCK; i++) {
                    MulticastForwardingTable.MASKS
                            .elements()
                            .get(i)
                            .put(
                                    record,
                                    MulticastForwardingRecord.TABLE,
                                    snapshot.trees().mask(node, block, position, i));
                }
            }
        }
    }

    private void pkeys(SmPort end) {
        MemorySegment record = add(MadAttribute.P_KEY_TABLE_RECORD);
        PkeyTableRecord.LID.put(record, 0, end.lid);
        PkeyTableRecord.PORT_NUM.put(record, 0, end.number);
        for (int i = 0; i < end.pkeys.length; i++) {
            PkeyTableBlock.PKEYS.elements().get(i).put(record, PkeyTableRecord.TABLE, end.pkeys[i]);
        }
    }

    private void guids(SmPort end) {
        MemorySegment record = add(MadAttribute.GUID_INFO_RECORD);
        GuidInfoRecord.LID.put(record, 0, end.lid);
        MemorySegment.copy(end.guids, 0, record, GuidInfoRecord.TABLE, end.guids.byteSize());
    }

    /** What the manager has written; nothing if it leaves the tables of the ports. */
    private void lanes(MadAttribute attribute) {
        SubnetQos qos = snapshot.options().qos();
        if (qos == null) {
            return;
        }
        for (SmPort port : snapshot.topology().ports()) {
            if (port.peer != null && attribute == MadAttribute.VL_ARBITRATION_RECORD) {
                shares(qos, port);
            } else if (port.peer != null) {
                levels(qos, port);
            }
        }
    }

    private void shares(SubnetQos qos, SmPort port) {
        for (int block = 1; block <= QosTables.BLOCKS; block++) {
            MemorySegment record = add(MadAttribute.VL_ARBITRATION_RECORD);
            VlArbitrationRecord.LID.put(record, 0, SubnetSnapshot.lidAt(port));
            VlArbitrationRecord.PORT_NUM.put(record, 0, port.number);
            VlArbitrationRecord.BLOCK.put(record, 0, block);
            QosTables.putShares(qos, block, record, VlArbitrationRecord.TABLE);
        }
    }

    private void levels(SubnetQos qos, SmPort port) {
        for (int input = 0; input <= (port.node.isSwitch ? port.node.portCount : 0); input++) {
            MemorySegment record = add(MadAttribute.SL_TO_VL_RECORD);
            SlToVlRecord.LID.put(record, 0, SubnetSnapshot.lidAt(port));
            SlToVlRecord.IN_PORT.put(record, 0, input);
            SlToVlRecord.OUT_PORT.put(record, 0, port.number);
            QosTables.putLanes(qos, port, record, SlToVlRecord.TABLE);
        }
    }

    private void managers() {
        SmPort own = snapshot.ends().getFirst();
        MemorySegment record = add(MadAttribute.SM_INFO_RECORD);
        SmInfoRecord.LID.put(record, 0, own.lid);
        SmInfo.GUID.put(record, SmInfoRecord.SM_INFO, own.guid);
        SmInfo.PRIORITY.put(record, SmInfoRecord.SM_INFO, snapshot.options().priority());
        SmInfo.STATE.put(record, SmInfoRecord.SM_INFO, SmState.MASTER.ordinal());
        for (SmPort end : snapshot.ends()) {
            if (end.smInfo != null) {
                MemorySegment other = add(MadAttribute.SM_INFO_RECORD);
                SmInfoRecord.LID.put(other, 0, end.lid);
                MemorySegment.copy(end.smInfo, 0, other, SmInfoRecord.SM_INFO, end.smInfo.byteSize());
            }
        }
    }
}
