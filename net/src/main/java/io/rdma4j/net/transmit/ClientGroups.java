// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.transmit;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The control groups of a host. Any thread may call it; control path. */
public final class ClientGroups {
    private final Map<String, ClientGroup> byName = new LinkedHashMap<>();
    private int lastIndex;

    /** Creates an empty collection. */
    public ClientGroups() {}

    /**
     * Creates a group of class 0.
     *
     * @param name name that no other group has
     * @return the group, without members
     * @throws RdmaException EEXIST if a group has this name
     */
    public synchronized ClientGroup create(String name) {
        if (byName.containsKey(name)) {
            throw new RdmaException(Errno.EEXIST, "there is a group " + name);
        }
        ClientGroup group = new ClientGroup(name, ++lastIndex);
        byName.put(name, group);
        return group;
    }

    /**
     * {@return the group with a name, null if there is none}
     *
     * @param name the group's name
     */
    public synchronized @Nullable ClientGroup find(String name) {
        return byName.get(name);
    }

    /** {@return all groups, in the order of their creation} */
    public synchronized List<ClientGroup> all() {
        return List.copyOf(byName.values());
    }

    /**
     * Removes a group. Its members keep it.
     *
     * @param name the group's name
     */
    public synchronized void remove(String name) {
        byName.remove(name);
    }
}
