// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.sweep;

import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.sm.SubnetQos;
import io.rdma4j.sm.topology.SmPort;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Writes PortInfo of the ports of a subnet, where it differs from what a port has, and moves ports to ACTIVE. */
final class PortWriter {
    private static final int NO_LOAD = 1;
    private static final int PRESERVE_CONTENT = 2;
    private static final int PRESERVE_PRESENCE = 4;

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

    /** Forgets the ports that are gone. */
    void retain(List<SmPort> ends) {
        known.retainAll(ends.stream().map(end -> end.guid).collect(Collectors.toSet()));
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
        wanted.put(PortInfoAttribute.M_KEY, options.managementKey().key());
        wanted.put(PortInfoAttribute.M_KEY_PROTECT_BITS, (long)
                options.managementKey().protectBits());
        wanted.put(PortInfoAttribute.M_KEY_LEASE_PERIOD, (long)
                options.managementKey().leaseSeconds());
        boolean isNew = known.add(port.guid);
        boolean isInitializing = port.number != 0 && port.state() == PortState.INIT;
        int reply = isInitializing ? initTypeReply(port, isNew, differs(port, wanted)) : 0;
        if (isInitializing) {
            wanted.put(PortInfoAttribute.INIT_TYPE_REPLY, (long) reply);
        }
        if (port.number != 0 && isNew || isInitializing && (reply & PRESERVE_PRESENCE) == 0) {
            wanted.put(PortInfoAttribute.CLIENT_REREGISTER, 1L);
        }
        write(port, wanted);
    }

    /**
     * Grants what the node asks for by {@code InitType}: its attributes are preserved if it has them all, and its
     * registrations if the manager has seen the port in each sweep since it became master.
     */
    private static int initTypeReply(SmPort port, boolean isNew, boolean differs) {
        int possible = (differs ? 0 : NO_LOAD | PRESERVE_CONTENT) | (isNew ? 0 : PRESERVE_PRESENCE);
        return port.initType() & possible;
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
        if (differs(port, wanted)) {
            MemorySegment mad = copy(port);
            wanted.forEach((field, value) -> field.put(mad, Smp.DATA, value));
            requests.send(mad, reply -> {
                if (!SmpRequests.isGood(reply)) {
                    known.remove(port.guid); // its clients may not have been asked
                }
                answer.arrived(reply);
            });
            wanted.forEach((field, value) -> field.put(port.info, 0, value));
            PortInfoAttribute.CLIENT_REREGISTER.put(port.info, 0, 0);
        }
    }

    private static boolean differs(SmPort port, Map<MadField, Long> wanted) {
        return wanted.entrySet().stream().anyMatch(field -> field.getKey().get(port.info, 0) != field.getValue());
    }

    /** Returns a Set of the attribute as it was read, which changes no state. */
    private MemorySegment copy(SmPort port) {
        MemorySegment mad = requests.set(port, MadAttribute.PORT_INFO, port.number);
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
