// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.sweep;

import io.rdma4j.sm.topology.SmPort;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The LIDs of a subnet (IBA 14.4.7). A port keeps the LIDs that it had in earlier sweeps, then those that it has
 * already; other ports get the lowest free range, the port of the manager first, then by GUID.
 */
final class LidTable {
    private final int lmc;
    private final Map<Long, Integer> byGuid = new HashMap<>();
    private final BitSet used = new BitSet();

    LidTable(int lmc) {
        this.lmc = lmc;
    }

    /** Forgets the LIDs of earlier sweeps: another manager may have changed them. */
    void forget() {
        byGuid.clear();
    }

    /** Assigns the LIDs of all ends. Returns the highest LID. */
    int assign(List<SmPort> ends) {
        used.clear();
        List<SmPort> order = new ArrayList<>(ends);
        if (order.size() > 1) {
            order.subList(1, order.size())
                    .sort(Comparator.comparing((SmPort port) -> !byGuid.containsKey(port.guid))
                            .thenComparing(port -> port.guid, Long::compareUnsigned));
        }
        List<SmPort> left = new ArrayList<>();
        for (SmPort port : order) {
            port.lmc = port.node.isSwitch ? 0 : lmc;
            int known = byGuid.getOrDefault(port.guid, port.get(PortInfoAttribute.LID));
            if (!take(port, known)) {
                left.add(port);
            }
        }
        for (SmPort port : left) {
            int size = 1 << port.lmc;
            int base = size;
            while (!take(port, base)) {
                base += size;
            }
        }
        return used.length() - 1;
    }

    private boolean take(SmPort port, int base) {
        int size = 1 << port.lmc;
        int next = used.nextSetBit(Math.max(0, base));
        boolean isFree = Lid.isUnicast(base)
                && Lid.isUnicast(base + size - 1)
                && base % size == 0
                && (next < 0 || next >= base + size);
        if (isFree) {
            used.set(base, base + size);
            port.lid = base;
            byGuid.put(port.guid, base);
        }
        return isFree;
    }
}
