// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.host;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Addresses whose link address is requested, and not known yet ({@code addr.c}). With the lock of rdma_cm. */
final class NeighbourQueries {
    private record Query(HostDevice device, Gid own, Gid destination, long endNs, Consumer<@Nullable Errno> done) {}

    private final NanoClock clock;
    private final Runnable onStart;
    private final List<Query> queries = new ArrayList<>();

    /** @param onStart called when the first query has to wait; {@link #progress} is called until none is left */
    NeighbourQueries(NanoClock clock, Runnable onStart) {
        this.clock = clock;
        this.onStart = onStart;
    }

    void start(HostDevice device, Gid own, Gid destination, int timeoutMs, Consumer<@Nullable Errno> done) {
        if (device.resolve(own, destination)) {
            done.accept(null);
            return;
        }
        long endNs = Deadline.after(clock.nanoTime(), TimeUnit.MILLISECONDS.toNanos(timeoutMs));
        queries.add(new Query(device, own, destination, endNs, done));
        if (queries.size() == 1) {
            onStart.run();
        }
    }

    /** Completes what is answered or due. Returns the next timeout, or {@link Deadline#NEVER} without query. */
    long progress(long nowNs) {
        long nextNs = Deadline.NEVER;
        for (Query query : List.copyOf(queries)) {
            Errno error = null;
            boolean isResolved = false;
            try {
                isResolved = query.device.resolve(query.own, query.destination);
            } catch (RdmaException e) {
                error = e.errno();
            }
            if (!isResolved && error == null && Deadline.isDue(query.endNs, nowNs)) {
                error = Errno.ETIMEDOUT;
            }
            if (isResolved || error != null) {
                complete(query, error);
            } else {
                nextNs = Deadline.earlier(nextNs, query.endNs);
            }
        }
        return nextNs;
    }

    void deviceRemoved(HostDevice device) {
        for (Query query : List.copyOf(queries)) {
            if (query.device.equals(device)) {
                complete(query, Errno.ENODEV);
            }
        }
    }

    private void complete(Query query, @Nullable Errno error) {
        if (queries.remove(query)) {
            query.done.accept(error);
        }
    }
}
