// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric.pma;

import io.rdma4j.fabric.IbPort;
import io.rdma4j.fabric.PortCount;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The counters of one attribute at all ports of a node. The counts of a port never decrease; the bank keeps their
 * values at the last Set, so that attributes are cleared independently of each other.
 */
final class CounterBank {
    private final List<CounterField> fields;
    private final List<IbPort> ports;
    private final long[][] cleared;

    CounterBank(List<CounterField> fields, List<IbPort> ports) {
        this.fields = fields;
        this.ports = ports;
        this.cleared = new long[ports.size()][fields.size()];
    }

    /** Clears the selected counters of the ports {@code from} to {@code to}, from 0. */
    void clear(int from, int to, int select, int select2) {
        for (int port = from; port <= to; port++) {
            for (int i = 0; i < fields.size(); i++) {
                if (fields.get(i).isSelected(select, select2)) {
                    cleared[port][i] = value(port, fields.get(i));
                }
            }
        }
    }

    /** Writes the sums of the ports {@code from} to {@code to}; a sum stops at the maximum of its field. */
    void read(int from, int to, MemorySegment memory, long data) {
        for (int i = 0; i < fields.size(); i++) {
            CounterField field = fields.get(i);
            long sum = 0;
            for (int port = from; port <= to; port++) {
                sum += value(port, field) - cleared[port][i];
            }
            field.field().put(memory, data, Math.min(sum, field.most()));
        }
    }

    private long value(int port, CounterField field) {
        PortCount count = field.count();
        PortCount less = field.less();
        long value = count == null ? 0 : ports.get(port).counts().get(count);
        return less == null ? value : value - ports.get(port).counts().get(less);
    }
}
