// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.topology;

import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The topology as text. */
public final class TopologyText {
    private TopologyText() {}

    public static List<String> lines(SubnetTopology topology) {
        List<String> lines = new ArrayList<>();
        for (SmNode node : topology.nodes()) {
            lines.add((node.isSwitch ? "Switch " : "Ca ") + node.portCount + " \"" + node.description + "\" guid 0x"
                    + Long.toHexString(node.guid));
            for (SmPort port : node.ports()) {
                SmPort peer = port.peer;
                if (port.isEnd() || peer != null) {
                    lines.add("  [" + port.number + "]" + lid(port) + state(port) + peer(peer));
                }
            }
        }
        return lines;
    }

    private static String lid(SmPort port) {
        return port.isEnd() ? " lid " + port.lid + " lmc " + port.lmc : "";
    }

    private static String state(SmPort port) {
        return port.number == 0 ? "" : " " + port.state() + " mtu " + (128 << port.get(PortInfoAttribute.NEIGHBOR_MTU));
    }

    private static String peer(@Nullable SmPort peer) {
        return peer == null ? "" : " -> " + name(peer);
    }

    public static String name(SmPort port) {
        return '"' + port.node.description + "\"[" + port.number + "]";
    }
}
