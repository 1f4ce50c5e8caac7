// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.receive.Napi;
import io.rdma4j.net.receive.PollLoop;
import io.rdma4j.net.receive.Softnet;
import io.rdma4j.net.skb.FlowHash;
import java.util.Arrays;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/** Polling phase of a loop ({@code net_rx_action}): polls all contexts in turn, within one budget for all of them. */
final class NapiPoller implements PollLoop {
    /** {@code netdev_budget}. */
    static final int DEFAULT_BUDGET = 300;

    private final NetLoop loop;
    private final LoopThreads threads;
    private final Softnet softnet;
    private volatile Napi[] contexts = {};

    /** Timers of the contexts that have called {@link #pollAt}; by the owner. */
    private final IdentityHashMap<Napi, NapiTimer> timers = new IdentityHashMap<>();

    private volatile int budget = DEFAULT_BUDGET;

    /** Index of the context that was polled last. */
    private int turn;

    /** The context that is polled now; null if there is none. */
    private @Nullable Napi running;

    /** The thread in a run with polling; it needs no wake-up when a context is scheduled. */
    private @Nullable Thread runner;

    /**
     * @param threads woken when a context is scheduled while no thread polls
     */
    NapiPoller(NetLoop loop, LoopThreads threads) {
        this.loop = loop;
        this.threads = threads;
        this.softnet = new Softnet(new FlowHash(loop.flowSecret()), loop::workers, threads::wake);
    }

    @Override
    public Softnet softnet() {
        return softnet;
    }

    @Override
    public synchronized void add(Napi napi) {
        Napi[] more = Arrays.copyOf(contexts, contexts.length + 1);
        more[contexts.length] = napi;
        contexts = more;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // a context is itself
    public synchronized void remove(Napi napi) {
        contexts = Arrays.stream(contexts).filter(other -> other != napi).toArray(Napi[]::new);
        NapiTimer timer = timers.remove(napi);
        if (timer != null) {
            loop.unschedule(timer);
        }
    }

    @Override
    public void pollAt(Napi napi, long timeNs) {
        NapiTimer timer = timers.get(napi);
        if (timer == null) {
            timer = new NapiTimer(napi);
            timers.put(napi, timer);
        }
        timer.bringForward(timeNs);
        loop.schedule(timer);
    }

    @Override
    public long nowNs() {
        return loop.nowNs();
    }

    /**
     * Wakes a loop thread, unless the calling thread polls already. {@link #runner} may be stale for other threads, but
     * each thread compares it only with itself.
     */
    @Override
    @SuppressWarnings("ReferenceEquality") // a thread is itself
    public void raise(Napi napi) {
        loop.reportDue();
        boolean wakes = runner != Thread.currentThread();
        if (!threads.signal(napi, wakes) && wakes) {
            threads.wake();
        }
    }

    int budget() {
        return budget;
    }

    void budget(int packets) {
        if (packets < 1) {
            throw new RdmaException(Errno.EINVAL, "netdev_budget " + packets + " is less than 1");
        }
        budget = packets;
    }

    /** Begins a run with polling; returns its budget, packets. By the owner. */
    int enter() {
        runner = Thread.currentThread();
        return budget;
    }

    /**
     * Ends a run with polling.
     *
     * @param budgetLeft packets
     */
    void leave(int budgetLeft, int worker) {
        runner = null;
        if (budgetLeft == 0 && hasPackets(worker)) {
            softnet.countSqueeze(worker);
        }
    }

    /**
     * Polls all contexts that may have packets once, in turn, then processes packets that wait for a worker; by the
     * owner.
     *
     * @param most maximum number of packets
     * @param worker number of the calling loop thread, or {@link Softnet#NO_WORKER}
     * @return number of packets
     */
    int poll(int most, int worker) {
        Napi[] all = contexts;
        int before = softnet.steered();
        int done = 0;
        for (int left = all.length; left > 0 && done < most; left--) {
            turn = turn + 1 < all.length ? turn + 1 : 0;
            Napi napi = all[turn];
            if (napi.mayHavePackets()) {
                running = napi;
                done += napi.run(most - done);
            }
        }
        running = null;
        done -= softnet.steered() - before;
        if (done > 0) {
            softnet.countProcessed(worker, done);
        }
        return softnet.isWaiting(worker) && done < most ? done + softnet.process(worker, most - done) : done;
    }

    /**
     * True if a context is scheduled, or packets wait for {@code worker}, or for any worker if that is {@link
     * Softnet#NO_WORKER}; any thread.
     */
    boolean hasPackets(int worker) {
        for (Napi napi : contexts) {
            if (napi.isScheduled()) {
                return true;
            }
        }
        return softnet.isWaiting(worker);
    }

    /**
     * Ends a run that has thrown, in place of {@link #leave}. Returns the context that was polled, or null if the error
     * came from elsewhere. By the owner.
     */
    @Nullable
    Napi abort() {
        Napi broken = running;
        running = null;
        runner = null;
        return broken;
    }
}
