package io.rdma4j.net.loop;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.Napi;
import io.rdma4j.net.PollLoop;
import java.lang.System.Logger.Level;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The polling phase of a loop ({@code net_rx_action}): each context has its turn, within a budget for all of them. */
final class NapiPoller implements PollLoop {
    /** {@code netdev_budget}. */
    static final int DEFAULT_BUDGET = 300;

    private static final System.Logger LOGGER = System.getLogger(NapiPoller.class.getName());

    private final NetLoop loop;
    private final LoopWatchers watchers;
    private volatile Napi[] contexts = {};
    private volatile int budget = DEFAULT_BUDGET;

    /** Whose turn it is next. */
    private int turn;

    /** Whose turn it is now, if it is anybody's. */
    private @Nullable Napi running;

    /** The thread that is in a visit with polling: it need not be told that there is something to poll. */
    private @Nullable Thread visitor;

    private long squeezed;

    /** @param watchers who must hear of packets while nobody is in the loop */
    NapiPoller(NetLoop loop, LoopWatchers watchers) {
        this.loop = loop;
        this.watchers = watchers;
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

    /** How often a visit ended with the budget used up and more to do ({@code time_squeeze}). */
    long squeezed() {
        return squeezed;
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
    void leave(int budgetLeft) {
        visitor = null;
        if (budgetLeft == 0 && hasScheduled()) {
            squeezed++;
        }
    }

    /**
     * Polls all that are enabled once, in turns; by the owner.
     *
     * @param most packets
     * @return how many there were
     */
    int poll(int most) {
        Napi[] all = contexts;
        int done = 0;
        for (int left = all.length; left > 0 && done < most; left--) {
            turn = turn + 1 < all.length ? turn + 1 : 0;
            Napi napi = all[turn];
            running = napi;
            done += napi.run(most - done);
        }
        running = null;
        return done;
    }

    /** True if a context has said that there is something, or has more than its weight; any thread. */
    boolean hasScheduled() {
        for (Napi napi : contexts) {
            if (napi.isScheduled()) {
                return true;
            }
        }
        return false;
    }

    /** An error was thrown: the context whose turn it was gets no further one. By the owner. */
    void breakDown(RuntimeException error) {
        Napi broken = running;
        if (broken != null) {
            running = null;
            broken.disable();
            LOGGER.log(Level.ERROR, "a driver, or who is above it, has failed; it is not polled any more", error);
        }
    }
}
