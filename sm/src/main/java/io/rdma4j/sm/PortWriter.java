// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm;

import io.rdma4j.verbs.device.PortState;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Writes PortInfo of the ports of a subnet, where it differs from what a port has, and moves ports to ACTIVE. */
final class PortWriter {
    private final SmpRequests requests;
    private final SubnetOptions options;
    private final SmpRequests.Answer answer;

    /** Ports whose clients were asked to register since they came up. */
    private final Set<Long> known = new HashSet<>();

    PortWriter(SmpRequests requests, SubnetOptions options, SmpRequests.Answer answer) {
        this.requests = requests;
        this.options = options;
        this.answer = answer;
    }

    /** Lets all clients register anew. */
    void forget() {
        known.clear();
    }

    /** Writes LIDs, prefix and the address of the manager to a port that has a LID. */
    void writeEnd(SmPort port, int managerLid) {
        Map<MadField, Long> wanted = new LinkedHashMap<>();
        wanted.put(PortInfoAttribute.LID, (long) port.lid);
        wanted.put(PortInfoAttribute.LMC, (long) port.lmc);
        wanted.put(PortInfoAttribute.MASTER_SM_LID, (long) managerLid);
        wanted.put(PortInfoAttribute.GID_PREFIX, options.prefix());
        wanted.put(PortInfoAttribute.SUBNET_TIMEOUT, (long) options.subnetTimeout());
        boolean isNew = known.add(port.guid);
        if (port.number != 0 && (isNew || port.state() == PortState.INIT)) {
            wanted.put(PortInfoAttribute.CLIENT_REREGISTER, 1L);
        }
        write(port, wanted);
    }

    /** Writes what the two ends of a link have in common. */
    void writeLink(SmPort port) {
        Map<MadField, Long> wanted = new LinkedHashMap<>();
        wanted.put(PortInfoAttribute.NEIGHBOR_MTU, (long) port.common(PortInfoAttribute.MTU_CAP));
        wanted.put(PortInfoAttribute.OPERATIONAL_VLS, (long) port.common(PortInfoAttribute.VL_CAP));
        SubnetQos qos = options.qos();
        if (qos != null) {
            wanted.put(PortInfoAttribute.VL_HIGH_LIMIT, (long) qos.highLimit());
        }
        if (port.isNextToAdapter()) {
            long enforces = options.partitions().isEmpty() ? 0 : 1;
            wanted.put(PortInfoAttribute.PARTITION_ENFORCEMENT_INBOUND, enforces);
            wanted.put(PortInfoAttribute.PARTITION_ENFORCEMENT_OUTBOUND, enforces);
        }
        write(port, wanted);
    }

    private void write(SmPort port, Map<MadField, Long> wanted) {
        boolean differs = false;
        for (Map.Entry<MadField, Long> field : wanted.entrySet()) {
            differs |= field.getKey().get(port.info, 0) != field.getValue();
        }
        if (differs) {
            MemorySegment mad = copy(port);
            wanted.forEach((field, value) -> field.put(mad, Smp.DATA, value));
            requests.send(mad, answer);
            wanted.forEach((field, value) -> field.put(port.info, 0, value));
            PortInfoAttribute.CLIENT_REREGISTER.put(port.info, 0, 0);
        }
    }

    /** Returns a Set of the attribute as it was read, which changes no state. */
    private MemorySegment copy(SmPort port) {
        MemorySegment mad = requests.set(port.path, MadAttribute.PORT_INFO, port.number);
        MemorySegment.copy(port.info, 0, mad, Smp.DATA, port.info.byteSize());
        PortInfoAttribute.PORT_STATE.put(mad, Smp.DATA, PortState.NOP.code());
        PortInfoAttribute.PORT_PHYSICAL_STATE.put(mad, Smp.DATA, 0);
        return mad;
    }

    void writeState(SmPort port, PortState state) {
        MemorySegment mad = copy(port);
        PortInfoAttribute.PORT_STATE.put(mad, Smp.DATA, state.code());
        requests.send(mad, answer);
        PortInfoAttribute.PORT_STATE.put(port.info, 0, state.code());
    }
}
