// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.message;

import io.rdma4j.base.Deadline;
import io.rdma4j.testing.sim.SimScenario;
import io.rdma4j.testing.sim.world.Activity;
import io.rdma4j.testing.sim.world.Polling;
import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.Seeds;
import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.testing.sim.world.SimHost;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/** Messages in both directions of one connection. */
public final class Workload implements Activity {
    private static final int PURPOSE = 2;

    private final MessageEnd a;
    private final MessageEnd b;
    private final List<MessageEnd> ends;
    private final SplittableRandom random;
    private final boolean prompt;

    /**
     * The endpoints are connected, or will be before the simulation runs.
     *
     * @param startNs time before which no message is sent
     */
    Workload(SimEndpoint a, SimEndpoint b, SimScenario scenario, int mtuBytes, long startNs, RunReport report) {
        SplittableRandom seeds = Seeds.stream(scenario.seed(), PURPOSE);
        MessagePlan fromA = new MessagePlan(seeds.nextLong(), scenario, mtuBytes, a.capabilities());
        MessagePlan fromB = new MessagePlan(seeds.nextLong(), scenario, mtuBytes, b.capabilities());
        RunReport ofA = report.of(a.host());
        RunReport ofB = report.of(b.host());
        Receiver toA = new Receiver(a, fromB, seeds.nextLong(), ofA);
        Receiver toB = new Receiver(b, fromA, seeds.nextLong(), ofB);
        this.a = new MessageEnd(a, new Sender(a, fromA, seeds.nextLong(), startNs, ofA), toA, ofA);
        this.b = new MessageEnd(b, new Sender(b, fromB, seeds.nextLong(), startNs, ofB), toB, ofB);
        ends = List.of(this.a, this.b);
        random = seeds.split();
        prompt = scenario.prompt();
    }

    /** Both ends, each an activity of its own in place of this one; {@link #checkCausality} is the caller's then. */
    public List<MessageEnd> ends() {
        return ends;
    }

    @Override
    public boolean act(long nowNs) {
        boolean acted = false;
        for (MessageEnd end : ends) {
            acted |= prompt ? end.poll(MessageEnd::all) : end.poll(cq -> Polling.some(cq, random));
        }
        for (MessageEnd end : ends) {
            acted |= end.post(nowNs);
        }
        if (!acted) {
            checkCausality();
        }
        return acted;
    }

    /** Checks, after all completions are polled, that no send completed before its message was received. */
    public void checkCausality() {
        a.checkCausality(b);
        b.checkCausality(a);
    }

    @Override
    public long nextActionNs() {
        return Deadline.earlier(a.nextActionNs(), b.nextActionNs());
    }

    /** A prompt application polls all completions and posts all it can in each call. */
    @Override
    public boolean isEventDriven() {
        return prompt;
    }

    @Override
    public List<SimHost> hosts() {
        return ends.stream().flatMap(end -> end.hosts().stream()).toList();
    }

    @Override
    public boolean isDone() {
        return a.isDone() && b.isDone();
    }

    /** Number of messages received in both directions together. */
    @Override
    public int achieved() {
        return a.achieved() + b.achieved();
    }

    @Override
    public int steps() {
        return a.steps() + b.steps();
    }

    @Override
    public void checkEnd() {
        ends.forEach(MessageEnd::checkEnd);
    }

    @Override
    public String toString() {
        return ends.stream().map(MessageEnd::toString).collect(Collectors.joining("; "));
    }
}
