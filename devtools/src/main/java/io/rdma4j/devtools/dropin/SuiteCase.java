// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.devtools.dropin;

import java.io.IOException;

/**
 * A case of the suite.
 *
 * @param step what it belongs to
 * @param name its name within the step
 * @param isQuick true if the short form of the suite has it
 * @param body what it does
 */
record SuiteCase(String step, String name, boolean isQuick, Body body) {
    /** What a case does. */
    interface Body {
        /**
         * Returns what was measured, or an empty text.
         *
         * @throws CaseFailure if a program does not do what it should
         */
        String run(ProgramRunner programs) throws IOException, InterruptedException, CaseFailure;
    }

    /** The text that {@code --only} matches. */
    String label() {
        return step + "/" + name;
    }
}
