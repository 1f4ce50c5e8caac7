package io.rdma4j.rxe;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.SpinLock;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Who works for a device, and when: one thread at a time owns the loop, takes what arrived, fires timers, and sends.
 *
 * <p>Any thread that posts or polls tries to become the owner and does the work itself; if another one is at it, that one
 * sees the doorbell before it leaves. So a posted request is on its way when the post returns, nobody waits for a lock on
 * the data path, and no thread has to be woken. {@link LoopWatcher} sees to it that somebody comes when nobody posts or
 * polls. All state of queue pairs, tables and timers belongs to the owner.
 */
final class PortLoop {
    /** Packets a queue pair may send before the next one has its turn. */
    private static final int TRANSMIT_BUDGET = 64;

    /**
     * How long a thread polls in vain before it offers its CPU to others, at each further poll again. Two processes that spin
     * against each other on fewer CPUs than they need, or against the compiler of a JVM that has just started, would
     * otherwise take turns at the scheduler's tick, milliseconds apart; on a CPU of its own a yield returns at once.
     */
    private static final long SPIN_BEFORE_YIELD_NS = 20_000;

    /** Rounds of one visit: packets to the device itself come back within it. */
    private static final int MAX_ROUNDS = 16;

    private static final VarHandle RUNG;
    private static final VarHandle POLLS;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            RUNG = lookup.findVarHandle(PortLoop.class, "rung", LoopQp.class);
            POLLS = lookup.findVarHandle(PortLoop.class, "polls", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final RxePort port;
    private final NanoClock clock;
    private final ProgressMode mode;
    private final SpinLock owner = new SpinLock();
    private final DeadlineQueue deadlines = new DeadlineQueue();

    /** Stack of queue pairs whose doorbell was rung, linked by {@link LoopQp#nextRung}; any thread pushes. */
    @SuppressWarnings("unused") // through RUNG
    private volatile @Nullable LoopQp rung;

    /** Queue pairs with something to send, first come first served, linked by {@link LoopQp#nextReady}. */
    private @Nullable LoopQp firstReady;

    private @Nullable LoopQp lastReady;
    private int readyCount;

    private volatile long nextDeadlineNs = Deadline.NEVER;

    @SuppressWarnings("unused") // through POLLS
    private long polls;

    /** When somebody last was in the loop, and when there last was anything to do; hints for those who poll. */
    private long visitedNs;

    private long workedNs;

    PortLoop(RxePort port, NanoClock clock, ProgressMode mode) {
        this.port = port;
        this.clock = clock;
        this.mode = mode;
    }

    /** A queue pair has new work; any thread. Works on it at once if nobody else is in the loop. */
    void ring(LoopQp qp) {
        if (qp.markRung()) {
            LoopQp head;
            do {
                head = rung;
                qp.nextRung = head;
            } while (!RUNG.compareAndSet(this, head, qp));
        }
        if (mode == ProgressMode.AUTOMATIC) {
            work(false);
        }
    }

    /** A thread polls for completions: it works for the device instead of waiting. */
    void poll() {
        if (mode != ProgressMode.AUTOMATIC) {
            return;
        }
        POLLS.setOpaque(this, (long) POLLS.getOpaque(this) + 1);
        if (!work(true) && visitedNs - workedNs > SPIN_BEFORE_YIELD_NS) {
            Thread.yield();
        }
    }

    /** How often application threads polled; the watcher reads it. */
    long polls() {
        return (long) POLLS.getOpaque(this);
    }

    /**
     * Works if nobody else does; looks again if a doorbell was rung meanwhile, because its ringer has gone.
     *
     * @return true if anything was received or sent
     */
    boolean work(boolean receive) {
        boolean worked = false;
        while (owner.tryLock()) {
            try {
                worked |= guardedRounds(clock.nanoTime(), receive);
            } finally {
                owner.unlock();
            }
            VarHandle.fullFence();
            if (rung == null) {
                break;
            }
        }
        return worked;
    }

    /**
     * Does everything that is due at {@code nowNs}; for {@link ProgressMode#MANUAL}, where time is the caller's.
     *
     * @return true if anything was received or sent
     */
    boolean progress(long nowNs) {
        owner.lock();
        try {
            return guardedRounds(nowNs, true);
        } finally {
            owner.unlock();
        }
    }

    /** When {@link #progress} must be called at the latest, if no packet comes before; past if there is more to do. Any thread. */
    long nextDeadlineNs() {
        return nextDeadlineNs;
    }

    /** Runs an operation of the control path while nobody is in the loop. */
    <T> T exclusively(Supplier<T> operation) {
        T result;
        owner.lock();
        try {
            result = operation.get();
        } finally {
            owner.unlock();
        }
        // As in work(): the lock must be seen free before the doorbell is looked at.
        VarHandle.fullFence();
        if (rung != null && mode == ProgressMode.AUTOMATIC) {
            work(false);
        }
        return result;
    }

    /** {@link #exclusively(Supplier)} without a result. */
    void exclusively(Runnable operation) {
        exclusively(() -> {
            operation.run();
            return this;
        });
    }

    /** The deadline of something has changed; by the owner. */
    void schedule(Timed timed) {
        deadlines.update(timed);
    }

    /** Forgets something that waits for its deadline; by the owner. */
    void unschedule(Timed timed) {
        deadlines.remove(timed);
    }

    /** Forgets a queue pair; by the owner. */
    @SuppressWarnings("ReferenceEquality") // a queue pair is itself
    void forget(LoopQp qp) {
        takeDoorbells();
        unschedule(qp);
        for (int left = readyCount; left > 0; left--) {
            LoopQp other = takeReady();
            if (other != qp) {
                ready(other);
            }
        }
    }

    /** An error that nobody has foreseen leaves the port in no state to go on, but the thread is the program's. */
    private boolean guardedRounds(long nowNs, boolean receive) {
        try {
            return rounds(nowNs, receive);
        } catch (RuntimeException e) {
            port.breakDown(e);
            nextDeadlineNs = nowNs;
            return true;
        }
    }

    private boolean rounds(long nowNs, boolean receive) {
        boolean worked = false;
        port.at(nowNs);
        for (int round = 0; round < MAX_ROUNDS; round++) {
            takeDoorbells();
            int received = receive ? port.receive() : 0;
            fireDeadlines(nowNs);
            boolean sent = transmit(nowNs);
            worked |= sent || received > 0;
            if (!(receive && port.hasLoopback()) && rung == null) {
                break;
            }
        }
        deadlines.update(port.stackTimer());
        nextDeadlineNs = hasBacklog() ? nowNs : deadlines.nextNs();
        visitedNs = nowNs;
        if (worked) {
            workedNs = nowNs;
        }
        return worked;
    }

    /** True if more could be done at once: packets to the port itself wait, or a queue pair whose turn was over. */
    private boolean hasBacklog() {
        return port.hasLoopback() || readyCount > 0 && port.output().accepts();
    }

    private void takeDoorbells() {
        LoopQp qp = (LoopQp) RUNG.getAndSet(this, null);
        while (qp != null) {
            LoopQp next = qp.nextRung;
            qp.nextRung = null;
            qp.clearRung();
            ready(qp);
            qp = next;
        }
    }

    private void fireDeadlines(long nowNs) {
        while (Deadline.isDue(deadlines.nextNs(), nowNs)) {
            Timed due = deadlines.remove();
            due.onDeadline(nowNs);
            deadlines.update(due);
        }
    }

    /** Gives every ready queue pair its turn, unless the network takes nothing now. */
    private boolean transmit(long nowNs) {
        if (!port.output().flush()) {
            return false;
        }
        long before = port.context().counters().sentPackets;
        for (int turns = readyCount; turns > 0 && port.output().accepts(); turns--) {
            LoopQp qp = takeReady();
            boolean more = qp.engine().pollTransmit(nowNs, TRANSMIT_BUDGET);
            if (more || !port.output().accepts()) {
                ready(qp);
            }
            deadlines.update(qp);
        }
        return port.context().counters().sentPackets != before;
    }

    /** The queue pair may have something to send; by the owner. */
    void ready(LoopQp qp) {
        if (qp.isReady) {
            return;
        }
        qp.isReady = true;
        qp.nextReady = null;
        LoopQp last = lastReady;
        if (last == null) {
            firstReady = qp;
        } else {
            last.nextReady = qp;
        }
        lastReady = qp;
        readyCount++;
    }

    private LoopQp takeReady() {
        LoopQp qp = firstReady;
        if (qp == null) {
            throw new IllegalStateException("no queue pair is ready");
        }
        firstReady = qp.nextReady;
        if (firstReady == null) {
            lastReady = null;
        }
        qp.nextReady = null;
        qp.isReady = false;
        readyCount--;
        return qp;
    }

    /** True if somebody has something to send that the network or the buffers held back. */
    boolean isHeldBack() {
        return readyCount > 0;
    }

    NanoClock clock() {
        return clock;
    }
}
