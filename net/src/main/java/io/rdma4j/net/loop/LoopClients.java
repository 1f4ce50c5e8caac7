package io.rdma4j.net.loop;

import java.util.Arrays;

/** The clients of a loop. They come and go by any thread; all else is for the owner, but for what says otherwise. */
final class LoopClients {
    private volatile LoopClient[] all = {};

    synchronized void add(LoopClient client) {
        LoopClient[] more = Arrays.copyOf(all, all.length + 1);
        more[all.length] = client;
        all = more;
    }

    @SuppressWarnings("ReferenceEquality") // a client is itself
    synchronized void remove(LoopClient client) {
        all = Arrays.stream(all).filter(other -> other != client).toArray(LoopClient[]::new);
    }

    /** Each has its turn; true if anything was sent. */
    boolean work(long nowNs) {
        boolean sent = false;
        for (LoopClient client : all) {
            sent |= client.work(nowNs);
        }
        return sent;
    }

    /** True if none would find anything to do. */
    boolean areIdle() {
        for (LoopClient client : all) {
            if (!client.isIdle()) {
                return false;
            }
        }
        return true;
    }

    /** True if one could go on at once, and only its turn was over. */
    boolean haveMore() {
        for (LoopClient client : all) {
            if (client.hasMore()) {
                return true;
            }
        }
        return false;
    }

    /** True if something waits for a device that takes nothing now; any thread, a hint. */
    boolean areHeldBack() {
        for (LoopClient client : all) {
            if (client.isHeldBack()) {
                return true;
            }
        }
        return false;
    }

    void breakDown(RuntimeException error) {
        for (LoopClient client : all) {
            client.breakDown(error);
        }
    }
}
