// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.state;

import io.rdma4j.verbs.device.PortCapability;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts the announcements of each capability at the ports of a device, over all contexts. The first one sets the
 * capability bit, the last one clears it. Any thread.
 */
public final class PortAnnouncements {
    private record Key(int port, PortCapability capability) {}

    private final Map<Key, Integer> counts = new HashMap<>();

    /**
     * @param first runs for the first announcement; if it throws, the announcement is not counted
     */
    public synchronized void add(int port, PortCapability capability, Runnable first) {
        Key key = new Key(port, capability);
        if (!counts.containsKey(key)) {
            first.run();
        }
        counts.merge(key, 1, Integer::sum);
    }

    /**
     * @param last runs for the last announcement
     */
    public synchronized void remove(int port, PortCapability capability, Runnable last) {
        if (counts.computeIfPresent(new Key(port, capability), (_, count) -> count == 1 ? null : count - 1) == null) {
            last.run();
        }
    }
}
