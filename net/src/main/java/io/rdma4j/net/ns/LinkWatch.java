// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

import io.rdma4j.net.NetDevice;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Devices of a host with an unhandled change of their link ({@code lweventlist}), each once, with a reference to each.
 * Any thread may add a device; they are handled under the RTNL lock.
 */
final class LinkWatch {
    private final Set<NetDevice> waiting = new LinkedHashSet<>();

    synchronized void add(NetDevice device) {
        if (waiting.add(device)) {
            device.references().hold();
        }
    }

    /** Removes a device that is being unregistered ({@code linkwatch_sync_dev}). */
    synchronized void forget(NetDevice device) {
        if (waiting.remove(device)) {
            device.references().put();
        }
    }

    /**
     * Returns true if an event can be handled now. The event of a detached device waits until the device is attached.
     */
    synchronized boolean hasWork() {
        return waiting.stream().anyMatch(device -> device.linkState().isPresent());
    }

    /** {@code linkwatch_run_queue}. */
    void run() {
        for (NetDevice device : take()) {
            device.linkState().handleEvent();
            device.references().put();
        }
    }

    private synchronized List<NetDevice> take() {
        List<NetDevice> ready = new ArrayList<>(waiting);
        ready.removeIf(device -> !device.linkState().isPresent());
        waiting.removeAll(Set.copyOf(ready));
        return ready;
    }
}
