// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric.sma;

import io.rdma4j.fabric.ForwardingTables;
import io.rdma4j.fabric.IbSwitch;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.mad.PortKind;
import io.rdma4j.wire.mad.sm.LinearForwardingTable;
import io.rdma4j.wire.mad.sm.MulticastForwardingTable;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.sm.SwitchInfo;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The attributes that only a switch has: SwitchInfo and the forwarding tables (IBA 14.2.5.4, 14.2.5.10, 14.2.5.12).
 *
 * <p>Each method first writes the attribute at {@code data} if {@code isSet}, and then reads it to there. It returns
 * false if a value or the modifier is invalid.
 */
final class SwitchAttributes {
    private static final int MLIDS_OF_BLOCK = 32;
    private static final int PORTS_OF_POSITION = 16;

    private final IbSwitch node;
    private final ForwardingTables tables;
    private final MemorySegment info = MemorySegment.ofArray(new byte[SwitchInfo.LAYOUT.bytes()]);

    /**
     * @param node the switch
     * @param pkeys entries of the P_Key table of a port
     */
    SwitchAttributes(IbSwitch node, int pkeys) {
        this.node = node;
        this.tables = node.tables();
        SwitchInfo.LINEAR_FDB_CAP.put(info, 0, tables.linearCap());
        SwitchInfo.MULTICAST_FDB_CAP.put(info, 0, tables.multicastCap());
        SwitchInfo.PARTITION_ENFORCEMENT_CAP.put(info, 0, pkeys);
        SwitchInfo.INBOUND_ENFORCEMENT_CAP.put(info, 0, 1);
        SwitchInfo.OUTBOUND_ENFORCEMENT_CAP.put(info, 0, 1);
        SwitchInfo.FILTER_RAW_INBOUND_CAP.put(info, 0, 1);
        SwitchInfo.FILTER_RAW_OUTBOUND_CAP.put(info, 0, 1);
        SwitchInfo.DEFAULT_MULTICAST_PRIMARY_PORT.put(info, 0, ForwardingTables.NO_PORT);
        SwitchInfo.DEFAULT_MULTICAST_NOT_PRIMARY_PORT.put(info, 0, ForwardingTables.NO_PORT);
    }

    /** Sets the bit of SwitchInfo that says that the state of a port has changed. */
    void portChanged() {
        SwitchInfo.PORT_STATE_CHANGE.put(info, 0, 1);
    }

    boolean info(MemorySegment memory, long data, int modifier, boolean isSet) {
        boolean isGood = modifier == 0;
        if (isSet && isGood) {
            isGood = setInfo(memory, data);
        }
        memory.asSlice(data, Smp.DATA_BYTES).fill((byte) 0);
        MemorySegment.copy(info, 0, memory, data, info.byteSize());
        return isGood;
    }

    private boolean setInfo(MemorySegment memory, long data) {
        int top = SwitchInfo.LINEAR_FDB_TOP.getInt(memory, data);
        boolean isGood = top < tables.linearCap();
        long changed = SwitchInfo.PORT_STATE_CHANGE.get(info, 0) & ~SwitchInfo.PORT_STATE_CHANGE.get(memory, data);
        long oldTop = SwitchInfo.LINEAR_FDB_TOP.get(info, 0);
        SwitchInfo.LAYOUT.fields().stream()
                .filter(field -> field.isSettable(PortKind.SWITCH_BASE))
                .forEach(field -> field.put(info, 0, field.get(memory, data)));
        SwitchInfo.PORT_STATE_CHANGE.put(info, 0, changed);
        if (isGood) {
            tables.linearTop(top);
        } else {
            SwitchInfo.LINEAR_FDB_TOP.put(info, 0, oldTop);
        }
        node.lifeTime(SwitchInfo.LIFE_TIME_VALUE.getInt(info, 0));
        tables.defaultMulticastPorts(
                SwitchInfo.DEFAULT_MULTICAST_PRIMARY_PORT.getInt(info, 0),
                SwitchInfo.DEFAULT_MULTICAST_NOT_PRIMARY_PORT.getInt(info, 0));
        return isGood;
    }

    boolean linear(MemorySegment memory, long data, int block, boolean isSet) {
        int first = block * Smp.DATA_BYTES;
        if (block < 0 || block >= tables.linearCap() / Smp.DATA_BYTES) {
            return false;
        }
        for (int i = 0; i < Smp.DATA_BYTES; i++) {
            if (isSet) {
                tables.linear(first + i, LinearForwardingTable.PORTS.getInt(memory, data, i));
            } else {
                memory.set(ValueLayout.JAVA_BYTE, data + i, (byte) tables.linear(first + i));
            }
        }
        return true;
    }

    boolean multicast(MemorySegment memory, long data, int modifier, boolean isSet) {
        int first = (modifier & 0x1FF) * MLIDS_OF_BLOCK;
        int position = modifier >>> 28;
        if (first >= tables.multicastCap() || position > node.portCount() / PORTS_OF_POSITION) {
            return false;
        }
        for (int i = 0; i < MLIDS_OF_BLOCK; i++) {
            int mlid = Lid.MULTICAST + first + i;
            int mask = MulticastForwardingTable.MASKS.getInt(memory, data, i);
            int present = 0;
            for (int bit = 0; bit < PORTS_OF_POSITION; bit++) {
                int port = position * PORTS_OF_POSITION + bit;
                if (port <= node.portCount()) {
                    if (isSet) {
                        tables.multicast(mlid, port, (mask >>> bit & 1) != 0);
                    }
                    present |= tables.isMulticastMember(mlid, port) ? 1 << bit : 0;
                }
            }
            MulticastForwardingTable.MASKS.elements().get(i).put(memory, data, present);
        }
        return true;
    }
}
