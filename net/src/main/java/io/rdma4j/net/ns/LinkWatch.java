package io.rdma4j.net.ns;

import io.rdma4j.net.NetDevice;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Devices of a host whose link changed and that wait for what follows from it ({@code lweventlist}), each once. Holds a
 * reference to each. Any thread may add; they are handled under the host's lock.
 */
final class LinkWatch {
    private final Set<NetDevice> waiting = new LinkedHashSet<>();

    synchronized void add(NetDevice device) {
        if (waiting.add(device)) {
            device.references().hold();
        }
    }

    /** The device goes ({@code linkwatch_sync_dev}). */
    synchronized void forget(NetDevice device) {
        if (waiting.remove(device)) {
            device.references().put();
        }
    }

    /** True if there is something to handle now; what is detached waits until it is there again. */
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
