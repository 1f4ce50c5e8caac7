package io.rdma4j.tools.peer;

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

    /** A failure whose reason is {@code cause}. */
    public ToolFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
