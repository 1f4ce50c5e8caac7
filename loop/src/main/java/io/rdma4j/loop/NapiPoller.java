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

/**
 * Polling phase of a loop ({@code net_rx_action}): polls the contexts that may have packets in turn, within one budget
 * for all of them. A context without packets costs nothing if its link announces them.
 */
final class NapiPoller implements PollLoop {
    /** {@code netdev_budget}. */
    static final int DEFAULT_BUDGET = 300;

    private final NetLoop loop;
    private final LoopThreads threads;
    private final Softnet softnet;

    /** The contexts by number; null for a number that is free. The array is immutable. */
    private volatile @Nullable Napi[] contexts = {};

    /** Contexts that are scheduled, or whose links do not announce packets; may contain others. */
    private volatile NapiMarks marks = new NapiMarks(0);

    /** Timers of the contexts that have called {@link #pollAt}; by the owner. */
    private final IdentityHashMap<Napi, NapiTimer> timers = new IdentityHashMap<>();

    private volatile int budget = DEFAULT_BUDGET;

    /** Number of the context that used up the budget last. The next one begins. */
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
    public synchronized int add(Napi napi) {
        int number = 0;
        while (number < contexts.length && contexts[number] != null) {
            number++;
        }
        @Nullable Napi[] more = Arrays.copyOf(contexts, Math.max(contexts.length, number + 1));
        more[number] = napi;
        contexts = more;
        // With all bits set, so that no context is missed that another thread marks in the old bitmap.
        marks = new NapiMarks(more.length);
        return number;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // a context is itself
    public synchronized void remove(Napi napi) {
        @Nullable Napi[] fewer = contexts.clone();
        for (int i = 0; i < fewer.length; i++) {
            if (fewer[i] == napi) {
                fewer[i] = null;
            }
        }
        contexts = fewer;
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
    public void exclusively(Runnable action) {
        loop.exclusively(action);
    }

    @Override
    public void expectFlush() {
        loop.expectFlush();
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
    public void raise(Napi napi, int number) {
        mark(number);
        loop.reportDue();
        boolean wakes = runner != Thread.currentThread();
        if (!threads.signal(napi, wakes) && wakes) {
            threads.wake();
        }
    }

    @Override
    public void enabled(int number) {
        mark(number);
    }

    /** Sets the bit of a context, also if another thread replaces the bitmap meanwhile. */
    @SuppressWarnings("ReferenceEquality") // one object per bitmap
    private void mark(int number) {
        NapiMarks marked;
        do {
            marked = marks;
            marked.set(number);
        } while (marked != marks);
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
        // Read before the contexts: bits of contexts that are added meanwhile are in another bitmap.
        NapiMarks marked = marks;
        @Nullable Napi[] all = contexts;
        int before = softnet.steered();
        int first = turn + 1 < all.length ? turn + 1 : 0;
        int done = poll(all, marked, first, all.length, most);
        if (done < most) {
            done += poll(all, marked, 0, first, most - done);
        }
        running = null;
        done -= softnet.steered() - before;
        if (done > 0) {
            softnet.countProcessed(worker, done);
        }
        return softnet.isWaiting(worker) && done < most ? done + softnet.process(worker, most - done) : done;
    }

    /** Polls the contexts with numbers in a range; returns the number of packets. */
    private int poll(@Nullable Napi[] all, NapiMarks marked, int from, int to, int most) {
        int done = 0;
        for (int i = marked.next(from); i >= 0 && i < to && done < most; i = marked.next(i + 1)) {
            Napi napi = all[i];
            if (napi != null && napi.mayHavePackets()) {
                done += poll(napi, i, marked, most - done);
            } else {
                forget(napi, i, marked);
            }
        }
        return done;
    }

    private int poll(Napi napi, int number, NapiMarks marked, int most) {
        boolean signalled = napi.isSignalled();
        if (signalled) {
            // Before the poll: a context that is scheduled after it sets the bit again.
            marked.clear(number);
        }
        running = napi;
        int done = napi.run(most);
        if (signalled && napi.isScheduled()) {
            marked.set(number);
        }
        if (done == most) {
            turn = number;
        }
        return done;
    }

    /** Clears the bit of a context that is not scheduled, unless another thread schedules it meanwhile. */
    private static void forget(@Nullable Napi napi, int number, NapiMarks marked) {
        marked.clear(number);
        if (napi != null && napi.mayHavePackets()) {
            marked.set(number);
        }
    }

    /**
     * True if a context is scheduled, or packets wait for {@code worker}, or for any worker if that is {@link
     * Softnet#NO_WORKER}; any thread.
     */
    boolean hasPackets(int worker) {
        NapiMarks marked = marks;
        @Nullable Napi[] all = contexts;
        for (int i = marked.next(0); i >= 0 && i < all.length; i = marked.next(i + 1)) {
            Napi napi = all[i];
            if (napi != null && napi.isScheduled()) {
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
