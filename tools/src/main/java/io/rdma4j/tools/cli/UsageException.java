// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.cli;

/**
 * The command line is wrong; the message names the argument. The tool ends with exit code 2, or with the code of the
 * exception.
 */
public final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Exit code of tools that define no other for wrong arguments. */
    public static final int DEFAULT_EXIT_CODE = 2;

    private final int exitCode;

    /** Creates an exception with the default exit code. */
    public UsageException(String message) {
        this(message, DEFAULT_EXIT_CODE);
    }

    /** Creates an exception. */
    public UsageException(String message, int exitCode) {
        super(message);
        this.exitCode = exitCode;
    }

    /** Returns the exit code of the tool. */
    public int exitCode() {
        return exitCode;
    }
}
