// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.base.Deadline;
import io.rdma4j.testing.sim.world.Activity;
import io.rdma4j.testing.sim.world.Polling;
import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.SharedQueue;
import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * Random programs on several connections between two hosts, the queues that they share, and the polls of their
 * completion queues.
 */
final class Programs implements Activity {
    /** One end of a connection. */
    private record Side(FaultyConnection line, SimEndpoint end) {}

    /** The number of a queue pair is unique in its host only. */
    private record QpName(int host, int qpn) {}

    /** A completion queue and the index of its host. */
    private record Source(int host, CompletionQueue cq) {}

    private final List<FaultyConnection> lines;
    private final List<ReceiveSlots> sharedSlots;
    private final List<SharedWords> words;
    private final SplittableRandom random;
    private final RunReport report;
    private final Map<QpName, Side> sides = new HashMap<>();
    private final Set<Source> sources = new LinkedHashSet<>();

    /**
     * @param shared shared receive queues of the connections
     * @param sharedSlots receives posted to them
     * @param words of all hosts
     */
    Programs(
            List<FaultyConnection> lines,
            List<SharedQueue> shared,
            List<ReceiveSlots> sharedSlots,
            List<SharedWords> words,
            SplittableRandom random,
            RunReport report) {
        this.lines = lines;
        this.sharedSlots = sharedSlots;
        this.words = words;
        this.random = random;
        this.report = report;
        for (FaultyConnection line : lines) {
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
        for (FaultyConnection line : lines) {
            acted |= line.act(nowNs);
        }
        if (!acted) {
            lines.forEach(FaultyConnection::checkCausality);
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
        for (FaultyConnection line : lines) {
            nextNs = Deadline.earlier(nextNs, line.nextActionNs());
        }
        return nextNs;
    }

    @Override
    public boolean isDone() {
        return lines.stream().allMatch(FaultyConnection::isDone);
    }

    @Override
    public int steps() {
        return lines.stream().mapToInt(FaultyConnection::returned).sum();
    }

    @Override
    public int achieved() {
        return lines.stream().mapToInt(FaultyConnection::steps).sum();
    }

    @Override
    public void checkEnd() {
        EventCheck events = new EventCheck(report);
        for (FaultyConnection line : lines) {
            line.directions().forEach(DirectionModel::checkEnd);
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

    private void checkStates(SimEndpoint endpoint) {
        for (QueuePair qp : endpoint.queuePairs()) {
            if (qp.state() != QpState.RTS) {
                report.violation("%s is in %s".formatted(endpoint, qp.state()));
            }
        }
    }

    @Override
    public String toString() {
        return lines.stream().map(FaultyConnection::toString).collect(Collectors.joining("; "));
    }
}
