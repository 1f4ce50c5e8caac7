// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.devtools.dropin;

/**
 * Result of a case of the suite.
 *
 * @param step the step that it belongs to
 * @param name name of the case within the step
 * @param outcome what came of it
 * @param seconds duration in seconds
 * @param detail why it failed or was skipped, or what was measured; may be empty
 */
public record CaseResult(String step, String name, Outcome outcome, double seconds, String detail) {
    /** Outcome of a case. */
    public enum Outcome {
        /** The program did what it should. */
        PASS,

        /** It did not. */
        FAIL,

        /** It did not, as the list of such cases says, with the reason. */
        KNOWN,

        /** This machine lacks something, or the device does not have what the case is about. */
        SKIP
    }
}
