// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.sweep;

import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.sm.SubnetPartition;
import io.rdma4j.sm.topology.SmPort;
import io.rdma4j.wire.mad.sm.PkeyTableBlock;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The P_Key tables of a subnet. The P_Key of the default partition has index 0, and the others keep their index. The
 * port of a switch next to a channel adapter has the keys of the adapter.
 */
final class PkeyTables {
    /** Entries of a table. */
    private static final int ENTRIES = 32;

    private static final int KEY_BITS = 0x7FFF;
    private static final int FULL_BIT = 0x8000;

    private final SmpRequests requests;
    private final List<SubnetPartition> partitions;
    private final SmpRequests.Answer answer;

    /** What ports of switches have, by GUID of the switch and number of the port. */
    private final Map<List<Long>, int[]> ofSwitches = new HashMap<>();

    PkeyTables(SmpRequests requests, SubnetOptions options, SmpRequests.Answer answer) {
        this.requests = requests;
        this.partitions = options.partitions();
        this.answer = answer;
    }

    /** Forgets what the switches have: another manager may have changed it. */
    void forget() {
        ofSwitches.clear();
    }

    /** Writes the table of a port that has a LID, where it differs from what was read. */
    void writeEnd(SmPort end, boolean isManager) {
        int[] wanted = wanted(end, isManager);
        if (!Arrays.equals(wanted, end.pkeys)) {
            write(end, 0, wanted, () -> {});
            end.pkeys = wanted;
        }
    }

    private int[] wanted(SmPort end, boolean isManager) {
        int[] table = new int[ENTRIES];
        int byDefault = isManager || partitions.isEmpty()
                ? SubnetPartition.DEFAULT | FULL_BIT
                : SubnetPartition.DEFAULT; // limited, unless a rule says otherwise
        table[0] = byDefault;
        for (SubnetPartition partition : partitions) {
            int key = keyOf(partition, end);
            if (partition.pkey() == SubnetPartition.DEFAULT) {
                table[0] = isManager ? byDefault : key;
            } else if (key != 0) {
                table[index(table, end.pkeys, key)] = key;
            }
        }
        return table;
    }

    /** Returns the P_Key of a port with the bit of full membership; 0 if it is no member. */
    private static int keyOf(SubnetPartition partition, SmPort port) {
        SubnetPartition.Membership others = port.node.isSwitch ? partition.switches() : partition.adapters();
        return switch (partition.members().getOrDefault(port.guid, others)) {
            case NONE -> 0;
            case LIMITED -> partition.pkey();
            case FULL -> partition.pkey() | FULL_BIT;
        };
    }

    private static int index(int[] table, int[] present, int key) {
        int free = 0;
        for (int i = 1; i < ENTRIES; i++) {
            if (table[i] == 0 && (present[i] & KEY_BITS) == (key & KEY_BITS)) {
                return i;
            }
            free = free == 0 && table[i] == 0 && present[i] == 0 ? i : free;
        }
        return free != 0 ? free : firstEmpty(table);
    }

    private static int firstEmpty(int[] table) {
        int i = 1;
        while (table[i] != 0) {
            i++;
        }
        return i;
    }

    /**
     * Writes the table of a port of a switch: the keys of the adapter with full membership. So packets of a limited
     * member pass, and the receiver decides whether it is a full one.
     */
    void writeSwitchPort(SmPort port, int[] ofAdapter, boolean isNew) {
        int[] table = Arrays.stream(ofAdapter)
                .map(key -> key == 0 ? 0 : key | FULL_BIT)
                .toArray();
        List<Long> key = List.of(port.node.guid, (long) port.number);
        int[] before = ofSwitches.put(key, table);
        if (isNew || !Arrays.equals(before, table)) {
            write(port, port.number, table, () -> ofSwitches.remove(key));
        }
    }

    /** @param failed runs if the request has no response, or is rejected */
    private void write(SmPort at, int port, int[] table, Runnable failed) {
        MemorySegment mad = requests.set(at, MadAttribute.P_KEY_TABLE, port << Short.SIZE);
        for (int i = 0; i < ENTRIES; i++) {
            PkeyTableBlock.PKEYS.elements().get(i).put(mad, Smp.DATA, table[i]);
        }
        requests.send(mad, reply -> {
            if (!SmpRequests.isGood(reply)) {
                failed.run();
            }
            answer.arrived(reply);
        });
    }
}
