package io.rdma4j.verbs;

import java.util.HashMap;
import java.util.Map;

/** How many say what at the ports of a device, over all its contexts: the first sets the bit, the last clears it. Any thread. */
final class PortAnnouncements {
    private record Key(int port, PortCapability capability) {}

    private final Map<Key, Integer> counts = new HashMap<>();

    /** @param first what the first one does; if that fails nobody is counted */
    synchronized void add(int port, PortCapability capability, Runnable first) {
        Key key = new Key(port, capability);
        if (!counts.containsKey(key)) {
            first.run();
        }
        counts.merge(key, 1, Integer::sum);
    }

    /** @param last what the last one does */
    synchronized void remove(int port, PortCapability capability, Runnable last) {
        if (counts.computeIfPresent(new Key(port, capability), (_, count) -> count == 1 ? null : count - 1) == null) {
            last.run();
        }
    }
}
