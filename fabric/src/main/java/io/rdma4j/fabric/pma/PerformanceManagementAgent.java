// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric.pma;

import io.rdma4j.fabric.IbPort;
import io.rdma4j.wire.mad.ClassPortInfo;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.pm.PortCountersAttribute;
import io.rdma4j.wire.mad.pm.PortCountersExtended;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The performance management agent of a node (PMA, IBA 16.1): shows and clears the counters of its ports. One thread at
 * a time.
 */
public final class PerformanceManagementAgent {
    private static final int ALL_PORTS = 0xFF;
    private static final int ALL_PORT_SELECT = 0x0100;
    private static final int EXTENDED_WIDTH = 0x0200;
    private static final int XMIT_WAIT = 0x1000;
    private static final int RESPONSE_TIME = 16;
    private static final int DATA_BYTES = 192;

    private final int portCount;
    private final CounterBank counters;
    private final CounterBank extended;
    private final CounterBank receiveErrors;
    private final CounterBank discards;

    /**
     * Creates the agent of a node.
     *
     * @param ports of the node with a link, in the order of their numbers from 1
     */
    public PerformanceManagementAgent(List<IbPort> ports) {
        this.portCount = ports.size();
        this.counters = new CounterBank(CounterTables.COUNTERS, ports);
        this.extended = new CounterBank(CounterTables.EXTENDED, ports);
        this.receiveErrors = new CounterBank(CounterTables.RCV_ERROR_DETAILS, ports);
        this.discards = new CounterBank(CounterTables.XMIT_DISCARD_DETAILS, ports);
    }

    /** Answers a Get or Set in place. */
    void answer(MemorySegment memory, long mad) {
        boolean isSet = Mad.METHOD.getInt(memory, mad) == MadMethod.SET.code();
        Mad.STATUS.put(memory, mad, status(memory, mad, isSet));
        Mad.METHOD.put(memory, mad, MadMethod.GET.responseCode());
    }

    private int status(MemorySegment memory, long mad, boolean isSet) {
        if (Mad.CLASS_VERSION.getInt(memory, mad) != MadClass.PERF_MGT.version()) {
            return MadStatus.BAD_VERSION;
        }
        MadAttribute attribute = MadAttribute.of(MadClass.PERF_MGT, Mad.ATTRIBUTE_ID.getInt(memory, mad));
        if (attribute == null) {
            return MadStatus.BAD_METHOD_ATTRIBUTE;
        }
        long data = mad + MadClass.PERF_MGT.dataOffset();
        if (Mad.ATTRIBUTE_MODIFIER.get(memory, mad) != 0) {
            return MadStatus.BAD_FIELD;
        }
        return switch (attribute) {
            case CLASS_PORT_INFO -> isSet ? MadStatus.BAD_METHOD_ATTRIBUTE : classPortInfo(memory, data);
            case PORT_COUNTERS -> counts(counters, memory, data, isSet, PortCountersAttribute.COUNTER_SELECT_2);
            case PORT_COUNTERS_EXTENDED -> counts(extended, memory, data, isSet, PortCountersExtended.COUNTER_SELECT_2);
            case PORT_RCV_ERROR_DETAILS -> counts(receiveErrors, memory, data, isSet, null);
            case PORT_XMIT_DISCARD_DETAILS -> counts(discards, memory, data, isSet, null);
            default -> MadStatus.BAD_METHOD_ATTRIBUTE;
        };
    }

    private static int classPortInfo(MemorySegment memory, long data) {
        memory.asSlice(data, DATA_BYTES).fill((byte) 0);
        ClassPortInfo.BASE_VERSION.put(memory, data, Mad.BASE_VERSION_1);
        ClassPortInfo.CLASS_VERSION.put(memory, data, MadClass.PERF_MGT.version());
        ClassPortInfo.CAPABILITY_MASK.put(memory, data, ALL_PORT_SELECT | EXTENDED_WIDTH | XMIT_WAIT);
        ClassPortInfo.RESP_TIME_VALUE.put(memory, data, RESPONSE_TIME);
        return MadStatus.SUCCESS;
    }

    /** The port and the first select field have the same place in all four attributes. */
    private int counts(CounterBank bank, MemorySegment memory, long data, boolean isSet, @Nullable MadField second) {
        int port = PortCountersAttribute.PORT_SELECT.getInt(memory, data);
        int select = PortCountersAttribute.COUNTER_SELECT.getInt(memory, data);
        int select2 = second == null ? 0 : second.getInt(memory, data);
        if (port != ALL_PORTS && (port < 1 || port > portCount)) {
            return MadStatus.BAD_FIELD;
        }
        int from = port == ALL_PORTS ? 0 : port - 1;
        int to = port == ALL_PORTS ? portCount - 1 : port - 1;
        if (isSet) {
            bank.clear(from, to, select, select2);
        }
        memory.asSlice(data, DATA_BYTES).fill((byte) 0);
        PortCountersAttribute.PORT_SELECT.put(memory, data, port);
        PortCountersAttribute.COUNTER_SELECT.put(memory, data, select);
        if (second != null) {
            second.put(memory, data, select2);
        }
        bank.read(from, to, memory, data);
        return MadStatus.SUCCESS;
    }
}
