// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import java.lang.System.Logger.Level;

/** Logs errors that were thrown in a loop. An error that repeats in each run is logged ever more rarely. Any thread. */
final class LoopErrors {
    private static final System.Logger LOGGER = System.getLogger(LoopErrors.class.getName());

    /** The first errors are all logged; after them only those whose number is a power of two. */
    private static final int LOGGED_EACH = 16;

    private int count;

    /** Logs an error with its cause. Does not throw, even if no memory is left. */
    void error(String message, Throwable cause) {
        try {
            int number = next();
            if (number <= LOGGED_EACH || Integer.bitCount(number) == 1) {
                LOGGER.log(Level.ERROR, message, cause);
            }
        } catch (Throwable e) {
            // Logging has failed, for example because the heap is full: the loop continues without it.
        }
    }

    private synchronized int next() {
        return ++count;
    }
}
