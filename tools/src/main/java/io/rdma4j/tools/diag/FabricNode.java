// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.wire.mad.sm.NodeInfo;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.SwitchInfo;
import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A node that a {@link FabricDiscovery} has found. One thread. */
final class FabricNode {
    /** Node type of channel adapters. */
    static final int ADAPTER = 1;
    /** Node type of switches. */
    static final int SWITCH = 2;
    /** Node type of routers. */
    static final int ROUTER = 3;

    private final MemorySegment info;
    private final TreeMap<Integer, FabricPort> ports = new TreeMap<>();
    private String description = "";
    private @Nullable MemorySegment switchInfo;

    /** @param info its attribute NodeInfo */
    FabricNode(MemorySegment info) {
        this.info = info;
    }

    void describe(String text) {
        description = text;
    }

    void switchInfo(MemorySegment attribute) {
        switchInfo = attribute;
    }

    /** Returns the attribute NodeInfo. */
    MemorySegment info() {
        return info;
    }

    String description() {
        return description;
    }

    long guid() {
        return NodeInfo.NODE_GUID.get(info, 0);
    }

    int type() {
        return NodeInfo.NODE_TYPE.getInt(info, 0);
    }

    boolean isSwitch() {
        return type() == SWITCH;
    }

    int portCount() {
        return NodeInfo.NUM_PORTS.getInt(info, 0);
    }

    boolean isEnhanced() {
        return switchInfo != null && SwitchInfo.ENHANCED_PORT_0.isSet(switchInfo, 0);
    }

    /** Returns the port, which has no attributes yet when it is new. */
    FabricPort port(int number, long guid) {
        return ports.computeIfAbsent(number, key -> new FabricPort(this, key, guid));
    }

    /** Returns a port that was found; null for another one. */
    @Nullable
    FabricPort port(int number) {
        return ports.get(number);
    }

    /** Returns the ports that were found, by number. */
    Collection<FabricPort> ports() {
        return ports.values();
    }

    /** Returns the LID of port 0 of a switch. */
    int switchLid() {
        FabricPort port = ports.get(0);
        return port == null ? 0 : PortInfoAttribute.LID.getInt(port.info(), 0);
    }

    int switchLmc() {
        FabricPort port = ports.get(0);
        return port == null ? 0 : PortInfoAttribute.LMC.getInt(port.info(), 0);
    }
}
