// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of the subnet that a tool reads: the node of a port, the node at the end of a route, or all nodes.
 *
 * @param guid of a port of the node; null without that option
 * @param route to the node; null without that option
 */
record SubnetPart(@Nullable String guid, @Nullable String route) {
    /** The options that select a part. */
    static final List<Option> OPTIONS = List.of(
            Option.value('S', "switch", "port_guid", "only the node of this port"),
            Option.value('G', "port-guid", "port_guid", "the same"),
            Option.value('D', "Direct", "dr_path", "only the node at the end of this route"));

    static SubnetPart of(Options options) {
        String guid = options.text("switch");
        return new SubnetPart(guid == null ? options.text("port-guid") : guid, options.text("Direct"));
    }

    /** Returns true without an option: the tool reads all nodes. */
    boolean isAll() {
        return guid == null && route == null;
    }

    /** Returns where a discovery begins. */
    MadTarget start() {
        return route == null ? MadTarget.self() : MadTarget.fromSelf(route);
    }

    /** Returns the number of hops from there; 0 for no limit. */
    int hops() {
        return route == null ? 0 : 1;
    }

    /** Returns the nodes of this part; none if no node has the port. */
    List<FabricNode> nodes(FabricDiscovery fabric) {
        if (route != null) {
            return List.of(fabric.first());
        }
        if (guid == null) {
            return fabric.nodes();
        }
        FabricNode node = fabric.node(DiagCommand.number("switch", guid));
        return node == null ? List.of() : List.of(node);
    }
}
