package io.rdma4j.testing.sim;

import io.rdma4j.testing.sim.World.End;
import java.util.concurrent.TimeUnit;

/** Lets an activity run to its end, or to the first violation, and adds up. */
final class RunLoop {
    /** Far more than the longest timers take, whatever the network does. */
    private static final long TIME_LIMIT_NS = TimeUnit.HOURS.toNanos(10);

    private final World world;
    private final Activity activity;
    private final Report report;
    private final long patiencePackets;
    private int lastSteps;
    private long sentThen;

    /** @param patiencePackets so many packets without a single request that comes back are going in circles */
    RunLoop(World world, Activity activity, Report report, long patiencePackets) {
        this.world = world;
        this.activity = activity;
        this.report = report;
        this.patiencePackets = patiencePackets;
    }

    RunResult run(Scenario scenario) {
        world.addActor(activity);
        work();
        if (report.isClean()) {
            settle();
        }
        return RunResult.of(scenario, world, report, activity.achieved());
    }

    private void work() {
        try {
            End end = world.run(() -> activity.isDone() || !report.isClean() || isStuck(), TIME_LIMIT_NS);
            if (report.isClean() && !activity.isDone()) {
                String reason = end == End.FINISHED ? "packets went to and fro for nothing" : "it ended in " + end;
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
        return sent - sentThen > patiencePackets;
    }

    /** Everything has been delivered: what is still under way must come to nothing, and nothing may be left behind. */
    private void settle() {
        End end = world.run(() -> !report.isClean(), TIME_LIMIT_NS);
        if (end != End.IDLE) {
            report.violation("all messages arrived, and yet there is no end: %s".formatted(end));
            return;
        }
        activity.checkEnd();
        if (world.buffersInUse() != 0) {
            report.violation("%d packet buffers were lost".formatted(world.buffersInUse()));
        }
    }
}
