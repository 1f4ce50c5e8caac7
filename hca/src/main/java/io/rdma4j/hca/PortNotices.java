// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.device.PortNotice;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Notices of a port to its management (IBA 13.4.8). A notice is queued if the port has NOTICE_SUP, and is sent as a
 * trap if it has TRAP_SUP. Notices that packets cause are limited to one per subnet timeout (IBA 13.4.9). Any thread.
 */
public final class PortNotices {
    /** Maximum number of queued notices; a further one replaces the oldest. */
    private static final int KEPT = 16;

    private final ArrayDeque<PortNotice> kept = new ArrayDeque<>(KEPT);
    private final Consumer<PortNotice> traps;
    private long lastNs;
    private boolean any;

    /** @param traps receives the traps */
    public PortNotices(Consumer<PortNotice> traps) {
        this.traps = traps;
    }

    /** Queues or sends a notice, according to the capabilities. */
    public void raise(PortNotice notice, Set<PortCapability> capabilities) {
        if (capabilities.contains(PortCapability.NOTICE_SUP)) {
            keep(notice);
        }
        if (capabilities.contains(PortCapability.TRAP_SUP)) {
            traps.accept(notice);
        }
    }

    private synchronized void keep(PortNotice notice) {
        if (kept.size() == KEPT) {
            kept.removeFirst();
        }
        kept.addLast(notice);
    }

    /** Returns true if the timeout has passed since the last notice; the caller then raises the next one. */
    public synchronized boolean mayTell(long nowNs, long timeoutNs) {
        if (any && nowNs - lastNs < timeoutNs) {
            return false;
        }
        any = true;
        lastNs = nowNs;
        return true;
    }

    /** Returns the oldest notice, or null. */
    public synchronized @Nullable PortNotice poll() {
        return kept.pollFirst();
    }
}
