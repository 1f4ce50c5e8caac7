package io.rdma4j.net.loop;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.Napi;
import io.rdma4j.net.PollLoop;
import io.rdma4j.net.Softnet;
import io.rdma4j.net.skb.FlowHash;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The polling phase of a loop ({@code net_rx_action}): each context has its turn, within a budget for all of them. */
final class NapiPoller implements PollLoop {
    /** {@code netdev_budget}. */
    static final int DEFAULT_BUDGET = 300;

    private final NetLoop loop;
    private final LoopWatchers watchers;
    private final Softnet softnet;
    private volatile Napi[] contexts = {};

    /** Of those contexts that ever wanted to be polled at a time; by the owner. */
    private final List<NapiTimer> timers = new ArrayList<>();

    private volatile int budget = DEFAULT_BUDGET;

    /** Whose turn it is next. */
    private int turn;

    /** Whose turn it is now, if it is anybody's. */
    private @Nullable Napi running;

    /** The thread that is in a visit with polling: it need not be told that there is something to poll. */
    private @Nullable Thread visitor;

    /** @param watchers who must hear of packets while nobody is in the loop */
    NapiPoller(NetLoop loop, LoopWatchers watchers) {
        this.loop = loop;
        this.watchers = watchers;
        this.softnet = new Softnet(new FlowHash(loop.flowSecret()), loop::workers, watchers::wake);
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
        NapiTimer timer = timer(napi);
        if (timer != null) {
            loop.unschedule(timer);
            timers.remove(timer);
        }
    }

    @Override
    public void pollAt(Napi napi, long timeNs) {
        NapiTimer timer = timer(napi);
        if (timer == null) {
            timer = new NapiTimer(napi);
            timers.add(timer);
        }
        timer.bringForward(timeNs);
        loop.schedule(timer);
    }

    @SuppressWarnings("ReferenceEquality") // a context is itself
    private @Nullable NapiTimer timer(Napi napi) {
        for (int i = 0; i < timers.size(); i++) {
            if (timers.get(i).napi() == napi) {
                return timers.get(i);
            }
        }
        return null;
    }

    @Override
    public long nowNs() {
        return loop.nowNs();
    }

    /** The field may be stale for any thread but the one that wrote it, and only that one asks for itself. */
    @Override
    @SuppressWarnings("ReferenceEquality") // a thread is itself
    public void raise(Napi napi) {
        if (visitor != Thread.currentThread()) {
            watchers.wake();
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

    /** A visit with polling begins; returns its budget, packets. By the owner. */
    int enter() {
        visitor = Thread.currentThread();
        return budget;
    }

    /**
     * It ends.
     *
     * @param budgetLeft packets
     */
    void leave(int budgetLeft, int worker) {
        visitor = null;
        if (budgetLeft == 0 && hasPackets(worker)) {
            softnet.countSqueeze(worker);
        }
    }

    /**
     * Polls all that are enabled once, in turns, then takes what waits for a worker; by the owner.
     *
     * @param most packets
     * @param worker whose thread this is, or {@link Softnet#NO_WORKER}
     * @return how many there were
     */
    int poll(int most, int worker) {
        Napi[] all = contexts;
        int before = softnet.steered();
        int done = 0;
        for (int left = all.length; left > 0 && done < most; left--) {
            turn = turn + 1 < all.length ? turn + 1 : 0;
            Napi napi = all[turn];
            running = napi;
            done += napi.run(most - done);
        }
        running = null;
        done -= softnet.steered() - before;
        if (done > 0) {
            softnet.countProcessed(worker, done);
        }
        return softnet.isWaiting(worker) && done < most ? done + softnet.process(worker, most - done) : done;
    }

    /** True if there is something to poll, or waits for a worker, or for any if that is {@link Softnet#NO_WORKER}; any thread. */
    boolean hasPackets(int worker) {
        for (Napi napi : contexts) {
            if (napi.isScheduled()) {
                return true;
            }
        }
        return softnet.isWaiting(worker);
    }

    /** The visit has thrown, so it ends without {@link #leave}; returns the context whose turn it was, null if it was no context's. By the owner. */
    @Nullable
    Napi abort() {
        Napi broken = running;
        running = null;
        visitor = null;
        return broken;
    }
}
