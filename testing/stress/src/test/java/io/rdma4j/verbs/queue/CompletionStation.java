package io.rdma4j.verbs.queue;

import io.rdma4j.base.SpinLock;
import io.rdma4j.verbs.CompletionCursor;
import io.rdma4j.verbs.CqInitAttributes;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import java.util.concurrent.atomic.AtomicInteger;

/** A completion queue between an engine and an application, and the events that it raises. */
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

    /** The engine's part; 1 if it was posted. */
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

    /** The application's part: the number of a completion, 0 if there is none, -1 if it is not whole. */
    int poll() {
        try (CompletionCursor completion = cursor.start()) {
            if (!completion.next()) {
                return 0;
            }
            int wrId = (int) completion.wrId();
            return wrId == completion.qpNumber() && wrId == completion.byteLength() ? wrId : -1;
        }
    }

    /** As a device does it: no poller, and nobody in the loop. */
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
        // nothing is moderated
    }
}
