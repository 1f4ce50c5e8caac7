// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.verbs.spi.PollSource;
import java.lang.System.Logger.Level;
import java.util.Arrays;

/**
 * The poll sources that a port polls in each run of its loop: work that does not come through the verbs. Any thread
 * adds and removes sources; the other methods document their thread. A source that throws is removed, and the port
 * continues.
 */
final class PollSources {
    private static final System.Logger LOGGER = System.getLogger(PollSources.class.getName());

    private volatile PollSource[] all = {};

    synchronized void add(PollSource source) {
        PollSource[] more = Arrays.copyOf(all, all.length + 1);
        more[all.length] = source;
        all = more;
    }

    @SuppressWarnings("ReferenceEquality") // one object per source
    synchronized void remove(PollSource source) {
        all = Arrays.stream(all).filter(other -> other != source).toArray(PollSource[]::new);
    }

    /** Returns true if a source has work; for the owner of the loop. */
    boolean arePending() {
        for (PollSource source : all) {
            if (isPending(source)) {
                return true;
            }
        }
        return false;
    }

    private boolean isPending(PollSource source) {
        try {
            return source.isPending();
        } catch (RuntimeException | Error e) {
            drop(source, e);
            return false;
        }
    }

    /** Polls the sources that have work. Returns true if there was any. For the owner of the loop. */
    boolean poll() {
        boolean found = false;
        for (PollSource source : all) {
            if (isPending(source)) {
                found = true;
                poll(source);
            }
        }
        return found;
    }

    private void poll(PollSource source) {
        try {
            source.poll();
        } catch (RuntimeException | Error e) {
            drop(source, e);
        }
    }

    /** Notifies all sources that a thread is about to sleep. Returns false if one of them has work. Any thread. */
    boolean beforeSleep(int sleeper) {
        boolean mayRest = true;
        for (PollSource source : all) {
            try {
                mayRest &= source.beforeSleep(sleeper);
            } catch (RuntimeException | Error e) {
                drop(source, e);
            }
        }
        return mayRest;
    }

    /** Notifies all sources that the thread has woken up. Any thread. */
    void afterSleep(int sleeper) {
        for (PollSource source : all) {
            try {
                source.afterSleep(sleeper);
            } catch (RuntimeException | Error e) {
                drop(source, e);
            }
        }
    }

    /** Returns true if a thread waits for one of the sources. Calls all of them. */
    boolean areAwaited() {
        boolean awaited = false;
        for (PollSource source : all) {
            try {
                awaited |= source.isAwaited();
            } catch (RuntimeException | Error e) {
                drop(source, e);
            }
        }
        return awaited;
    }

    private void drop(PollSource source, Throwable error) {
        remove(source);
        LOGGER.log(Level.ERROR, "a source of work has failed; it is not polled any more", error);
    }
}
