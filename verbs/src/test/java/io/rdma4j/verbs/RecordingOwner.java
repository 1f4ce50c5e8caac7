// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.verbs.spi.ring.CompletionOwner;

/** Owner of a completion ring that records its callbacks; the test sets the time. */
final class RecordingOwner implements CompletionOwner {
    long nowNs = 1_000_000;
    int events;
    int errors;
    int deadlineChanges;

    @Override
    public void completion() {
        events++;
    }

    @Override
    public void error() {
        errors++;
    }

    @Override
    public long nanoTime() {
        return nowNs;
    }

    @Override
    public void deadlineChanged() {
        deadlineChanges++;
    }
}
