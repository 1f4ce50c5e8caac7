// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.topology;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a sweep has found: nodes by GUID, in the order of discovery; the first one is that of the manager. */
public final class SubnetTopology {
    private final Map<Long, SmNode> nodes = new LinkedHashMap<>();
    private @Nullable List<SmPort> ends;

    @Nullable
    public SmNode node(long guid) {
        return nodes.get(guid);
    }

    public void add(SmNode node) {
        nodes.put(node.guid, node);
    }

    public Collection<SmNode> nodes() {
        return nodes.values();
    }

    public List<SmNode> switches() {
        return nodes.values().stream().filter(node -> node.isSwitch).toList();
    }

    /** All ports that were read. */
    public List<SmPort> ports() {
        List<SmPort> all = new ArrayList<>();
        nodes.values().forEach(node -> all.addAll(node.ports()));
        return all;
    }

    /** The ports that have a LID, that of the manager first. Asked for when all nodes are found. */
    public List<SmPort> ends() {
        List<SmPort> known = ends;
        if (known == null) {
            known = ports().stream().filter(port -> port.isEnd() && port.isUp()).toList();
            ends = known;
        }
        return known;
    }
}
