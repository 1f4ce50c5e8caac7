// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.sweep;

import io.rdma4j.sm.SubnetQos;
import io.rdma4j.sm.topology.SmPort;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.SlToVlTable;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.sm.VlArbitrationTable;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Writes the tables of virtual lanes to ports with a cable: once, and again after they were down. */
public final class QosTables {
    /** 1 and 2 for the halves of the low table, 3 and 4 for those of the high one. */
    public static final int BLOCKS = 4;

    private static final int ENTRIES_OF_BLOCK = 32;
    private static final int[] LANES_OF_CODE = {1, 1, 2, 4, 8, 15};

    private final SmpRequests requests;
    private final SmpRequests.Answer answer;
    private final Set<List<Long>> written = new HashSet<>();

    QosTables(SmpRequests requests, SmpRequests.Answer answer) {
        this.requests = requests;
        this.answer = answer;
    }

    /** Forgets what the ports have: another manager may have changed it. */
    void forget() {
        written.clear();
    }

    void write(SubnetQos qos, SmPort port, boolean isNew) {
        List<Long> key = List.of(port.node.guid, (long) port.number);
        boolean isFirst = written.add(key);
        if (!isFirst && !isNew) {
            return;
        }
        int number = port.node.isSwitch ? port.number : 0;
        for (int block = 1; block <= BLOCKS; block++) {
            MemorySegment mad = requests.set(port, MadAttribute.VL_ARBITRATION_TABLE, block << Short.SIZE | number);
            putShares(qos, block, mad, Smp.DATA);
            send(key, mad);
        }
        for (int input = 0; input <= (port.node.isSwitch ? port.node.portCount : 0); input++) {
            MemorySegment mad = requests.set(port, MadAttribute.SL_TO_VL_TABLE, input << Byte.SIZE | number);
            putLanes(qos, port, mad, Smp.DATA);
            send(key, mad);
        }
    }

    /** Sends a request. After one that failed the next sweep writes the tables of the port again. */
    private void send(List<Long> key, MemorySegment mad) {
        requests.send(mad, reply -> {
            if (!SmpRequests.isGood(reply)) {
                written.remove(key);
            }
            answer.arrived(reply);
        });
    }

    /** Writes a block of {@link VlArbitrationTable}. */
    public static void putShares(SubnetQos qos, int block, MemorySegment memory, long offset) {
        List<SubnetQos.Share> table = block > BLOCKS / 2 ? qos.high() : qos.low();
        int first = (block - 1) % 2 * ENTRIES_OF_BLOCK;
        for (int i = 0; i < Math.min(ENTRIES_OF_BLOCK, table.size() - first); i++) {
            SubnetQos.Share share = table.get(first + i);
            VlArbitrationTable.LANES.elements().get(i).put(memory, offset, share.lane());
            VlArbitrationTable.WEIGHTS.elements().get(i).put(memory, offset, share.weight());
        }
    }

    /** Writes the {@link SlToVlTable} of packets that leave by a port. */
    public static void putLanes(SubnetQos qos, SmPort port, MemorySegment memory, long offset) {
        int code = port.common(PortInfoAttribute.VL_CAP);
        int lanes = LANES_OF_CODE[Math.min(code, LANES_OF_CODE.length - 1)];
        for (int level = 0; level < SlToVlTable.LANES.size(); level++) {
            SlToVlTable.LANES
                    .elements()
                    .get(level)
                    .put(memory, offset, qos.lanes().get(level) % lanes);
        }
    }
}
