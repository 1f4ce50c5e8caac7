// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib.topology;

import io.rdma4j.fabric.IbLinkProfile;
import io.rdma4j.fabric.IbPort;
import io.rdma4j.fabric.IbSwitch;
import io.rdma4j.fabric.LinkModes;
import io.rdma4j.ib.IbDevice;
import io.rdma4j.ib.IbFabric;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The nodes and cables of a subnet, as a topology file lists them. Immutable.
 *
 * @param nodes in the order of the file, with names that differ
 * @param cables each one once
 * @param modes widths and speeds of the ports that do not have 4X SDR only
 */
public record FabricTopology(List<Node> nodes, List<Cable> cables, Map<End, LinkModes> modes) {
    private static final long FIRST_SWITCH_GUID = 0x200000;
    private static final long FIRST_ADAPTER_GUID = 0x100000;

    /**
     * A switch, or a channel adapter of which port 1 is used.
     *
     * @param name description of the node; that of a channel adapter is also the name of its device
     * @param isSwitch true for a switch
     * @param ports number of ports
     * @param guid of the node; 0 for one that is made
     */
    public record Node(String name, boolean isSwitch, int ports, long guid) {}

    /**
     * One end of a cable.
     *
     * @param node name of the node
     * @param port from 1
     */
    public record End(String node, int port) {}

    /**
     * A cable.
     *
     * @param first one end
     * @param second the other one
     */
    public record Cable(End first, End second) {}

    /** Copies the parts. */
    public FabricTopology {
        nodes = List.copyOf(nodes);
        cables = List.copyOf(cables);
        modes = Map.copyOf(modes);
    }

    /**
     * Makes the nodes and cables in a fabric without nodes. GUIDs that the file does not give are those of ibsim:
     * switches from 0x200000 on, channel adapters from 0x100000 on with one for each port.
     *
     * @param fabric to which they are added
     * @param profile of all links
     * @return the devices of the channel adapters, in the order of the file
     */
    public List<IbDevice> build(IbFabric fabric, IbLinkProfile profile) {
        List<IbDevice> devices = new ArrayList<>();
        Map<String, IbDevice> adapters = new HashMap<>();
        Map<String, IbSwitch> switches = new HashMap<>();
        long switchGuid = FIRST_SWITCH_GUID;
        long adapterGuid = FIRST_ADAPTER_GUID;
        for (Node node : nodes) {
            if (node.isSwitch()) {
                switches.put(
                        node.name(),
                        fabric.newSwitch(node.name(), node.guid() == 0 ? switchGuid : node.guid(), node.ports()));
                switchGuid++;
            } else {
                IbDevice device = fabric.newDevice(node.name(), node.guid() == 0 ? adapterGuid : node.guid());
                adapters.put(node.name(), device);
                devices.add(device);
                adapterGuid += node.ports() + 1L;
            }
        }
        modes.forEach((end, wanted) -> port(end, adapters, switches).supported(wanted));
        for (Cable cable : cables) {
            fabric.connect(port(cable.first(), adapters, switches), port(cable.second(), adapters, switches), profile);
        }
        return devices;
    }

    private static IbPort port(End end, Map<String, IbDevice> adapters, Map<String, IbSwitch> switches) {
        IbSwitch node = switches.get(end.node());
        if (node != null) {
            return node.port(end.port());
        }
        IbDevice device = adapters.get(end.node());
        if (device == null) {
            throw new IllegalStateException("a cable ends at \"" + end.node() + "\", which is no node");
        }
        return device.port();
    }
}
