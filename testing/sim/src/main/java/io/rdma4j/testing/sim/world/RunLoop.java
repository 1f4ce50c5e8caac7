// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.testing.sim.RunResult;
import io.rdma4j.testing.sim.SimScenario;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs an activity to its end, or to the first violation, and sums up the counters. */
public final class RunLoop {
    /** Longer than the longest timers, whatever the network does. */
    private static final long TIME_LIMIT_NS = TimeUnit.HOURS.toNanos(10);

    private final World world;
    private final Activity activity;
    private final RunReport report;
    private final long mostFruitless;
    private int lastSteps;
    private long sentThen;

    /** @param mostFruitless number of packets without a completed request after which the run is a livelock */
    public RunLoop(World world, Activity activity, RunReport report, long mostFruitless) {
        this.world = world;
        this.activity = activity;
        this.report = report;
        this.mostFruitless = mostFruitless;
    }

    public RunResult run(SimScenario scenario) {
        activity.actors().forEach(world::addActor);
        work();
        if (report.isClean()) {
            settle();
        }
        return result(scenario, world, report, activity.achieved());
    }

    private void work() {
        try {
            RunEnd end = world.run(() -> activity.isDone() || !report.isClean() || isStuck(), TIME_LIMIT_NS);
            if (report.isClean() && !activity.isDone()) {
                String reason = end == RunEnd.FINISHED ? "packets went to and fro for nothing" : "it ended in " + end;
                report.violation("the messages never arrived, %s: %s".formatted(reason, activity));
            }
        } catch (RuntimeException | AssertionError e) {
            report.violation("%s at %s".formatted(e, e.getStackTrace().length == 0 ? "?" : e.getStackTrace()[0]));
        }
    }

    private boolean isStuck() {
        long sent = world.sent();
        int steps = activity.steps();
        if (steps != lastSteps) {
            lastSteps = steps;
            sentThen = sent;
        }
        return sent - sentThen > mostFruitless;
    }

    /** Waits until no packet is in flight after all deliveries; nothing may be left. */
    private void settle() {
        RunEnd end = world.run(() -> !report.isClean(), TIME_LIMIT_NS);
        if (end != RunEnd.IDLE) {
            report.violation("all messages arrived, and yet there is no end: %s".formatted(end));
            return;
        }
        activity.checkEnd();
        if (world.buffersInUse() != 0) {
            report.violation("%d packet buffers were lost".formatted(world.buffersInUse()));
        }
    }

    /** Sums up the counters of all hosts. */
    public static RunResult result(SimScenario scenario, World world, RunReport report, int messages) {
        return new RunResult(
                scenario,
                messages,
                report.count(TraceKind.REVIVED),
                world.sent(),
                world.sum(port -> port.counters().retransmittedPackets),
                world.sum(port -> port.counters().receivedRnrNaks),
                world.sum(port -> port.counters().receivedSequenceNaks),
                world.sum(port -> port.droppedPackets()),
                world.linkStats(),
                world.clock().elapsedNs(),
                EventTrace.hash(world.traces()),
                report.violations(),
                report.isClean() ? List.of() : EventTrace.lines(world.traces()));
    }
}
