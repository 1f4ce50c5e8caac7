package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The groups of senders of a host. Any thread; control path. */
public final class ClientGroups {
    private final Map<String, ClientGroup> byName = new LinkedHashMap<>();
    private int lastIndex;

    /** None yet. */
    public ClientGroups() {}

    /**
     * Makes a group, of class 0.
     *
     * @param name that no other has
     * @return the group, without members
     * @throws RdmaException EEXIST if there is one with this name
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
     * @param name as it was made with
     */
    public synchronized @Nullable ClientGroup find(String name) {
        return byName.get(name);
    }

    /** {@return all, in the order they were made} */
    public synchronized List<ClientGroup> all() {
        return List.copyOf(byName.values());
    }

    /**
     * Forgets a group; its members keep it.
     *
     * @param name as it was made with
     */
    public synchronized void remove(String name) {
        byName.remove(name);
    }
}
