package io.rdma4j.rxe;

import io.rdma4j.verbs.PortCapability;
import io.rdma4j.verbs.PortNotice;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a port tells its management of its own accord (IBA 13.4.8): a notice is kept to be fetched if the port has NOTICE_SUP, and
 * goes out as a trap if it has TRAP_SUP. What comes from the network, perhaps in floods, does so once in a subnet timeout at most
 * (IBA 13.4.9). Any thread.
 */
final class PortNotices {
    /** Whoever does not fetch them loses the oldest. */
    private static final int KEPT = 16;

    private final ArrayDeque<PortNotice> kept = new ArrayDeque<>(KEPT);
    private final Consumer<PortNotice> traps;
    private long lastNs;
    private boolean any;

    /** @param traps where traps go */
    PortNotices(Consumer<PortNotice> traps) {
        this.traps = traps;
    }

    /** Something happened here. */
    void raise(PortNotice notice, Set<PortCapability> capabilities) {
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

    /** True if so much time has passed that another violation may be told; then it counts as told. */
    synchronized boolean mayTell(long nowNs, long timeoutNs) {
        if (any && nowNs - lastNs < timeoutNs) {
            return false;
        }
        any = true;
        lastNs = nowNs;
        return true;
    }

    /** The oldest notice, null if there is none. */
    synchronized @Nullable PortNotice poll() {
        return kept.pollFirst();
    }
}
