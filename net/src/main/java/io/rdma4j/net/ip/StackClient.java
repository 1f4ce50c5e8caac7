package io.rdma4j.net.ip;

import io.rdma4j.net.loop.LoopClient;
import io.rdma4j.net.loop.NetLoop;
import io.rdma4j.net.loop.Timed;
import java.lang.System.Logger.Level;

/** An IP stack in the loop of its host: fires its timers, and sends what waited for neighbours or a device. */
public final class StackClient implements LoopClient {
    private static final System.Logger LOGGER = System.getLogger(StackClient.class.getName());

    private final IpStack stack;
    private final NetLoop loop;
    private final Timer timer = new Timer();
    private volatile boolean heldBack;

    /**
     * Gives the stack its turn in the loop, from the time that it is added there.
     *
     * @param stack whose deadlines are due
     * @param loop that drives the devices of {@code stack}
     */
    public StackClient(IpStack stack, NetLoop loop) {
        this.stack = stack;
        this.loop = loop;
    }

    private final class Timer extends Timed {
        @Override
        protected long nextDeadlineNs() {
            return stack.nextDeadlineNs();
        }

        @Override
        protected void onDeadline(long nowNs) {
            stack.onTimeout(nowNs);
        }

        @Override
        protected LoopClient client() {
            return StackClient.this;
        }
    }

    @Override
    public boolean work(long nowNs) {
        boolean held = !stack.flush();
        // Writing it is a fence, and it is asked in each visit.
        if (held != heldBack) {
            heldBack = held;
        }
        loop.schedule(timer);
        return false;
    }

    /** Forgets the timers; by the owner of the loop, in the end. */
    public void close() {
        loop.unschedule(timer);
    }

    @Override
    public boolean hasMore() {
        return false;
    }

    @Override
    public boolean isHeldBack() {
        return heldBack;
    }

    /** What waits may be what is broken. */
    @Override
    public void breakDown(Throwable error) {
        LOGGER.log(
                Level.ERROR,
                "the IP stack drops what waits to be sent: it, or a device of its host, has failed",
                error);
        stack.dropWaiting(_ -> true);
    }
}
