// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.shell;

/** Exit codes of commands, as of a shell and of {@code iproute2}. */
public final class ExitCode {
    /** A command that failed. */
    public static final int FAILED = 1;

    /** Invalid words, as in {@code iproute2}. */
    public static final int USAGE = 255;

    /** An unknown command, as in a shell. */
    public static final int NOT_FOUND = 127;

    private ExitCode() {}
}
