// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

import java.io.IOException;

/**
 * A test of rdma4j with Linux.
 *
 * @param name that selects it: {@code GROUP/NAME}
 * @param play executes it
 */
public record Scenario(String name, Play play) {
    /** Executes a scenario. */
    @FunctionalInterface
    public interface Play {
        /**
         * Executes the scenario once.
         *
         * @param stage guest and programs
         * @param direction requesting side
         * @return summary for the table; may be empty
         * @throws Mismatch if a result is wrong
         * @throws Skipped if one of the sides does not support it
         * @throws IOException if the lab fails
         */
        String play(Stage stage, Direction direction) throws IOException;
    }

    /** A result is wrong. The message describes it. */
    public static final class Mismatch extends RuntimeException {
        private static final long serialVersionUID = 1;

        /** @param message expected and actual result */
        public Mismatch(String message) {
            super(message);
        }
    }

    /** One of the sides does not support the scenario. The message contains the reason. */
    public static final class Skipped extends RuntimeException {
        private static final long serialVersionUID = 1;

        /** @param message side, and reason */
        public Skipped(String message) {
            super(message);
        }
    }
}
