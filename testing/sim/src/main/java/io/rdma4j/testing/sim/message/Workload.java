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
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * Messages in both directions of one connection: a sender and a receiver at each end, and the polls of their completion
 * queues.
 */
public final class Workload implements Activity {
    private static final int PURPOSE = 2;

    /** As many completions as both queues of a prompt application hold. */
    private static final int ALL = 1 << 6;

    private final List<Side> sides;
    private final SplittableRandom random;
    private final RunReport report;
    private final boolean prompt;

    /** @param peer receiver of the messages that {@code sender} sends */
    private record Side(SimEndpoint endpoint, Sender sender, Receiver receiver, Receiver peer) {}

    /**
     * The endpoints are connected, or will be before the simulation runs.
     *
     * @param startNs time before which no message is sent
     */
    Workload(SimEndpoint a, SimEndpoint b, SimScenario scenario, int mtuBytes, long startNs, RunReport report) {
        SplittableRandom seeds = Seeds.stream(scenario.seed(), PURPOSE);
        MessagePlan fromA = new MessagePlan(seeds.nextLong(), scenario, mtuBytes, a.capabilities());
        MessagePlan fromB = new MessagePlan(seeds.nextLong(), scenario, mtuBytes, b.capabilities());
        Receiver toA = new Receiver(a, fromB, seeds.nextLong(), report);
        Receiver toB = new Receiver(b, fromA, seeds.nextLong(), report);
        sides = List.of(
                new Side(a, new Sender(a, fromA, seeds.nextLong(), startNs, report), toA, toB),
                new Side(b, new Sender(b, fromB, seeds.nextLong(), startNs, report), toB, toA));
        random = seeds.split();
        this.report = report;
        this.prompt = scenario.prompt();
    }

    @Override
    public boolean act(long nowNs) {
        boolean acted = false;
        for (Side side : sides) {
            acted |= poll(side);
        }
        for (Side side : sides) {
            acted |= side.receiver().act(nowNs);
            acted |= side.sender().act(nowNs);
        }
        if (!acted) {
            checkCausality();
        }
        return acted;
    }

    /** Checks, after all completions are polled, that no send completed before its message was received. */
    private void checkCausality() {
        for (Side side : sides) {
            int completed = side.sender().completed();
            int received = side.peer().received();
            if (completed > received) {
                report.violation("%s: %d sends completed, but the peer has received only %d messages"
                        .formatted(side.endpoint(), completed, received));
            }
        }
    }

    @Override
    public long nextActionNs() {
        long nextNs = Deadline.NEVER;
        for (Side side : sides) {
            nextNs = Deadline.earlier(nextNs, side.receiver().nextActionNs());
            nextNs = Deadline.earlier(nextNs, side.sender().nextActionNs());
        }
        return nextNs;
    }

    /** A prompt application polls all completions and posts all it can in each call. */
    @Override
    public boolean isEventDriven() {
        return prompt;
    }

    @Override
    public List<SimHost> hosts() {
        return sides.stream().map(side -> side.endpoint().host()).toList();
    }

    private boolean poll(Side side) {
        SimEndpoint endpoint = side.endpoint();
        boolean polled = poll(side, endpoint.receiveCq());
        if (endpoint.sendCq() != endpoint.receiveCq()) {
            polled |= poll(side, endpoint.sendCq());
        }
        return polled;
    }

    private boolean poll(Side side, CompletionQueue cq) {
        List<WorkCompletion> completions = prompt ? cq.poll(ALL) : Polling.some(cq, random);
        for (WorkCompletion wc : completions) {
            if ((wc.wrId() & Receiver.WR_ID_MARK) != 0) {
                side.receiver().onCompletion(wc);
            } else {
                side.sender().onCompletion(wc);
            }
        }
        return !completions.isEmpty();
    }

    @Override
    public boolean isDone() {
        for (Side side : sides) {
            if (!side.sender().isDone() || !side.receiver().isDone()) {
                return false;
            }
        }
        return true;
    }

    /** Number of messages received in both directions together. */
    @Override
    public int achieved() {
        return sides.stream().mapToInt(side -> side.receiver().received()).sum();
    }

    @Override
    public int steps() {
        int steps = 0;
        for (Side side : sides) {
            steps += side.receiver().received() + side.sender().completed();
        }
        return steps;
    }

    @Override
    public void checkEnd() {
        for (Side side : sides) {
            QpState state = side.endpoint().qp().state();
            if (state != QpState.RTS) {
                report.violation("%s is in %s".formatted(side.endpoint(), state));
            }
        }
    }

    @Override
    public String toString() {
        return sides.stream()
                .map(side -> side.sender() + ", " + side.receiver())
                .collect(Collectors.joining("; "));
    }
}
