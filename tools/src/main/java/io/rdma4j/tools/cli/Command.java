// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.cli;

import java.io.PrintWriter;

/** Executes a tool. One object serves one run. */
public interface Command {
    /**
     * Runs the tool.
     *
     * @param arguments arguments after the tool's name
     * @param out standard output
     * @param err standard error
     * @return exit code: 0 success, 1 failure, 2 wrong usage, or a code that the tool defines
     * @throws UsageException if the arguments are wrong
     * @throws Exception {@code Main} prints {@code RdmaException} and {@code IOException} as one line
     */
    int run(String[] arguments, PrintWriter out, PrintWriter err) throws Exception;

    /** Prints the usage of the tool. */
    void usage(PrintWriter out);
}
