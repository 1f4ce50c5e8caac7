// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.lab;

/**
 * Result of a program.
 *
 * @param exitCode 0 for success; {@link #TIMED_OUT} if it was killed after its time limit
 * @param text standard output and error output
 */
public record Output(int exitCode, String text) {
    /** Exit code of {@code timeout(1)}. */
    public static final int TIMED_OUT = 124;

    /** True if the exit code is 0. */
    public boolean ok() {
        return exitCode == 0;
    }
}
