package io.rdma4j.verbs.queue;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * The first mistake of a batch, kept until the batch is completed: posting itself must neither throw half-way nor
 * allocate when all is well.
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

    /** Takes what is remembered, with the stack of the caller, for it to be thrown once the queue is another poster's; null if nothing is. */
    @Nullable
    RdmaException take() {
        RdmaException error = first;
        first = null;
        if (error != null) {
            error.fillInStackTrace();
        }
        return error;
    }
}
