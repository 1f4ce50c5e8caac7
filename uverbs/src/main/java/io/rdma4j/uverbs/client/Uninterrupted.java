// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;

/**
 * Repeats operations on files and sockets that an interrupt has ended. The JDK closes the file or socket when its
 * thread is interrupted; verbs must not fail because of that.
 */
final class Uninterrupted {
    private Uninterrupted() {}

    /** An operation that can be repeated from its beginning. */
    @FunctionalInterface
    interface Operation<T> {
        T run() throws IOException;
    }

    /** Runs an operation, and repeats it if an interrupt has ended it. The thread keeps its interrupt flag. */
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
