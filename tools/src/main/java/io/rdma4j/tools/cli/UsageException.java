package io.rdma4j.tools.cli;

/** The command line is wrong; the message names the argument. Ends the tool with exit code 2, or its own. */
public final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Of a tool that has no exit code of its own for wrong arguments. */
    public static final int DEFAULT_EXIT_CODE = 2;

    private final int exitCode;

    /** Wrong usage of a tool without an exit code of its own for it. */
    public UsageException(String message) {
        this(message, DEFAULT_EXIT_CODE);
    }

    /** Wrong usage. */
    public UsageException(String message, int exitCode) {
        super(message);
        this.exitCode = exitCode;
    }

    /** What the tool ends with. */
    public int exitCode() {
        return exitCode;
    }
}
