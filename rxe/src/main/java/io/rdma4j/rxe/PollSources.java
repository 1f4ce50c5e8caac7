package io.rdma4j.rxe;

import io.rdma4j.verbs.spi.PollSource;
import java.lang.System.Logger.Level;
import java.util.Arrays;

/**
 * The sources of work past the verbs that a port looks at in each turn of its loop. They come and go by any thread; what looks at them says who may call
 * it. A source that throws is not looked at any more: the port goes on without it.
 */
final class PollSources {
    private static final System.Logger LOGGER = System.getLogger(PollSources.class.getName());

    private volatile PollSource[] all = {};

    synchronized void add(PollSource source) {
        PollSource[] more = Arrays.copyOf(all, all.length + 1);
        more[all.length] = source;
        all = more;
    }

    @SuppressWarnings("ReferenceEquality") // a source is itself
    synchronized void remove(PollSource source) {
        all = Arrays.stream(all).filter(other -> other != source).toArray(PollSource[]::new);
    }

    /** True if one of them has something; by the owner of the loop. */
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

    /** Takes what they have; true if there was anything. By the owner of the loop. */
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

    /** A thread is about to sleep; false if one of them has something. All of them hear of it. Any thread. */
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

    /** It has slept. Any thread. */
    void afterSleep(int sleeper) {
        for (PollSource source : all) {
            try {
                source.afterSleep(sleeper);
            } catch (RuntimeException | Error e) {
                drop(source, e);
            }
        }
    }

    /** True if somebody waits for one of them. All of them are asked. */
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
