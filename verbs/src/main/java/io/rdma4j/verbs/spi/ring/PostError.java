// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * Stores the first error of a batch until the batch is completed. Posting must not throw in the middle of a batch, and
 * must not allocate without an error.
 */
final class PostError {
    private @Nullable RdmaException first;

    void clear() {
        first = null;
    }

    void set(Errno errno, String message) {
        if (first == null) {
            first = new RdmaException(errno, message);
        }
    }

    /**
     * Removes the stored error and fills in the caller's stack trace; null if there is none. The caller throws it after
     * it has released the queue.
     */
    @Nullable
    RdmaException take() {
        RdmaException error = first;
        if (error != null) {
            first = null;
            error.fillInStackTrace();
        }
        return error;
    }
}
