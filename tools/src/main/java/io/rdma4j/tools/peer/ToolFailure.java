// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.peer;

import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/**
 * A tool cannot continue. The message is the line for the user, with the text of the original program if it has one.
 * The cause, if there is one, has the reason.
 */
public final class ToolFailure extends Exception {
    private static final long serialVersionUID = 1L;

    /** Creates a failure without a cause. */
    public ToolFailure(String message) {
        super(message);
    }

    /**
     * Prints the message, and the reason if the cause has a text.
     *
     * @param tool name of the tool, printed before the reason
     */
    public void print(String tool, PrintWriter err) {
        err.println(getMessage());
        Throwable cause = getCause();
        if (cause != null && cause.getMessage() != null) {
            err.println(tool + ": " + cause.getMessage());
        }
    }

    /** Creates a failure with a cause. */
    public ToolFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
