package io.rdma4j.testing.sim;

import io.rdma4j.base.Deadline;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.CompletionCursor;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.WorkCompletion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Random programs on several connections between two hosts, and the polls that feed them. */
final class Programs implements Activity {
    private static final int MAX_POLL = 20;

    private final List<Line> lines;
    private final List<SharedWords> words;
    private final SplittableRandom random;
    private final Report report;

    /** @param words of all hosts */
    Programs(List<Line> lines, List<SharedWords> words, SplittableRandom random, Report report) {
        this.lines = lines;
        this.words = words;
        this.random = random;
        this.report = report;
    }

    @Override
    public boolean act(long nowNs) {
        boolean acted = false;
        for (Line line : lines) {
            acted |= poll(line, line.first());
            acted |= poll(line, line.other());
        }
        for (Line line : lines) {
            acted |= line.act(nowNs);
        }
        if (!acted) {
            lines.forEach(Line::checkCausality);
        }
        return acted;
    }

    private boolean poll(Line line, Endpoint at) {
        boolean polled = poll(line, at, at.receiveCq());
        if (at.sendCq() != at.receiveCq()) {
            polled |= poll(line, at, at.sendCq());
        }
        return polled;
    }

    private boolean poll(Line line, Endpoint at, CompletionQueue cq) {
        int max = random.nextInt(1, MAX_POLL + 1);
        List<WorkCompletion> completions = random.nextBoolean() ? cq.poll(max) : pollByCursor(cq, max);
        completions.forEach(wc -> line.onCompletion(at, wc));
        return !completions.isEmpty();
    }

    private static List<WorkCompletion> pollByCursor(CompletionQueue cq, int max) {
        List<WorkCompletion> completions = new ArrayList<>();
        try (CompletionCursor cursor = cq.startPoll()) {
            while (completions.size() < max && cursor.next()) {
                completions.add(WorkCompletion.of(cursor));
            }
        }
        return completions;
    }

    @Override
    public long nextActionNs() {
        long nextNs = Deadline.NEVER;
        for (Line line : lines) {
            nextNs = Deadline.earlier(nextNs, line.nextActionNs());
        }
        return nextNs;
    }

    @Override
    public boolean isDone() {
        return lines.stream().allMatch(Line::isDone);
    }

    @Override
    public int steps() {
        return lines.stream().mapToInt(Line::returned).sum();
    }

    @Override
    public int achieved() {
        return lines.stream().mapToInt(Line::steps).sum();
    }

    @Override
    public void checkEnd() {
        for (Line line : lines) {
            line.lanes().forEach(Lane::checkMemory);
            checkEndpoint(line.first());
            checkEndpoint(line.other());
        }
        words.forEach(all -> all.check(report));
    }

    private void checkEndpoint(Endpoint endpoint) {
        QpState state = endpoint.qp().state();
        if (state != QpState.RTS) {
            report.violation("%s is in %s".formatted(endpoint, state));
        }
        for (AsyncEvent event = event(endpoint); event != null; event = event(endpoint)) {
            endpoint.host().context().acknowledgeAsyncEvent(event);
            if (event.type() != EventType.COMM_EST) {
                report.violation("%s: event %s".formatted(endpoint, event));
            }
        }
    }

    private static @Nullable AsyncEvent event(Endpoint endpoint) {
        try {
            return endpoint.host().context().getAsyncEvent(Duration.ZERO);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    @Override
    public String toString() {
        return lines.stream().map(Line::toString).collect(Collectors.joining("; "));
    }
}
