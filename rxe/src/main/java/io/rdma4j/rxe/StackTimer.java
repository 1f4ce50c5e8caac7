package io.rdma4j.rxe;

import io.rdma4j.net.ip.IpStack;
import io.rdma4j.net.loop.Timed;

/** The timers of the IP layer below a port, among those of the port. */
final class StackTimer extends Timed {
    private final IpStack stack;

    StackTimer(IpStack stack) {
        this.stack = stack;
    }

    @Override
    protected long nextDeadlineNs() {
        return stack.nextDeadlineNs();
    }

    @Override
    protected void onDeadline(long nowNs) {
        stack.onTimeout(nowNs);
    }
}
