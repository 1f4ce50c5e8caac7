package io.rdma4j.rxe;

import io.rdma4j.net.ip.NeighbourTable;

/** The timers of the neighbours on a port's link, among those of the port. */
final class NeighbourTimer extends Timed {
    private final NeighbourTable neighbours;

    NeighbourTimer(NeighbourTable neighbours) {
        this.neighbours = neighbours;
    }

    @Override
    long nextDeadlineNs() {
        return neighbours.nextDeadlineNs();
    }

    @Override
    void onDeadline(long nowNs) {
        neighbours.onTimeout(nowNs);
    }
}
