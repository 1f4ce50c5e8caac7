// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.loop.LoopClient;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.Timed;
import java.lang.System.Logger.Level;

/**
 * The client of a loop that drives an IP stack: it fires the stack's timers, and sends packets that waited for
 * neighbours or a device.
 */
public final class StackClient implements LoopClient {
    private static final System.Logger LOGGER = System.getLogger(StackClient.class.getName());

    private final IpStack stack;
    private final NetLoop loop;
    private final Timer timer = new Timer();
    private volatile boolean heldBack;

    /**
     * Creates a client that drives the stack once it is added to the loop.
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
        if (!stack.takeChanges()) {
            return false;
        }
        boolean held = !stack.flush();
        // The loop reads this flag in each run, and writing it is a fence.
        if (held != heldBack) {
            heldBack = held;
        }
        loop.schedule(timer);
        return false;
    }

    /** Removes the timers from the loop; by the owner of the loop, after the client was removed. */
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

    /** Drops the waiting packets, because one of them may have caused the error. */
    @Override
    public void breakDown(Throwable error) {
        LOGGER.log(
                Level.ERROR,
                "the IP stack drops what waits to be sent: it, or a device of its host, has failed",
                error);
        stack.dropWaiting(_ -> true);
        // A timer that has thrown is not queued any more.
        stack.noteChange();
    }
}
