// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import io.rdma4j.net.NetDevice;
import java.util.Arrays;

/**
 * The clients of a loop. Any thread adds and removes them; the owner calls the other methods, unless they name another
 * thread.
 */
final class LoopClients {
    /** A client whose work has thrown this many errors is removed: otherwise it would keep the loop busy for ever. */
    static final int MAX_ERRORS = 64;

    /** A client, with the number of errors that its work has thrown. */
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

    /**
     * Runs each client once; true if anything was sent. An error takes the client that has thrown it out of service.
     */
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

    /** True if no client has anything to do. */
    boolean areIdle() {
        for (Turn turn : all) {
            if (!turn.client.isIdle()) {
                return false;
            }
        }
        return true;
    }

    /** True if a client has more work that it can do at once. */
    boolean haveMore() {
        for (Turn turn : all) {
            if (turn.client.hasMore()) {
                return true;
            }
        }
        return false;
    }

    /** True if a packet waits for a device that did not accept it; any thread, a hint. */
    boolean areHeldBack() {
        for (Turn turn : all) {
            if (turn.client.isHeldBack()) {
                return true;
            }
        }
        return false;
    }

    /** Announces to all clients that a thread is about to sleep; false if a client has work. Any thread. */
    boolean beforeSleep(int sleeper) {
        boolean mayRest = true;
        for (Turn turn : all) {
            mayRest &= turn.client.beforeSleep(sleeper);
        }
        return mayRest;
    }

    /** Announces to all clients that the thread no longer sleeps. Any thread. */
    void afterSleep(int sleeper) {
        for (Turn turn : all) {
            turn.client.afterSleep(sleeper);
        }
    }

    /** True if an application thread polls for a client's work without success. Calls all clients. */
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

    /** Takes one client out of service. If the client throws again, logs that error. */
    void breakDown(LoopClient client, Throwable error) {
        try {
            client.breakDown(error);
        } catch (Throwable again) {
            log.error("a client of the loop has failed, and has failed again while it went out of service", again);
        }
    }
}
