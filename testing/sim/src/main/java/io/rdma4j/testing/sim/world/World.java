// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.base.Deadline;
import io.rdma4j.links.LinkStats;
import io.rdma4j.rxe.RxePort;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;

/**
 * Hosts, the network between them, applications, and time, which advances from event to event. The same seed gives the
 * same run, bit for bit. The subclass defines the network, and the {@link Cell}s that the hosts are in. One thread.
 */
public abstract sealed class World implements AutoCloseable permits Simulation, TopologyWorld {
    private final VirtualClock clock;
    private final List<Cell> cells = new ArrayList<>();
    private final List<SimHost> hosts = new ArrayList<>();

    /** The cell of each host. */
    private final List<Cell> hostCells = new ArrayList<>();

    /** @param originNs initial value of the clock */
    World(long originNs) {
        clock = new VirtualClock(originNs);
    }

    /** The time: that of all hosts, or of the last event in any cell at the end of {@link #run}. */
    public final VirtualClock clock() {
        return clock;
    }

    /** @param time that of this object if there is one cell only */
    final Cell addCell(VirtualClock time, EventTrace trace, Arrivals arrivals) {
        Cell cell = new Cell(time, trace, arrivals);
        cells.add(cell);
        return cell;
    }

    /** Adds a host; this object closes it at the end. */
    final WorldLoop add(SimHost host, Cell cell) {
        hosts.add(host);
        hostCells.add(cell);
        return cell.add(host.port().loop(), host);
    }

    final List<Cell> cells() {
        return cells;
    }

    /** The hosts in the order in which they were added. */
    public final List<SimHost> hosts() {
        return hosts;
    }

    /** Adds an application of hosts in one cell. */
    public final void addActor(Actor actor) {
        List<SimHost> own = actor.hosts();
        List<Cell> concerned =
                own.isEmpty() ? cells : own.stream().map(this::cell).distinct().toList();
        if (concerned.size() != 1) {
            throw new IllegalArgumentException(actor + " concerns hosts of " + concerned.size() + " cells");
        }
        concerned.getFirst().add(actor);
    }

    private Cell cell(SimHost host) {
        return hostCells.get(host.index());
    }

    /** Gives a host and its applications a turn now, because another application has changed what they do. */
    public final void wake(SimHost host) {
        cell(host).wake(host);
    }

    /** Returns an empty report of the applications of all hosts. */
    public final RunReport report() {
        Cell only = cells.getFirst();
        return cells.size() == 1
                ? new RunReport(clock, only.trace())
                : new RunReport(
                        clock,
                        only.trace(),
                        hostCells.stream()
                                .map(cell -> new RunReport(cell.clock(), cell.trace()))
                                .toList());
    }

    /** The events of each cell. */
    final List<EventTrace> traces() {
        return cells.stream().map(Cell::trace).toList();
    }

    /** Numbers of delivered, lost and changed packets of all links. */
    abstract LinkStats linkStats();

    /** Packet buffers in use between the hosts. */
    abstract int buffersUnderWay();

    /**
     * Runs until {@code finished} is true, or until no event is left, for {@code limitNs} at most.
     *
     * @param finished called after every step, and once more after it returned true
     */
    public final RunEnd run(BooleanSupplier finished, long limitNs) {
        cells.forEach(Cell::wakeAll);
        return runUntil(finished, Deadline.after(clock.nanoTime(), limitNs));
    }

    /** Runs the cells until a time. */
    RunEnd runUntil(BooleanSupplier finished, long endNs) {
        return cells.getFirst().run(finished, endNs);
    }

    /** Packets that the hosts have sent up to their last turns, including retransmissions and responses. */
    final long sent() {
        long sent = 0;
        for (Cell cell : cells) {
            sent += cell.sent();
        }
        return sent;
    }

    /** Sums up a counter of the ports of all hosts. */
    final long sum(ToLongFunction<RxePort> counter) {
        long sum = 0;
        for (SimHost host : hosts) {
            sum += counter.applyAsLong(host.port());
        }
        return sum;
    }

    /** Packet buffers in use on the hosts and between them; 0 in an idle network that has lost no buffer. */
    public final int buffersInUse() {
        return buffersUnderWay() + (int) sum(RxePort::buffersInUse);
    }

    /** Closes the hosts. Their users have closed their verbs objects before. */
    @Override
    public void close() {
        hosts.forEach(SimHost::close);
    }
}
