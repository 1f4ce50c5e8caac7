// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib.umad2sim;

import io.rdma4j.base.Deadline;
import io.rdma4j.sm.SmState;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.sm.admin.SubnetAdministrator;
import io.rdma4j.sm.sweep.SubnetManager;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.Rmpp;
import io.rdma4j.wire.mad.RmppType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.PortUnreachableException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Runs a {@link SubnetManager} and its {@link SubnetAdministrator} at a node of ibsim, or of another server of the
 * umad2sim protocol, by a thread of its own. Any thread.
 *
 * <p>The protocol has no segments: of an answer with many records programs get those of the first datagram.
 */
public final class SimulatorManager implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(SimulatorManager.class.getName());
    private static final long NS_PER_MS = 1_000_000;
    private static final long MAX_WAIT_MS = 1_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Thread thread =
            Thread.ofPlatform().daemon().name("subnet-manager").unstarted(this::run);
    private final SimulatorPort port;
    private volatile boolean isClosed;
    private volatile boolean hasEnded;

    // Guarded by the lock.
    private final SubnetManager manager;
    private final SubnetAdministrator administrator;

    /** Tables of which the first segment was sent; the others are not. */
    private final Queue<CutTable> cutTables = new ArrayDeque<>();

    private record CutTable(MemorySegment stop, int lid, int qpn) {}

    /**
     * Creates a manager and begins a sweep.
     *
     * @param port which belongs to the manager until it is closed
     * @param options of the subnet
     * @throws IOException if the simulator has ended
     */
    public SimulatorManager(SimulatorPort port, SubnetOptions options) throws IOException {
        this.port = port;
        this.manager = new SubnetManager(this::sendManagement, options, port.guid());
        this.administrator = new SubnetAdministrator(manager, this::sendGeneral);
        port.manager(true);
        thread.start();
        sweep();
    }

    // State

    /** {@return the state among the managers of the subnet} */
    public SmState state() {
        return locked(manager::state);
    }

    /** {@return true for a master whose last sweep ended without an unanswered or rejected request} */
    public boolean isUp() {
        return locked(manager::isUp);
    }

    /** {@return number of heavy sweeps that have begun} */
    public int sweeps() {
        return locked(manager::sweeps);
    }

    /** {@return number of datagrams that the manager has sent} */
    public long datagramsSent() {
        return locked(manager::datagramsSent);
    }

    /** {@return a line for each node, port and LID of the last sweep} */
    public List<String> describe() {
        return locked(manager::describe);
    }

    /** {@return true if the simulator has ended, and with it the work of the manager} */
    public boolean hasEnded() {
        return hasEnded;
    }

    /** Begins a heavy sweep, or another one after the present one. */
    public void sweep() {
        locked(() -> {
            manager.sweep(System.nanoTime());
            return manager;
        });
        port.wake();
    }

    private <T> T locked(Supplier<T> operation) {
        lock.lock();
        try {
            return operation.get();
        } finally {
            lock.unlock();
        }
    }

    // The thread of the manager

    private void run() {
        try {
            while (!isClosed) {
                port.await(locked(this::advance));
                receive();
            }
        } catch (IOException e) {
            end(e);
        } catch (UncheckedIOException e) {
            end(Objects.requireNonNull(e.getCause()));
        }
    }

    private void end(IOException reason) {
        hasEnded = true;
        boolean isGone = reason instanceof PortUnreachableException;
        LOG.log(isGone ? System.Logger.Level.DEBUG : System.Logger.Level.ERROR, "the simulator has ended", reason);
    }

    /** Does what is due; returns the milliseconds until something else is. */
    private long advance() {
        long nowNs = System.nanoTime();
        manager.advance(nowNs);
        administrator.advance(nowNs);
        long next = Deadline.earlier(manager.nextNs(), administrator.nextNs());
        return next == Deadline.NEVER
                ? MAX_WAIT_MS
                : Math.clamp((next - nowNs + NS_PER_MS - 1) / NS_PER_MS, 1, MAX_WAIT_MS);
    }

    private void receive() throws IOException {
        while (true) {
            MemorySegment message = port.receive();
            if (message == null) {
                return;
            }
            if (DatagramMessage.status(message) == 0) { // otherwise a lost request, which its timer repeats
                locked(() -> take(message));
            }
        }
    }

    private boolean take(MemorySegment message) {
        long nowNs = System.nanoTime();
        MemorySegment mad = DatagramMessage.mad(message);
        int lid = DatagramMessage.sourceLid(message);
        MadClass mgmtClass = MadClass.of(Mad.MGMT_CLASS.getInt(mad, 0));
        boolean isTaken = mgmtClass != null
                && (mgmtClass.isManagement()
                        ? manager.receive(mad, 0, lid, nowNs)
                        : administrator.receive(mad, 0, lid, DatagramMessage.sourceQpn(message), nowNs));
        while (true) {
            CutTable cut = cutTables.poll();
            if (cut == null) {
                return isTaken;
            }
            administrator.receive(cut.stop(), 0, cut.lid(), cut.qpn(), nowNs);
        }
    }

    // From manager and administrator, with the lock

    private void sendManagement(MemorySegment mad, int lid) {
        try {
            port.sendManagement(mad, lid);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void sendGeneral(MemorySegment mad, int lid, int qpn) {
        try {
            port.sendGeneral(mad, lid, qpn);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (DatagramMessage.isSegment(mad)) {
            cutTables.add(new CutTable(stopOf(mad), lid, qpn));
        }
    }

    /** Returns the answer of a receiver that wants no more segments. */
    private static MemorySegment stopOf(MemorySegment segment) {
        MemorySegment stop = MemorySegment.ofArray(new byte[Mad.BYTES]).copyFrom(segment);
        Rmpp.TYPE.put(stop, Rmpp.OFFSET, RmppType.STOP.code());
        return stop;
    }

    /** Ends the manager; the subnet stays as it is. Idempotent. */
    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        port.wake();
        try {
            thread.join();
            if (!hasEnded) {
                port.manager(false);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
