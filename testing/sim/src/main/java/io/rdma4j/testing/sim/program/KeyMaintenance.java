// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Opens and closes the keyed accesses of one side by work requests on its sending queue pair: signalled, one at a time.
 */
final class KeyMaintenance {
    /** Flag in the {@code wr_id} of these requests. */
    static final long WR_ID_MARK = 1L << 41;

    private final SimEndpoint own;
    private final List<KeyedAccess> accesses;
    private final RunReport report;
    private @Nullable KeyedAccess busy;
    private int stepsBefore;

    /** @param accesses accesses to memory of this side */
    KeyMaintenance(SimEndpoint own, List<KeyedAccess> accesses, RunReport report) {
        this.own = own;
        this.accesses = accesses.stream()
                .filter(access -> access.kind() != KeyedAccess.Kind.REGION)
                .toList();
        this.report = report;
    }

    /** Number of send queue slots to reserve for these requests. */
    int slots() {
        return accesses.isEmpty() ? 0 : 1;
    }

    boolean isIdle() {
        return busy == null;
    }

    /** @param posted steps posted so far */
    boolean act(int posted) {
        for (KeyedAccess access : accesses) {
            if (busy == null && access.hasKeyWork()) {
                busy = access;
                stepsBefore = posted;
                access.postKeyWork(own.qp(), WR_ID_MARK);
                return true;
            }
        }
        return false;
    }

    /** True if a step that was posted after the outstanding key request completes before it. */
    boolean isOvertakenBy(int step) {
        return busy != null && step >= stepsBefore;
    }

    /**
     * @param flushed the connection is being closed
     * @param dueStep the next signalled step
     */
    void onCompletion(WorkCompletion wc, boolean flushed, int dueStep) {
        KeyedAccess access = busy;
        boolean sound = access != null
                && (flushed
                        || wc.status() == WcStatus.SUCCESS
                                && wc.opcode() == access.keyWorkOpcode()
                                && dueStep >= stepsBefore);
        if (access == null || !sound) {
            report.violation("%s: completion %s, while at work on %s".formatted(own, wc, access));
            return;
        }
        busy = null;
        if (flushed) {
            access.onKeyWorkFlushed();
        } else {
            access.onKeyWorkDone();
        }
    }

    @Override
    public String toString() {
        return accesses.isEmpty() ? "" : ", accesses " + accesses;
    }
}
