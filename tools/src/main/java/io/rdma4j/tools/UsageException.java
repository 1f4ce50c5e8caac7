package io.rdma4j.tools;

/**
 * The command line is wrong; the message names the argument. Ends the tool with exit code 2, or its own.
 *
 * <p>Throw this rather than picocli's {@code ParameterException}: a class of the tools that throws or catches that one
 * makes the JVM open picocli's jar at the start of every tool.
 */
final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    UsageException(String message) {
        this(message, Main.USAGE);
    }

    UsageException(String message, int exitCode) {
        super(message);
        this.exitCode = exitCode;
    }

    int exitCode() {
        return exitCode;
    }
}
