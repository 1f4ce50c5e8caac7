// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.wire.mad.sm.NodeDescription;
import io.rdma4j.wire.mad.sm.NodeInfo;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A node on the way of packets.
 *
 * @param node its NodeInfo
 * @param description its NodeDescription
 * @param port PortInfo of the port at which the packets arrive; of a switch, of port 0
 * @param output port by which they leave the node before; -1 for the first node
 * @param input port at which they arrive
 */
record RouteHop(MemorySegment node, MemorySegment description, MemorySegment port, int output, int input) {
    private static final int ACTIVE = 4;

    /** Reads the node at the end of a route. */
    static RouteHop read(MadAccess mads, MadTarget at) throws DiagFailure {
        String what = "get_node: can't reach port at " + at;
        MemorySegment node = mads.get(what, at, MadAttribute.NODE_INFO, 0);
        return new RouteHop(
                node,
                mads.get(what, at, MadAttribute.NODE_DESCRIPTION, 0),
                mads.get(what, at, MadAttribute.PORT_INFO, 0),
                -1,
                NodeInfo.LOCAL_PORT_NUM.getInt(node, 0));
    }

    RouteHop through(int outputPort, int inputPort) {
        return new RouteHop(node, description, port, outputPort, inputPort);
    }

    boolean isSwitch() {
        return NodeInfo.NODE_TYPE.getInt(node, 0) == FabricNode.SWITCH;
    }

    int ports() {
        return NodeInfo.NUM_PORTS.getInt(node, 0);
    }

    long portGuid() {
        return NodeInfo.PORT_GUID.get(node, 0);
    }

    long nodeGuid() {
        return NodeInfo.NODE_GUID.get(node, 0);
    }

    int lid() {
        return PortInfoAttribute.LID.getInt(port, 0);
    }

    int state() {
        return PortInfoAttribute.PORT_STATE.getInt(port, 0);
    }

    /** Returns true if the port carries packets; base port 0 of a switch always does. */
    boolean isActive() {
        return isSwitch() || state() == ACTIVE;
    }

    String name() {
        return NodeDescription.NODE_DESCRIPTION.text(description, 0);
    }

    private String kind() {
        return switch (NodeInfo.NODE_TYPE.getInt(node, 0)) {
            case FabricNode.SWITCH -> "switch";
            case FabricNode.ADAPTER -> "ca";
            case FabricNode.ROUTER -> "router";
            default -> "???";
        };
    }

    private String lids() {
        return "lid %d-%d".formatted(lid(), lid() + (1 << PortInfoAttribute.LMC.getInt(port, 0)) - 1);
    }

    /** Returns the first or the last line. */
    String end(String word, boolean isShort) {
        int number = isSwitch() ? 0 : input;
        return isShort
                ? "%s {0x%016x}[%d]".formatted(word, nodeGuid(), number)
                : "%s %s {0x%016x} portnum %d %s \"%s\"".formatted(word, kind(), nodeGuid(), number, lids(), name());
    }

    /** Returns the line of a node on the way. */
    String step(boolean isShort) {
        return isShort
                ? "[%d] -> {0x%016x}[%d]".formatted(output, portGuid(), input)
                : "[%d] -> %s port {0x%016x}[%d] %s \"%s\""
                        .formatted(output, kind(), portGuid(), input, lids(), name());
    }

    /** Returns the first or the last line of the way of a multicast group. */
    String multicastEnd(String word) {
        return "%s %s 0x%x port %d %s \"%s\"".formatted(word, kind(), nodeGuid(), input, lids(), name());
    }

    /** Returns the line of a node on the way of a multicast group. */
    String multicastStep(boolean isShort) {
        return isShort
                ? "[%d] -> %s {0x%016x}[%d]".formatted(output, kind(), nodeGuid(), input)
                : "[%d] -> %s 0x%x[%d] lid %d \"%s\"".formatted(output, kind(), nodeGuid(), input, lid(), name());
    }

    Map<String, Object> json() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("type", kind());
        members.put("guid", "0x%016x".formatted(nodeGuid()));
        members.put("description", name());
        members.put("lid", lid());
        if (output >= 0) {
            members.put("outputPort", output);
        }
        members.put("inputPort", input);
        return members;
    }
}
