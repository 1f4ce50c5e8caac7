package io.rdma4j.tools.peer;

import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/**
 * A tool cannot go on. The message is the line that the user gets, in the words of the original program where there is one; the
 * cause, if there is one, has the reason.
 */
public final class ToolFailure extends Exception {
    private static final long serialVersionUID = 1L;

    /** A failure that explains itself. */
    public ToolFailure(String message) {
        super(message);
    }

    /**
     * Tells the user: the message, and the reason if the cause has a text.
     *
     * @param tool name of the tool, in front of the reason
     */
    public void print(String tool, PrintWriter err) {
        err.println(getMessage());
        Throwable cause = getCause();
        if (cause != null && cause.getMessage() != null) {
            err.println(tool + ": " + cause.getMessage());
        }
    }

    /** A failure whose reason is {@code cause}. */
    public ToolFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
