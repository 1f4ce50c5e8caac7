// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

/** Registration of an observer, see {@link MadPort#snoop}. */
public final class MadSnoop implements AutoCloseable {
    private final Runnable removal;

    MadSnoop(Runnable removal) {
        this.removal = removal;
    }

    /** Removes the observer. Idempotent. */
    @Override
    public void close() {
        removal.run();
    }
}
