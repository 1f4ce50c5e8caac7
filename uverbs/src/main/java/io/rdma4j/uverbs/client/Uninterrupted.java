package io.rdma4j.uverbs.client;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;

/**
 * Operations on files and sockets by a thread that may be interrupted. An interrupt closes the file under the operation; verbs do not fail
 * for that.
 */
final class Uninterrupted {
    private Uninterrupted() {}

    /** What can be done again from its beginning. */
    @FunctionalInterface
    interface Operation<T> {
        T run() throws IOException;
    }

    /** Runs an operation, again if an interrupt has ended it. The thread keeps its interrupt flag. */
    static <T> T run(Operation<T> operation) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return operation.run();
                } catch (ClosedByInterruptException e) {
                    interrupted = true;
                    Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
