// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.hca.PortLink;
import io.rdma4j.hca.PortLock;
import io.rdma4j.loop.LoopClient;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.Timed;
import io.rdma4j.transport.port.TransportCounters;
import io.rdma4j.verbs.spi.PollRegistration;
import io.rdma4j.verbs.spi.PollSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The part of a host's loop ({@link NetLoop}) that serves one port: it collects queue pairs whose doorbell is set
 * and lets the ready ones transmit in turn. The state of all queue pairs and tables belongs to the owner of that loop.
 */
public final class PortLoop implements LoopClient, PortLock {
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

    private final NetLoop loop;
    private final PortLink link;
    private final PortOutput output;
    private final PortLoopback loopback;
    private final TransportCounters counters;
    private final Consumer<Throwable> onFailure;
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

    /**
     * @param loop that drives the port's devices
     * @param onFailure takes the port out of service
     */
    public PortLoop(
            NetLoop loop,
            PortLink link,
            PortOutput output,
            LocalTransport local,
            TransportCounters counters,
            Consumer<Throwable> onFailure) {
        this.loop = loop;
        this.link = link;
        this.output = output;
        this.loopback = output.loopback();
        this.counters = counters;
        this.onFailure = onFailure;
        sources.add(local);
    }

    // Interface to the contexts and their objects

    /**
     * Adds a poll source; see {@link io.rdma4j.verbs.spi.ContextOps#addPollSource}. A thread that sleeps already is
     * woken, because it does not poll the new source yet.
     */
    public PollRegistration add(PollSource source) {
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

    @Override
    public <T> T exclusively(Supplier<T> operation) {
        return loop.exclusively(operation);
    }

    @Override
    public void exclusively(Runnable operation) {
        loop.exclusively(operation);
    }

    /** Runs the loop once for a thread that polls, unless another thread runs it. */
    public void poll() {
        loop.poll();
    }

    /** Returns the time of the loop's clock, ns. */
    public long nanoTime() {
        return loop.clock().nanoTime();
    }

    /** Queues a timer for its deadline. For the owner of the loop. */
    public void schedule(Timed timer) {
        loop.schedule(timer);
    }

    /** Removes a timer from the queue. For the owner of the loop. */
    public void unschedule(Timed timer) {
        loop.unschedule(timer);
    }

    /** See {@link io.rdma4j.verbs.spi.ContextOps#beforeBlocking}. */
    public void beforeBlocking() {
        loop.sleep().beforeBlocking();
    }

    /** See {@link io.rdma4j.verbs.spi.ContextOps#afterBlocking}. */
    public void afterBlocking() {
        loop.sleep().afterBlocking();
    }

    /** See {@link io.rdma4j.verbs.spi.ContextOps#sleep}. */
    public boolean sleep(long timeoutNs, BooleanSupplier over) {
        return loop.sleep().await(timeoutNs, over);
    }

    /** See {@link io.rdma4j.verbs.spi.ContextOps#wakeSleeper}. */
    public void wakeSleeper() {
        loop.sleep().wake();
    }

    // Interface to the queue pairs

    /** Returns the time of this run of the loop, ns. For the owner of the loop. */
    long nowNs() {
        return loop.nowNs();
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
        if (delayedAcks.end() && qp.isReady && output.flush()) {
            qp.transmit(loop.nowNs(), 1);
            output.flush();
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

    // Interface to the loop of the host

    @Override
    public boolean work(long nowNs) {
        delayedAcks.begin(nowNs, loop.isPolled());
        boolean sent = pollSources();
        for (int round = 0; round < MAX_ROUNDS; round++) {
            takeDoorbells();
            sent |= transmit(nowNs);
            if (loopback.isEmpty()) {
                break;
            }
            loopback.receive();
        }
        return sent;
    }

    @Override
    public boolean hasMore() {
        return readyCount > 0 && output.accepts() || !loopback.isEmpty();
    }

    /**
     * {@inheritDoc} After an acknowledgement fell due the port is not idle: the next run measures the pause between
     * polls.
     */
    @Override
    public boolean isIdle() {
        return readyCount == 0
                && !output.isStalled()
                && loopback.isEmpty()
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
    public boolean uses(Object device) {
        return link.uses(device);
    }

    @Override
    public void breakDown(Throwable error) {
        onFailure.accept(error);
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
        boolean hasWork = readyCount > 0 || output.isStalled();
        if (!hasWork || !output.flush()) {
            return false;
        }
        long before = counters.sentPackets;
        for (int turns = readyCount; turns > 0 && output.accepts(); turns--) {
            LoopQp qp = takeReady();
            boolean more = qp.transmit(nowNs, TRANSMIT_BUDGET);
            if (more || !output.accepts()) {
                ready(qp);
            }
            qp.endTurn(nowNs);
        }
        return counters.sentPackets != before;
    }

    /** Adds a queue pair to the ready list if it is not in it. For the owner of the loop. */
    public void ready(LoopQp qp) {
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
