package io.rdma4j.tools.cli;

import java.io.PrintWriter;

/** What a tool does. Made for one run. */
public interface Command {
    /**
     * Runs the tool.
     *
     * @param arguments what follows the tool's name
     * @param out standard output
     * @param err standard error
     * @return exit code: 0 well, 1 failed, 2 wrong usage, or the tool's own
     * @throws UsageException if the arguments are wrong
     * @throws Exception {@code Main} prints {@code RdmaException} and {@code IOException} as one line
     */
    int run(String[] arguments, PrintWriter out, PrintWriter err) throws Exception;

    /** Prints how to call the tool. */
    void usage(PrintWriter out);
}
