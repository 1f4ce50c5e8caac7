package io.rdma4j.testing.sim;

import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.QueuePair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Looks at the asynchronous events of a run, which must be those of connections that were broken, and no others. */
final class EventCheck {
    private final Report report;
    private final List<AsyncEvent> left = new ArrayList<>();

    EventCheck(Report report) {
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

    /** Takes out what a connection may have raised, and says what is missing; what is left then is too much. */
    void check(Line line) {
        for (Lane lane : line.lanes()) {
            Endpoint end = lane.targetEnd();
            for (Crime crime : Crime.values()) {
                EventType type = crime.event();
                long told = lane.initiator().punished().stream()
                        .filter(crime::equals)
                        .count();
                for (int i = 0; type != null && i < told; i++) {
                    take(end, end.target(), type, true);
                }
            }
            // An answer may have been lost with the connection: then only the peer knows of the crime.
            for (Step step : lane.program().steps()) {
                Crime crime = step.crime();
                EventType type = crime == null ? null : crime.event();
                if (type != null) {
                    take(end, end.target(), type, false);
                }
            }
            SharedQueue shared = end.shared();
            for (int i = 0; shared != null && shared.xrcCq() == null && i < line.deaths(); i++) {
                take(end, end.target(), EventType.QP_LAST_WQE_REACHED, true);
            }
        }
    }

    private void take(Endpoint end, QueuePair qp, EventType type, boolean due) {
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

    /** All connections have been looked at. */
    void finish() {
        left.forEach(event -> report.violation("event %s of nobody".formatted(event)));
    }
}
