// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sa;

/** The handle of a query. Corresponds to {@code struct ib_sa_query} and its ID. Any thread. */
public final class SaQuery {
    private final int id;
    private final Runnable cancellation;

    SaQuery(int id, Runnable cancellation) {
        this.id = id;
        this.cancellation = cancellation;
    }

    /** {@return the number of the query, unique among those in progress} */
    public int id() {
        return id;
    }

    /** Cancels the query: its handler soon gets EINTR. No effect on a query that has ended. */
    public void cancel() {
        cancellation.run();
    }
}
