// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.base.SpinLock;
import org.jspecify.annotations.Nullable;

/**
 * The posting end of a work queue: a lock that the posting thread holds from the start of a batch to its end, and the
 * first error of the batch. Posting must not throw in the middle of a batch, and must not allocate without an error.
 */
abstract sealed class PostingEnd extends SpinLock permits RingSendBatch, RingReceiveBatch {
    private @Nullable RdmaException first;

    PostingEnd() {}

    final void clearError() {
        first = null;
    }

    final void fail(Errno errno, String message) {
        if (first == null) {
            first = new RdmaException(errno, message);
        }
    }

    /**
     * Removes the stored error and fills in the caller's stack trace; null if there is none. The caller throws it after
     * it has released the queue.
     */
    final @Nullable RdmaException takeError() {
        RdmaException error = first;
        if (error != null) {
            first = null;
            error.fillInStackTrace();
        }
        return error;
    }
}
