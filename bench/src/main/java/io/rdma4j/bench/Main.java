// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench;

import io.rdma4j.tools.cli.UsageException;
import java.io.PrintWriter;

/** Entry point of {@code ./rdma4j bench}. Exit codes: 0 success, 1 failure, 2 wrong usage. */
public final class Main {
    private Main() {}

    /** Runs one command line. */
    public static void main(String[] arguments) throws Exception {
        PrintWriter out = new PrintWriter(System.out, true, System.out.charset());
        PrintWriter err = new PrintWriter(System.err, true, System.err.charset());
        try {
            System.exit(new BenchCommand().run(arguments, out, err));
        } catch (UsageException e) {
            err.println("bench: " + e.getMessage());
            err.println("'./rdma4j bench --help' shows the options");
            System.exit(e.exitCode());
        }
    }
}
