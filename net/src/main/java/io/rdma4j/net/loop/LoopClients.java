package io.rdma4j.net.loop;

import io.rdma4j.net.NetDevice;
import java.util.Arrays;

/** The clients of a loop. They come and go by any thread; all else is for the owner, but for what says otherwise. */
final class LoopClients {
    /** A client whose work has thrown so many errors has no turn any more: it would keep the loop busy for ever. */
    static final int MAX_ERRORS = 64;

    /** A client with the number of errors that its work has thrown. */
    private static final class Turn {
        final LoopClient client;
        int errors;

        Turn(LoopClient client) {
            this.client = client;
        }
    }

    private final LoopErrors log;
    private volatile Turn[] all = {};

    LoopClients(LoopErrors log) {
        this.log = log;
    }

    synchronized void add(LoopClient client) {
        Turn[] more = Arrays.copyOf(all, all.length + 1);
        more[all.length] = new Turn(client);
        all = more;
    }

    @SuppressWarnings("ReferenceEquality") // a client is itself
    synchronized void remove(LoopClient client) {
        all = Arrays.stream(all).filter(turn -> turn.client != client).toArray(Turn[]::new);
    }

    /** Each has its turn; true if anything was sent. An error ends the turn, and the service, of the client that has thrown it. */
    boolean work(long nowNs) {
        boolean sent = false;
        for (Turn turn : all) {
            try {
                sent |= turn.client.work(nowNs);
            } catch (Throwable error) {
                fail(turn, error);
                sent = true;
            }
        }
        return sent;
    }

    private void fail(Turn turn, Throwable error) {
        breakDown(turn.client, error);
        if (++turn.errors == MAX_ERRORS) {
            log.error("a client of the loop has thrown " + MAX_ERRORS + " errors and has no turn any more", error);
            remove(turn.client);
        }
    }

    /** True if none would find anything to do. */
    boolean areIdle() {
        for (Turn turn : all) {
            if (!turn.client.isIdle()) {
                return false;
            }
        }
        return true;
    }

    /** True if one could go on at once, and only its turn was over. */
    boolean haveMore() {
        for (Turn turn : all) {
            if (turn.client.hasMore()) {
                return true;
            }
        }
        return false;
    }

    /** True if something waits for a device that takes nothing now; any thread, a hint. */
    boolean areHeldBack() {
        for (Turn turn : all) {
            if (turn.client.isHeldBack()) {
                return true;
            }
        }
        return false;
    }

    /** A thread is about to sleep; false if a client has work. All of them hear of it. Any thread. */
    boolean beforeSleep(int sleeper) {
        boolean mayRest = true;
        for (Turn turn : all) {
            mayRest &= turn.client.beforeSleep(sleeper);
        }
        return mayRest;
    }

    /** It has slept. Any thread. */
    void afterSleep(int sleeper) {
        for (Turn turn : all) {
            turn.client.afterSleep(sleeper);
        }
    }

    /** True if somebody polls in vain for a client's work. All of them are asked. */
    boolean areAwaited() {
        boolean awaited = false;
        for (Turn turn : all) {
            awaited |= turn.client.isAwaited();
        }
        return awaited;
    }

    /** Takes all clients out of service. */
    void breakDown(Throwable error) {
        for (Turn turn : all) {
            breakDown(turn.client, error);
        }
    }

    /** Takes the clients of a device out of service. */
    void breakDown(NetDevice device, Throwable error) {
        for (Turn turn : all) {
            if (turn.client.uses(device)) {
                breakDown(turn.client, error);
            }
        }
    }

    /** Takes one client out of service, also if that throws again. */
    void breakDown(LoopClient client, Throwable error) {
        try {
            client.breakDown(error);
        } catch (Throwable again) {
            log.error("a client of the loop has failed, and has failed again while it went out of service", again);
        }
    }
}
