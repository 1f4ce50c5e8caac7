// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.cli;

import java.io.PrintWriter;

/** A tool that parses its arguments like the C programs: see {@link OptionTable}. */
public abstract class GetoptCommand implements Command {
    private final String name;
    private final OptionTable table;
    private final int usageExitCode;

    /** @param usageExitCode exit code for wrong arguments */
    protected GetoptCommand(String name, int usageExitCode, Option... options) {
        this.name = name;
        this.table = new OptionTable(options);
        this.usageExitCode = usageExitCode;
    }

    /** Returns the name that users type. */
    protected final String name() {
        return name;
    }

    @Override
    public final int run(String[] arguments, PrintWriter out, PrintWriter err) throws Exception {
        try {
            Options options = table.parse(arguments);
            if (options.has(Option.HELP.name())) {
                usage(out);
                return 0;
            }
            return run(options, out, err);
        } catch (UsageException e) {
            throw new UsageException(String.valueOf(e.getMessage()), usageExitCode);
        }
    }

    /**
     * Executes the tool.
     *
     * @return exit code
     * @throws UsageException if the options contradict each other
     */
    protected abstract int run(Options options, PrintWriter out, PrintWriter err) throws Exception;

    /** Returns the help text above the options; begins with {@code Usage: NAME}. */
    protected abstract String synopsis();

    @Override
    public final void usage(PrintWriter out) {
        out.println(synopsis());
        out.println();
        out.println("Options:");
        table.printHelp(out);
    }

    /** @throws UsageException if there are more than {@code max} operands */
    protected static void atMostOperands(Options options, int max) {
        if (options.operands().size() > max) {
            throw new UsageException("'" + options.operands().get(max) + "' is one argument too many");
        }
    }
}
