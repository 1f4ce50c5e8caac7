// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.sweep;

import io.rdma4j.sm.routing.LinearRoutes;
import io.rdma4j.sm.routing.MulticastTrees;
import io.rdma4j.sm.topology.SmNode;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.mad.sm.LinearForwardingTable;
import io.rdma4j.wire.mad.sm.MulticastForwardingTable;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.sm.SwitchInfo;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Writes forwarding tables to switches: only the blocks that differ from what it has written before. */
final class TableWriter {
    private static final int LIDS_OF_BLOCK = Smp.DATA_BYTES;
    private static final int POSITION_SHIFT = 28;
    private static final int LIFE_TIME = 18;

    /** What a switch has. */
    private static final class Written {
        byte[] linear = {};
        final Map<Integer, BitSet> multicast = new HashMap<>();
    }

    private final Map<Long, Written> bySwitch = new HashMap<>();
    private final SmpRequests requests;
    private final SmpRequests.Answer answer;

    /** @param answer to each request */
    TableWriter(SmpRequests requests, SmpRequests.Answer answer) {
        this.requests = requests;
        this.answer = answer;
    }

    /** Forgets what the switches have: another manager may have changed it. */
    void forget() {
        bySwitch.clear();
    }

    /** Sends a request. What a switch has is not known after one that failed: the next sweep writes all. */
    private void send(SmNode node, MemorySegment mad) {
        requests.send(mad, reply -> {
            if (!SmpRequests.isGood(reply)) {
                bySwitch.remove(node.guid);
            }
            answer.arrived(reply);
        });
    }

    /** Returns what the switch has; nothing if it has lost its tables, which its top shows. */
    private Written written(SmNode node) {
        Written known = bySwitch.get(node.guid);
        if (known == null || known.linear.length != node.linearTop + 1) {
            known = new Written();
            bySwitch.put(node.guid, known);
        }
        return known;
    }

    void writeLinear(SmNode node, byte[] table) {
        Written known = written(node);
        if (known.linear.length != table.length || node.portStateChanged) {
            MemorySegment info = requests.set(node.portZero(), MadAttribute.SWITCH_INFO, 0);
            SwitchInfo.LINEAR_FDB_TOP.put(info, Smp.DATA, table.length - 1);
            SwitchInfo.DEFAULT_MULTICAST_PRIMARY_PORT.put(info, Smp.DATA, LinearRoutes.NO_PORT);
            SwitchInfo.DEFAULT_MULTICAST_NOT_PRIMARY_PORT.put(info, Smp.DATA, LinearRoutes.NO_PORT);
            SwitchInfo.LIFE_TIME_VALUE.put(info, Smp.DATA, LIFE_TIME);
            SwitchInfo.PORT_STATE_CHANGE.put(info, Smp.DATA, 1);
            send(node, info);
        }
        for (int first = 0; first < table.length; first += LIDS_OF_BLOCK) {
            byte[] block = block(table, first);
            if (known.linear.length <= first || !Arrays.equals(block, block(known.linear, first))) {
                MemorySegment mad =
                        requests.set(node.portZero(), MadAttribute.LINEAR_FORWARDING_TABLE, first / LIDS_OF_BLOCK);
                for (int i = 0; i < LIDS_OF_BLOCK; i++) {
                    LinearForwardingTable.PORTS.elements().get(i).put(mad, Smp.DATA, block[i] & 0xFF);
                }
                send(node, mad);
            }
        }
        known.linear = table;
        node.linearTop = table.length - 1;
    }

    private static byte[] block(byte[] table, int first) {
        byte[] block = new byte[LIDS_OF_BLOCK];
        Arrays.fill(block, (byte) LinearRoutes.NO_PORT);
        System.arraycopy(table, first, block, 0, Math.min(LIDS_OF_BLOCK, table.length - first));
        return block;
    }

    /** @param mlids all groups, and those that have ended */
    void writeMulticast(SmNode node, MulticastTrees trees, Set<Integer> mlids) {
        Written known = written(node);
        Set<Integer> blocks = new TreeSet<>();
        for (int mlid : mlids) {
            if (!trees.ports(node, mlid).equals(known.multicast.getOrDefault(mlid, new BitSet()))) {
                blocks.add((mlid - Lid.MULTICAST) / MulticastTrees.MLIDS_OF_BLOCK);
            }
            known.multicast.put(mlid, trees.ports(node, mlid));
        }
        for (int block : blocks) {
            for (int position = 0; position <= node.portCount / MulticastTrees.PORTS_OF_POSITION; position++) {
                writeBlock(node, trees, block, position);
            }
        }
    }

    private void writeBlock(SmNode node, MulticastTrees trees, int block, int position) {
        MemorySegment mad = requests.set(
                node.portZero(), MadAttribute.MULTICAST_FORWARDING_TABLE, position << POSITION_SHIFT | block);
        for (int i = 0; i < MulticastTrees.MLIDS_OF_BLOCK; i++) {
            MulticastForwardingTable.MASKS.elements().get(i).put(mad, Smp.DATA, trees.mask(node, block, position, i));
        }
        send(node, mad);
    }
}
