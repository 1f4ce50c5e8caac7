package io.rdma4j.testing.sim;

import io.rdma4j.base.Deadline;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.WorkCompletion;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/** Random programs on several connections between two hosts, the queues that they share, and the polls that feed them. */
final class Programs implements Activity {
    /** A connection, and which end of it. */
    private record Side(Line line, Endpoint end) {}

    /** Queue pairs have their numbers from their host. */
    private record QpName(int host, int qpn) {}

    /** A completion queue and whose it is. */
    private record Source(int host, CompletionQueue cq) {}

    private final List<Line> lines;
    private final List<ReceiveSlots> sharedSlots;
    private final List<SharedWords> words;
    private final SplittableRandom random;
    private final Report report;
    private final Map<QpName, Side> sides = new HashMap<>();
    private final Set<Source> sources = new LinkedHashSet<>();

    /**
     * @param shared queues that several connections draw from
     * @param sharedSlots what is posted to them
     * @param words of all hosts
     */
    Programs(
            List<Line> lines,
            List<SharedQueue> shared,
            List<ReceiveSlots> sharedSlots,
            List<SharedWords> words,
            SplittableRandom random,
            Report report) {
        this.lines = lines;
        this.sharedSlots = sharedSlots;
        this.words = words;
        this.random = random;
        this.report = report;
        for (Line line : lines) {
            add(new Side(line, line.first()));
            add(new Side(line, line.other()));
        }
        for (SharedQueue queue : shared) {
            CompletionQueue cq = queue.xrcCq();
            if (cq != null) {
                sources.add(new Source(queue.host().index(), cq));
            }
        }
    }

    private void add(Side side) {
        int host = side.end().host().index();
        for (QueuePair qp : side.end().queuePairs()) {
            sides.put(new QpName(host, qp.qpn()), side);
        }
        sources.add(new Source(host, side.end().receiveCq()));
        sources.add(new Source(host, side.end().sendCq()));
    }

    @Override
    public boolean act(long nowNs) {
        boolean acted = false;
        for (Source source : sources) {
            acted |= poll(source);
        }
        for (ReceiveSlots slots : sharedSlots) {
            acted |= slots.act(nowNs);
        }
        for (Line line : lines) {
            acted |= line.act(nowNs);
        }
        if (!acted) {
            lines.forEach(Line::checkCausality);
        }
        return acted;
    }

    private boolean poll(Source source) {
        List<WorkCompletion> completions = Polling.some(source.cq(), random);
        for (WorkCompletion wc : completions) {
            Side side = sides.get(new QpName(source.host(), wc.qpNumber()));
            if (side == null) {
                report.violation("host%d: completion of an unknown queue pair: %s".formatted(source.host(), wc));
            } else {
                side.line().onCompletion(side.end(), wc);
            }
        }
        return !completions.isEmpty();
    }

    @Override
    public long nextActionNs() {
        long nextNs = Deadline.NEVER;
        for (ReceiveSlots slots : sharedSlots) {
            nextNs = Deadline.earlier(nextNs, slots.nextActionNs());
        }
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
        EventCheck events = new EventCheck(report);
        for (Line line : lines) {
            line.lanes().forEach(Lane::checkEnd);
            checkStates(line.first());
            checkStates(line.other());
            events.collect(line.first().host());
            events.collect(line.other().host());
        }
        lines.forEach(events::check);
        events.finish();
        sharedSlots.forEach(ReceiveSlots::checkEnd);
        words.forEach(all -> all.check(report));
    }

    private void checkStates(Endpoint endpoint) {
        for (QueuePair qp : endpoint.queuePairs()) {
            if (qp.state() != QpState.RTS) {
                report.violation("%s is in %s".formatted(endpoint, qp.state()));
            }
        }
    }

    @Override
    public String toString() {
        return lines.stream().map(Line::toString).collect(Collectors.joining("; "));
    }
}
