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

    boolean isSet() {
        return first != null;
    }

    void set(Errno errno, String message) {
        if (first == null) {
            first = new RdmaException(errno, message);
        }
    }

    /** Throws what was remembered, with the stack of the caller. */
    void raise() {
        RdmaException error = first;
        first = null;
        if (error != null) {
            error.fillInStackTrace();
            throw error;
        }
    }
}
