package io.rdma4j.rxe;

import io.rdma4j.loop.LoopClient;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.net.NetDevice;
import io.rdma4j.verbs.spi.PollRegistration;
import io.rdma4j.verbs.spi.PollSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The part of a host's loop ({@link NetLoop}) that serves one RoCE port: it collects queue pairs whose doorbell is set
 * and lets the ready ones transmit in turn. The state of all queue pairs and tables belongs to the owner of that loop.
 */
final class PortLoop implements LoopClient {
    /** Maximum number of packets that a queue pair sends before the next one has its turn. */
    private static final int TRANSMIT_BUDGET = 64;

    /** Maximum number of times in one run that packets to the port itself are received. */
    private static final int MAX_ROUNDS = 16;

    private static final VarHandle PENDING_QPS;

    static {
        try {
            PENDING_QPS = MethodHandles.lookup().findVarHandle(PortLoop.class, "pendingQps", LoopQp.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final RxePort port;
    private final NetLoop loop;
    private final DelayedAck delayedAcks = new DelayedAck();
    private final PollSources sources = new PollSources();

    /** A poll source runs at present; queue pairs that it rings are made ready at once. For the owner of the loop. */
    private boolean takesSources;

    /** Stack of queue pairs whose doorbell is set, linked by {@link LoopQp#nextPending}; any thread pushes. */
    @SuppressWarnings("unused") // through PENDING_QPS
    private volatile @Nullable LoopQp pendingQps;

    /** FIFO of queue pairs with something to send, linked by {@link LoopQp#nextReady}. */
    private @Nullable LoopQp firstReady;

    private @Nullable LoopQp lastReady;
    private int readyCount;

    /** @param loop that drives the port's devices */
    PortLoop(RxePort port, NetLoop loop) {
        this.port = port;
        this.loop = loop;
    }

    /** Signals new work of a queue pair; any thread. The caller runs the loop at once if no other thread does. */
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
        if (qp.setDoorbell()) {
            LoopQp head;
            do {
                head = pendingQps;
                qp.nextPending = head;
            } while (!PENDING_QPS.compareAndSet(this, head, qp));
        }
        loop.ring();
    }

    /**
     * Adds a poll source; any thread. A thread that sleeps already is woken, because it does not poll the new source
     * yet.
     */
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

    /** Removes a queue pair from all lists. For the owner of the loop. */
    @SuppressWarnings("ReferenceEquality") // one object per queue pair
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

    /**
     * Sends a delayed acknowledgement of a queue pair that stops work, because its peer waits for it. For the owner of
     * the loop.
     */
    void finish(LoopQp qp) {
        if (delayedAcks.end() && qp.isReady && port.output().flush()) {
            port.localTransport().begin();
            qp.transmit(loop.nowNs(), 1);
            port.localTransport().end();
            port.output().flush();
        }
    }

    /**
     * Returns true if an acknowledgement of this queue pair is delayed until the next run. For the owner of the loop.
     */
    boolean keepsAcknowledgement(LoopQp qp) {
        boolean kept = delayedAcks.keeps();
        if (kept) {
            ready(qp);
        }
        return kept;
    }

    @Override
    public boolean work(long nowNs) {
        delayedAcks.begin(nowNs, loop.isPolled());
        port.localTransport().begin();
        boolean sent = pollSources();
        for (int round = 0; round < MAX_ROUNDS; round++) {
            takeDoorbells();
            sent |= transmit(nowNs);
            if (port.loopback().isEmpty()) {
                break;
            }
            port.loopback().receive();
        }
        port.localTransport().end();
        return sent;
    }

    @Override
    public boolean hasMore() {
        return readyCount > 0 && port.output().accepts() || !port.loopback().isEmpty();
    }

    /**
     * {@inheritDoc} After an acknowledgement fell due the port is not idle: the next run measures the pause between
     * polls.
     */
    @Override
    public boolean isIdle() {
        return readyCount == 0
                && !port.output().isStalled()
                && port.loopback().isEmpty()
                && !delayedAcks.isOwed()
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
        if (pendingQps == null) {
            return;
        }
        LoopQp qp = (LoopQp) PENDING_QPS.getAndSet(this, null);
        while (qp != null) {
            LoopQp next = qp.nextPending;
            qp.nextPending = null;
            qp.clearDoorbell();
            ready(qp);
            qp = next;
        }
    }

    /** Lets each ready queue pair transmit once, unless the network accepts nothing now. */
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

    /** Adds a queue pair to the ready list if it is not in it. For the owner of the loop. */
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
