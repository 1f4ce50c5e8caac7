package io.rdma4j.rxe;

import io.rdma4j.net.ip.IpStack;

/** The timers of the IP layer below a port, among those of the port. */
final class StackTimer extends Timed {
    private final IpStack stack;

    StackTimer(IpStack stack) {
        this.stack = stack;
    }

    @Override
    long nextDeadlineNs() {
        return stack.nextDeadlineNs();
    }

    @Override
    void onDeadline(long nowNs) {
        stack.onTimeout(nowNs);
    }
}
