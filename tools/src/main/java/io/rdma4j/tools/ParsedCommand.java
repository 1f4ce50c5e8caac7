package io.rdma4j.tools;

import io.rdma4j.tools.cli.Command;
import io.rdma4j.tools.cli.UsageException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/**
 * A tool whose arguments picocli parses.
 *
 * <p>picocli's class files are too old for the JVM's start-up cache, so that such a tool starts visibly later than one
 * that looks at its few arguments itself.
 */
final class ParsedCommand implements Command {
    private final Callable<Integer> work;
    private final CommandLine commandLine;

    /** @param work annotated for picocli; prints through {@code CommandSpec.commandLine()}, returns the exit code */
    ParsedCommand(Callable<Integer> work) {
        this.work = work;
        this.commandLine = new CommandLine(work);
    }

    @Override
    public int run(String[] arguments, PrintWriter out, PrintWriter err) throws Exception {
        commandLine.setOut(out).setErr(err);
        parse(arguments);
        if (commandLine.isUsageHelpRequested()) {
            usage(out);
            return 0;
        }
        return work.call();
    }

    private void parse(String[] arguments) {
        try {
            commandLine.parseArgs(arguments);
        } catch (RuntimeException e) {
            // Not caught by its own name: the JVM would have to load it to check this class at every start of any tool.
            if (!(e instanceof ParameterException)) {
                throw e;
            }
            throw new UsageException(
                    String.valueOf(e.getMessage()), commandLine.getCommandSpec().exitCodeOnInvalidInput());
        }
    }

    @Override
    public void usage(PrintWriter out) {
        commandLine.usage(out);
    }
}
