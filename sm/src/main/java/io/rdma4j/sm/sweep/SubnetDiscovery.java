// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.sweep;

import io.rdma4j.sm.topology.SmNode;
import io.rdma4j.sm.topology.SmPort;
import io.rdma4j.sm.topology.SubnetTopology;
import io.rdma4j.sm.topology.TopologyText;
import io.rdma4j.verbs.device.NodeType;
import io.rdma4j.wire.mad.sm.NodeDescription;
import io.rdma4j.wire.mad.sm.NodeInfo;
import io.rdma4j.wire.mad.sm.PkeyTableBlock;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.SmInfo;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.sm.SwitchInfo;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the nodes and links of a subnet, breadth first along directed routes (IBA 14.4.4). A node is known by its GUID,
 * a link by the port that a request left by and the port at which it arrived.
 */
final class SubnetDiscovery {
    private static final int[] HERE = {};
    private static final int IS_SM = 1 << 1;

    private final SmpRequests requests;
    private final SubnetTopology found = new SubnetTopology();
    private int lost;
    private final List<String> contradictions = new ArrayList<>();

    SubnetDiscovery(SmpRequests requests) {
        this.requests = requests;
    }

    SubnetTopology found() {
        return found;
    }

    /** Requests without response: a part of the subnet may be missing. */
    int lost() {
        return lost;
    }

    /** Links that contradict one that was found before: two nodes have one GUID. */
    List<String> contradictions() {
        return contradictions;
    }

    void begin() {
        visit(HERE, null);
    }

    /** @param from the port by which the path leaves the last node before its end */
    private void visit(int[] path, @Nullable SmPort from) {
        requests.get(path, MadAttribute.NODE_INFO, 0, mad -> {
            if (mad == null) {
                lost++;
            } else {
                arrive(path, from, mad);
            }
        });
    }

    private void arrive(int[] path, @Nullable SmPort from, MemorySegment mad) {
        long guid = NodeInfo.NODE_GUID.get(mad, Smp.DATA);
        boolean isSwitch = NodeInfo.NODE_TYPE.getInt(mad, Smp.DATA) == NodeType.SWITCH.code();
        SmNode node = found.node(guid);
        boolean isNew = node == null;
        if (node == null) {
            node = new SmNode(guid, isSwitch, NodeInfo.NUM_PORTS.getInt(mad, Smp.DATA), path);
            MemorySegment.copy(mad, Smp.DATA, node.info, 0, node.info.byteSize());
            found.add(node);
        }
        int arrival = NodeInfo.LOCAL_PORT_NUM.getInt(mad, Smp.DATA);
        SmPort port = node.port(from == null && !isSwitch ? Math.max(1, arrival) : arrival);
        if (port == null) {
            return;
        }
        if (from != null && !link(from, port)) {
            return;
        }
        if (isNew) {
            describe(node);
        }
        if (isSwitch && isNew) {
            readSwitch(node, from == null ? -1 : arrival);
        } else if (!isSwitch && !port.isRead) {
            port.path = path;
            port.guid = NodeInfo.PORT_GUID.get(mad, Smp.DATA);
            readEnd(port, from == null);
        }
    }

    /** The link that was found first is used; a second one at the same port is left out. */
    private boolean link(SmPort from, SmPort port) {
        boolean isFree = (from.peer == null || from.peer == port) && (port.peer == null || port.peer == from);
        if (isFree) {
            from.peer = port;
            port.peer = from;
        } else {
            contradictions.add(
                    "duplicate GUID 0x" + Long.toHexString(port.node.guid) + " behind " + TopologyText.name(from));
        }
        return isFree;
    }

    private void describe(SmNode node) {
        requests.get(node.path, MadAttribute.NODE_DESCRIPTION, 0, mad -> {
            if (mad != null) {
                node.description = NodeDescription.NODE_DESCRIPTION.text(mad, Smp.DATA);
            }
        });
    }

    private void readEnd(SmPort port, boolean isHere) {
        readPort(port, () -> {
            if (isHere && port.isUp()) {
                visit(new int[] {port.number}, port);
            }
        });
    }

    private void readSwitch(SmNode node, int arrival) {
        requests.get(node.path, MadAttribute.SWITCH_INFO, 0, mad -> {
            if (mad == null) {
                lost++;
                return;
            }
            MemorySegment.copy(mad, Smp.DATA, node.switchInfo, 0, node.switchInfo.byteSize());
            node.linearTop = SwitchInfo.LINEAR_FDB_TOP.getInt(mad, Smp.DATA);
            node.portStateChanged = SwitchInfo.PORT_STATE_CHANGE.isSet(mad, Smp.DATA);
        });
        for (int number = 0; number <= node.portCount; number++) {
            SmPort port = node.port(number);
            if (port != null) {
                readPort(port, () -> beyond(port, arrival));
            }
        }
    }

    private void beyond(SmPort port, int arrival) {
        int[] path = port.node.path;
        if (port.number != 0 && port.number != arrival && port.isUp() && path.length < Smp.MAX_HOPS) {
            int[] next = Arrays.copyOf(path, path.length + 1);
            next[path.length] = port.number;
            visit(next, port);
        }
    }

    private void readPort(SmPort port, Runnable then) {
        requests.get(port.path, MadAttribute.PORT_INFO, port.number, mad -> {
            if (mad == null) {
                lost++;
            } else {
                port.read(mad, Smp.DATA);
                askManager(port);
                readTables(port);
                then.run();
            }
        });
    }

    private void readTables(SmPort port) {
        if (port.isEnd()) {
            requests.get(port.path, MadAttribute.P_KEY_TABLE, 0, mad -> {
                if (mad == null) {
                    lost++;
                    return;
                }
                for (int i = 0; i < port.pkeys.length; i++) {
                    port.pkeys[i] = PkeyTableBlock.PKEYS.getInt(mad, Smp.DATA, i);
                }
            });
            requests.get(port.path, MadAttribute.GUID_INFO, 0, mad -> {
                if (mad == null) {
                    lost++;
                } else {
                    MemorySegment.copy(mad, Smp.DATA, port.guids, 0, port.guids.byteSize());
                }
            });
        }
    }

    /** Asks the manager at a port who it is. One that does not answer is no manager. */
    private void askManager(SmPort port) {
        boolean isHere = port.path.length == 0;
        if (port.isEnd() && !isHere && (port.get(PortInfoAttribute.CAPABILITY_MASK) & IS_SM) != 0) {
            requests.getManager(port.path, mad -> {
                if (mad != null && SmpRequests.isGood(mad)) {
                    MemorySegment info = MemorySegment.ofArray(new byte[SmInfo.LAYOUT.bytes()]);
                    MemorySegment.copy(mad, Smp.DATA, info, 0, info.byteSize());
                    port.smInfo = info;
                }
            });
        }
    }
}
