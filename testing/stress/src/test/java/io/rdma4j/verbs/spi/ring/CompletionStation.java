// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import io.rdma4j.base.SpinLock;
import io.rdma4j.verbs.CqInitAttributes;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import java.util.concurrent.atomic.AtomicInteger;

/** A completion queue between an engine and an application, with counters of its events. */
final class CompletionStation implements CompletionOwner {
    final CompletionRing ring;
    final RingCompletionCursor cursor;
    final AtomicInteger events = new AtomicInteger();
    final AtomicInteger errors = new AtomicInteger();
    private final CompletionEntry entry = new CompletionEntry();
    private final SpinLock loop = new SpinLock();

    CompletionStation(int entries) {
        ring = new CompletionRing(CqInitAttributes.of(entries), this);
        cursor = new RingCompletionCursor(ring, () -> {});
    }

    /** Engine: posts a completion; 1 if it was posted. */
    int post(int wrId) {
        loop.lock();
        try {
            entry.begin(wrId, WcStatus.SUCCESS, WcOpcode.SEND, wrId);
            entry.byteLength = wrId;
            return ring.post(entry, false) ? 1 : 0;
        } finally {
            loop.unlock();
        }
    }

    /** Application: returns the number of a completion, 0 if there is none, -1 if it is incomplete. */
    int poll() {
        try (CompletionCursor completion = cursor.start()) {
            if (!completion.next()) {
                return 0;
            }
            int wrId = (int) completion.wrId();
            return wrId == completion.qpNumber() && wrId == completion.byteLength() ? wrId : -1;
        }
    }

    /** Resizes like a device: no thread polls, and the loop is locked. */
    void resize(int entries) {
        cursor.exclusively(() -> {
            loop.lock();
            try {
                ring.resize(entries);
            } finally {
                loop.unlock();
            }
        });
    }

    @Override
    public void completion() {
        events.incrementAndGet();
    }

    @Override
    public void error() {
        errors.incrementAndGet();
    }

    @Override
    public long nanoTime() {
        return 0;
    }

    @Override
    public void deadlineChanged() {
        // no moderation
    }
}
