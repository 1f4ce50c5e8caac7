// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric.sma;

import io.rdma4j.fabric.IbPort;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.sm.SlToVlTable;
import io.rdma4j.wire.mad.sm.VlArbitrationTable;
import java.lang.foreign.MemorySegment;

/**
 * The attributes of virtual lanes: SL-to-VL and VL arbitration tables of a node (IBA 14.2.5.8, 14.2.5.9).
 *
 * <p>Each method first writes the attribute at {@code data} if {@code isSet}, and then reads it to there. It returns
 * false if a value or the modifier is invalid.
 */
final class LaneAttributes {
    private static final int LEVELS = 16;
    private static final int LANES = 15;
    private static final int ARBITRATION_ENTRIES = 32;
    private static final int ARBITRATION_BLOCKS = 4;
    private static final int PORT_MASK = 0xFF;
    private static final int BLOCK_MASK = 0xFFFF;

    private final ManagedNode node;

    /** Numbers of the ports are below this. */
    private final int ports;

    private final byte[] slToVl;

    LaneAttributes(ManagedNode node) {
        this.node = node;
        this.ports = node.portCount() + 1;
        this.slToVl = new byte[ports * ports * LEVELS];
        for (int i = 0; i < slToVl.length; i++) {
            slToVl[i] = (byte) (i % LEVELS);
        }
    }

    boolean slToVl(MemorySegment memory, long data, int modifier, boolean isSet) {
        int input = node.isSwitch() ? modifier >>> Byte.SIZE : 0;
        int output = node.isSwitch() ? modifier & PORT_MASK : 0;
        boolean exists = node.isSwitch() ? output > 0 && output < ports && input < ports : modifier == 0;
        if (!exists) {
            return false;
        }
        for (int level = 0; level < LEVELS; level++) {
            int index = (input * ports + output) * LEVELS + level;
            MadField entry = SlToVlTable.LANES.elements().get(level);
            if (isSet) {
                slToVl[index] = (byte) entry.get(memory, data);
                node.slToVl(input, output, level, slToVl[index]);
            }
            entry.put(memory, data, slToVl[index]);
        }
        return true;
    }

    boolean arbitration(MemorySegment memory, long data, int modifier, boolean isSet) {
        int block = modifier >>> Short.SIZE;
        int number = node.isSwitch() ? modifier & BLOCK_MASK : 1;
        if (block < 1 || block > ARBITRATION_BLOCKS || number < 1 || number >= ports) {
            return false;
        }
        IbPort port = node.port(number);
        boolean isHigh = block > ARBITRATION_BLOCKS / 2;
        int first = (block - 1) % 2 * ARBITRATION_ENTRIES;
        boolean isGood = true;
        for (int i = 0; i < ARBITRATION_ENTRIES; i++) {
            MadField lane = VlArbitrationTable.LANES.elements().get(i);
            MadField weight = VlArbitrationTable.WEIGHTS.elements().get(i);
            if (isSet && lane.getInt(memory, data) < LANES) {
                port.arbitration(isHigh, first + i, lane.getInt(memory, data), weight.getInt(memory, data));
            } else if (isSet) {
                isGood = false;
            }
            lane.put(memory, data, port.arbitrationLane(isHigh, first + i));
            weight.put(memory, data, port.arbitrationWeight(isHigh, first + i));
        }
        return isGood;
    }
}
