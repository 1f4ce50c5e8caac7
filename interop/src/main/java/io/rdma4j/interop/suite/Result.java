// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

/**
 * Result of a scenario.
 *
 * @param setup backend, IP version and MTU
 * @param scenario name of the scenario
 * @param direction requesting side
 * @param outcome success, failure or skip
 * @param detail summary, or description of the failure; may be empty
 * @param millis duration
 */
public record Result(Setup setup, String scenario, Direction direction, Outcome outcome, String detail, long millis) {
    /** Outcome of a scenario. */
    public enum Outcome {
        /** Success. */
        PASS,
        /** Failure. */
        FAIL,
        /** One of the sides does not support it. */
        SKIP
    }
}
