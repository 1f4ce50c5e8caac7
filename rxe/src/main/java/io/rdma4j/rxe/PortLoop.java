package io.rdma4j.rxe;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.loop.LoopClient;
import io.rdma4j.net.loop.NetLoop;
import io.rdma4j.verbs.spi.PollRegistration;
import io.rdma4j.verbs.spi.PollSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * What a port does in the loop of its host ({@link NetLoop}): it takes queue pairs whose doorbell was rung, and gives each that has
 * something to send its turn. All state of queue pairs and tables belongs to the owner of that loop.
 */
final class PortLoop implements LoopClient {
    /** Packets a queue pair may send before the next one has its turn. */
    private static final int TRANSMIT_BUDGET = 64;

    /** How often packets to the port itself go to and fro in one visit. */
    private static final int MAX_ROUNDS = 16;

    private static final VarHandle RUNG;

    static {
        try {
            RUNG = MethodHandles.lookup().findVarHandle(PortLoop.class, "rung", LoopQp.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final RxePort port;
    private final NetLoop loop;
    private final AckPatience patience = new AckPatience();
    private final PollSources sources = new PollSources();

    /** A source of work has its turn, and what it rings is taken at once. For the owner. */
    private boolean takesSources;

    /** Stack of queue pairs whose doorbell was rung, linked by {@link LoopQp#nextRung}; any thread pushes. */
    @SuppressWarnings("unused") // through RUNG
    private volatile @Nullable LoopQp rung;

    /** Queue pairs with something to send, first come first served, linked by {@link LoopQp#nextReady}. */
    private @Nullable LoopQp firstReady;

    private @Nullable LoopQp lastReady;
    private int readyCount;

    /** @param loop that drives the port's devices */
    PortLoop(RxePort port, NetLoop loop) {
        this.port = port;
        this.loop = loop;
    }

    /** A queue pair has new work; any thread. Works on it at once if nobody else is in the loop. */
    void ring(LoopQp qp) {
        if (loop.enter()) {
            ready(qp);
            loop.workAndLeave();
            return;
        }
        if (loop.isInside() && takesSources) {
            ready(qp);
            return;
        }
        if (qp.markRung()) {
            LoopQp head;
            do {
                head = rung;
                qp.nextRung = head;
            } while (!RUNG.compareAndSet(this, head, qp));
        }
        loop.ring();
    }

    /** Has a source of work looked at from now on; any thread. A thread that has fallen asleep without knowing of it wakes. */
    PollRegistration add(PollSource source) {
        sources.add(source);
        loop.wake();
        return new PollRegistration() {
            @Override
            public void wake() {
                loop.wake();
            }

            @Override
            public void close() {
                loop.exclusively(() -> sources.remove(source));
            }
        };
    }

    /** Forgets a queue pair; by the owner. */
    @SuppressWarnings("ReferenceEquality") // a queue pair is itself
    void forget(LoopQp qp) {
        takeDoorbells();
        loop.unschedule(qp);
        for (int left = readyCount; left > 0; left--) {
            LoopQp other = takeReady();
            if (other != qp) {
                ready(other);
            }
        }
    }

    /** The queue pair's work ends: the acknowledgement that waits for it to go on does not wait any more, for its peer does. By the owner. */
    void finish(LoopQp qp) {
        if (patience.end() && qp.isReady && port.output().flush()) {
            port.handover().begin();
            qp.transmit(loop.nowNs(), 1);
            port.handover().end();
            port.output().flush();
        }
    }

    /** True if an acknowledgement of this queue pair goes with the next visit; by the owner. */
    boolean keepsAcknowledgement(LoopQp qp) {
        boolean kept = patience.keeps();
        if (kept) {
            ready(qp);
        }
        return kept;
    }

    @Override
    public boolean work(long nowNs) {
        patience.begin(nowNs, loop.isPolled());
        port.handover().begin();
        boolean sent = pollSources();
        for (int round = 0; round < MAX_ROUNDS; round++) {
            takeDoorbells();
            sent |= transmit(nowNs);
            if (port.loopback().isEmpty()) {
                break;
            }
            port.loopback().receive();
        }
        port.handover().end();
        return sent;
    }

    @Override
    public boolean hasMore() {
        return readyCount > 0 && port.output().accepts() || !port.loopback().isEmpty();
    }

    /** {@inheritDoc} If an acknowledgement was owed, the next visit tells whether the thread has come back at once. */
    @Override
    public boolean isIdle() {
        return readyCount == 0
                && !port.output().isStalled()
                && port.loopback().isEmpty()
                && !patience.isOwed()
                && !sources.arePending();
    }

    @Override
    public boolean beforeSleep(int sleeper) {
        return sources.beforeSleep(sleeper);
    }

    @Override
    public void afterSleep(int sleeper) {
        sources.afterSleep(sleeper);
    }

    @Override
    public boolean isAwaited() {
        return sources.areAwaited();
    }

    @Override
    public boolean isHeldBack() {
        return readyCount > 0;
    }

    @Override
    public boolean uses(NetDevice device) {
        return port.uses(device);
    }

    @Override
    public void breakDown(Throwable error) {
        port.breakDown(error);
    }

    private boolean pollSources() {
        takesSources = true;
        try {
            return sources.poll();
        } finally {
            takesSources = false;
        }
    }

    private void takeDoorbells() {
        if (rung == null) {
            return;
        }
        LoopQp qp = (LoopQp) RUNG.getAndSet(this, null);
        while (qp != null) {
            LoopQp next = qp.nextRung;
            qp.nextRung = null;
            qp.clearRung();
            ready(qp);
            qp = next;
        }
    }

    /** Gives every ready queue pair its turn, unless the network takes nothing now. */
    private boolean transmit(long nowNs) {
        boolean hasWork = readyCount > 0 || port.output().isStalled();
        if (!hasWork || !port.output().flush()) {
            return false;
        }
        long before = port.context().counters().sentPackets;
        for (int turns = readyCount; turns > 0 && port.output().accepts(); turns--) {
            LoopQp qp = takeReady();
            boolean more = qp.transmit(nowNs, TRANSMIT_BUDGET);
            if (more || !port.output().accepts()) {
                ready(qp);
            }
            qp.endTurn(nowNs);
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
}
