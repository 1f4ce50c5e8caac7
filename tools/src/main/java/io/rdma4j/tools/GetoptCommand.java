package io.rdma4j.tools;

import java.io.PrintWriter;

/**
 * A tool that reads its arguments as the C programs do: see {@link OptionTable}.
 *
 * <p>The counterpart of {@link ParsedCommand} for tools that have an original in rdma-core, whose scripts expect its ways,
 * and for those that must start fast.
 */
abstract class GetoptCommand implements Command {
    private final String name;
    private final OptionTable table;
    private final int usageExitCode;

    /** @param usageExitCode for wrong arguments */
    GetoptCommand(String name, int usageExitCode, Option... options) {
        this.name = name;
        this.table = new OptionTable(options);
        this.usageExitCode = usageExitCode;
    }

    /** What users type. */
    String name() {
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
     * Does the work.
     *
     * @return exit code
     * @throws UsageException if the options make no sense
     */
    abstract int run(Options options, PrintWriter out, PrintWriter err) throws Exception;

    /** What stands above the options in the help; begins with {@code Usage: NAME}. */
    abstract String synopsis();

    @Override
    public final void usage(PrintWriter out) {
        out.println(synopsis());
        out.println();
        out.println("Options:");
        table.printHelp(out);
    }

    /** @throws UsageException if there are more operands than the tool takes */
    static void atMostOperands(Options options, int max) {
        if (options.operands().size() > max) {
            throw new UsageException("'" + options.operands().get(max) + "' is one argument too many");
        }
    }
}
