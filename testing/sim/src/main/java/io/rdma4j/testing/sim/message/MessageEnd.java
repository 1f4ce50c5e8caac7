// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.message;

import io.rdma4j.base.Deadline;
import io.rdma4j.testing.sim.world.Activity;
import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.testing.sim.world.SimHost;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.List;

/**
 * One end of a connection with messages in both directions: a sender, a receiver, and the polls of their completion
 * queues. As an activity of its own it is prompt: it polls all completions and posts all it can in each call.
 */
public final class MessageEnd implements Activity {
    /** As many completions as both queues of a prompt application hold. */
    private static final int ALL = 1 << 6;

    private final SimEndpoint endpoint;
    private final Sender sender;
    private final Receiver receiver;
    private final RunReport report;

    MessageEnd(SimEndpoint endpoint, Sender sender, Receiver receiver, RunReport report) {
        this.endpoint = endpoint;
        this.sender = sender;
        this.receiver = receiver;
        this.report = report;
    }

    /** Polls some completions of a queue. */
    interface Poll {
        List<WorkCompletion> some(CompletionQueue cq);
    }

    @Override
    public boolean act(long nowNs) {
        boolean polled = poll(MessageEnd::all);
        return post(nowNs) || polled;
    }

    static List<WorkCompletion> all(CompletionQueue cq) {
        return cq.poll(ALL);
    }

    boolean poll(Poll poll) {
        boolean polled = handle(poll.some(endpoint.receiveCq()));
        if (endpoint.sendCq() != endpoint.receiveCq()) {
            polled |= handle(poll.some(endpoint.sendCq()));
        }
        return polled;
    }

    private boolean handle(List<WorkCompletion> completions) {
        for (WorkCompletion wc : completions) {
            if ((wc.wrId() & Receiver.WR_ID_MARK) != 0) {
                receiver.onCompletion(wc);
            } else {
                sender.onCompletion(wc);
            }
        }
        return !completions.isEmpty();
    }

    boolean post(long nowNs) {
        boolean posted = receiver.act(nowNs);
        return sender.act(nowNs) || posted;
    }

    /** Checks that no send completed before the other end received its message. */
    void checkCausality(MessageEnd peer) {
        int completed = sender.completed();
        int received = peer.receiver.received();
        if (completed > received) {
            report.violation("%s: %d sends completed, but the peer has received only %d messages"
                    .formatted(endpoint, completed, received));
        }
    }

    @Override
    public long nextActionNs() {
        return Deadline.earlier(receiver.nextActionNs(), sender.nextActionNs());
    }

    @Override
    public boolean isEventDriven() {
        return true;
    }

    @Override
    public List<SimHost> hosts() {
        return List.of(endpoint.host());
    }

    @Override
    public boolean isDone() {
        return sender.isDone() && receiver.isDone();
    }

    /** Number of messages received. */
    @Override
    public int achieved() {
        return receiver.received();
    }

    @Override
    public int steps() {
        return receiver.received() + sender.completed();
    }

    @Override
    public void checkEnd() {
        QpState state = endpoint.qp().state();
        if (state != QpState.RTS) {
            report.violation("%s is in %s".formatted(endpoint, state));
        }
    }

    @Override
    public String toString() {
        return sender + ", " + receiver;
    }
}
