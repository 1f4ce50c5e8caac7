package io.rdma4j.interop.suite;

/**
 * How a scenario went.
 *
 * @param detail what is worth telling, or what went wrong; may be empty
 * @param millis that it took
 */
public record Result(Setup setup, String scenario, Direction direction, Outcome outcome, String detail, long millis) {
    /** In short. */
    public enum Outcome {
        /** As it should be. */
        PASS,
        /** Not as it should be. */
        FAIL,
        /** One of the two cannot do that. */
        SKIP
    }
}
