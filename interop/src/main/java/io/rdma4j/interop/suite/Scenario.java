package io.rdma4j.interop.suite;

import java.io.IOException;

/**
 * One thing that both must be able to do with each other.
 *
 * @param name what users select it by: {@code GROUP/NAME}
 * @param play does it
 */
public record Scenario(String name, Play play) {
    /** The doing. */
    @FunctionalInterface
    public interface Play {
        /**
         * Plays it once.
         *
         * @return what is worth telling; may be empty
         * @throws Mismatch if the two did not do as they should
         * @throws Skipped if one of them cannot do that at all
         * @throws IOException if the lab breaks down
         */
        String play(Stage stage, Direction direction) throws IOException;
    }

    /** The two did not do as they should. The message says what. */
    public static final class Mismatch extends RuntimeException {
        private static final long serialVersionUID = 1;

        /** @param message what was expected and what came */
        public Mismatch(String message) {
            super(message);
        }
    }

    /** One of the two cannot do that at all. The message says why. */
    public static final class Skipped extends RuntimeException {
        private static final long serialVersionUID = 1;

        /** @param message who, and why */
        public Skipped(String message) {
            super(message);
        }
    }
}
