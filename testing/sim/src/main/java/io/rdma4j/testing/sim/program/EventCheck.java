// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.SharedQueue;
import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.testing.sim.world.SimHost;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.EventType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Checks the asynchronous events of a run: exactly those of the broken connections. */
final class EventCheck {
    private final RunReport report;
    private final List<AsyncEvent> left = new ArrayList<>();

    EventCheck(RunReport report) {
        this.report = report;
    }

    /** Takes all events of a host. */
    void collect(SimHost host) {
        for (AsyncEvent event = event(host); event != null; event = event(host)) {
            host.context().acknowledgeAsyncEvent(event);
            if (event.type() != EventType.COMM_EST) {
                left.add(event);
            }
        }
    }

    private static @Nullable AsyncEvent event(SimHost host) {
        try {
            return host.context().getAsyncEvent(Duration.ZERO);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /**
     * Removes the events that a connection may have raised and reports missing ones. {@link #finish} reports the rest.
     */
    void check(FaultyConnection line) {
        for (DirectionModel direction : line.directions()) {
            SimEndpoint end = direction.targetEnd();
            for (ProtocolViolation violation : ProtocolViolation.values()) {
                EventType type = violation.event();
                long told = direction.initiator().punished().stream()
                        .filter(violation::equals)
                        .count();
                for (int i = 0; type != null && i < told; i++) {
                    take(end, end.target(), type, true);
                }
            }
            // The response may have been lost with the connection; then only the peer has seen the violation.
            for (Step step : direction.program().steps()) {
                ProtocolViolation violation = step.violation();
                EventType type = violation == null ? null : violation.event();
                if (type != null) {
                    take(end, end.target(), type, false);
                }
            }
            SharedQueue shared = end.shared();
            for (int i = 0; shared != null && shared.xrcCq() == null && i < line.closes(); i++) {
                take(end, end.target(), EventType.QP_LAST_WQE_REACHED, true);
            }
        }
    }

    private void take(SimEndpoint end, QueuePair qp, EventType type, boolean due) {
        for (AsyncEvent event : left) {
            if (event.type() == type && Objects.equals(event.queuePair(), qp)) {
                left.remove(event);
                return;
            }
        }
        if (due) {
            report.violation("%s: event %s is missing".formatted(end, type));
        }
    }

    /** Reports events that no connection explains; all connections have been checked. */
    void finish() {
        left.forEach(event -> report.violation("event %s of no object".formatted(event)));
    }
}
