// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.topology;

import io.rdma4j.wire.mad.sm.NodeInfo;
import io.rdma4j.wire.mad.sm.SwitchInfo;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A node of the topology. */
public final class SmNode {
    public final long guid;
    public final boolean isSwitch;

    /** Output ports on the way from the manager: the first way that was found. */
    public final int[] path;

    public final int portCount;
    public String description = "";

    /** NodeInfo and, of a switch, SwitchInfo, as they were read. */
    public final MemorySegment info = MemorySegment.ofArray(new byte[NodeInfo.LAYOUT.bytes()]);

    public final MemorySegment switchInfo = MemorySegment.ofArray(new byte[SwitchInfo.LAYOUT.bytes()]);

    // Of a switch
    public int linearTop;
    public boolean portStateChanged;

    private final List<@Nullable SmPort> ports = new ArrayList<>();
    private @Nullable List<SmPort> portsToSwitches;

    public SmNode(long guid, boolean isSwitch, int portCount, int[] path) {
        this.guid = guid;
        this.isSwitch = isSwitch;
        this.portCount = portCount;
        this.path = path;
        for (int number = 0; number <= portCount; number++) {
            ports.add(isSwitch ? new SmPort(this, number) : null);
        }
    }

    /** Returns a port, which is made if it is that of a channel adapter; null if the node has no such port. */
    @Nullable
    public SmPort port(int number) {
        if (number < 0 || number > portCount || number == 0 && !isSwitch) {
            return null;
        }
        SmPort port = ports.get(number);
        if (port == null) {
            port = new SmPort(this, number);
            ports.set(number, port);
        }
        return port;
    }

    /** Returns port 0 of a switch. */
    public SmPort portZero() {
        return Objects.requireNonNull(port(0), "no switch");
    }

    /** The ports that were read. */
    public List<SmPort> ports() {
        List<SmPort> all = new ArrayList<>();
        for (SmPort port : ports) {
            if (port != null && port.isRead) {
                all.add(port);
            }
        }
        return all;
    }

    /** The ports with a cable to a switch, by number. Asked for when all nodes are found. */
    public List<SmPort> portsToSwitches() {
        List<SmPort> known = portsToSwitches;
        if (known == null) {
            known = ports().stream()
                    .filter(port -> port.peer != null && port.peer.node.isSwitch)
                    .toList();
            portsToSwitches = known;
        }
        return known;
    }
}
