// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import io.rdma4j.base.RdmaException;
import io.rdma4j.tools.cli.NearestName;
import io.rdma4j.tools.cli.Tool;
import io.rdma4j.tools.cli.UsageException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The dispatcher: {@code rdma4j [--trace] TOOL [ARGUMENT…]}.
 *
 * <p>Looks up the first word in the table of {@link Tool}s before it loads a class of the tool. Exit codes: 0 success,
 * 1 the tool failed, 2 wrong usage; a tool may define others.
 */
public final class Main {
    private static final int FAILED = 1;
    private static final int USAGE = UsageException.DEFAULT_EXIT_CODE;

    private final List<Tool> tools;

    /** Tools of other modules, searched only for {@code help} and for names that are not in {@link #tools}. */
    private final Supplier<List<Tool>> more;

    private final PrintWriter out;
    private final PrintWriter err;

    /** Creates the dispatcher for the tools of all modules. */
    public Main(PrintWriter out, PrintWriter err) {
        this(ToolTable.TABLE, ToolTable::ofOtherModules, out, err);
    }

    /** Creates a dispatcher for the given tools. */
    public Main(List<Tool> tools, PrintWriter out, PrintWriter err) {
        this(tools, List::of, out, err);
    }

    private Main(List<Tool> tools, Supplier<List<Tool>> more, PrintWriter out, PrintWriter err) {
        this.tools = tools;
        this.more = more;
        this.out = out;
        this.err = err;
    }

    /** Entry point of the process. */
    public static void main(String[] arguments) {
        QuietLogging.install();
        Main main = new Main(
                new PrintWriter(System.out, true, System.out.charset()),
                new PrintWriter(System.err, true, System.err.charset()));
        System.exit(main.run(arguments));
    }

    /** Runs one command line, flushes the output and returns the exit code. */
    public int run(String... arguments) {
        try {
            return dispatch(arguments);
        } finally {
            out.flush();
            err.flush();
        }
    }

    private int dispatch(String... arguments) {
        boolean trace = arguments.length > 0 && arguments[0].equals("--trace");
        String[] rest = trace ? tail(arguments) : arguments;
        if (rest.length == 0) {
            printUsage(err);
            return USAGE;
        }
        return switch (rest[0]) {
            case "help", "-h", "--help" -> help(tail(rest));
            case "-V", "--version" -> version();
            default -> {
                Tool tool = find(rest[0]);
                yield tool == null ? unknown(rest[0]) : execute(tool, tail(rest), trace);
            }
        };
    }

    private int execute(Tool tool, String[] arguments, boolean trace) {
        try {
            return tool.command().run(arguments, out, err);
        } catch (UsageException e) {
            err.println(tool.name() + ": " + e.getMessage());
            err.println("'./rdma4j help " + tool.name() + "' shows the options");
            return e.exitCode();
        } catch (RdmaException | IOException | UncheckedIOException e) {
            return failed(tool, e, trace);
        } catch (Exception e) {
            return failed(tool, e, true);
        }
    }

    /** Prints one line for errors that the user can correct, a stack trace for all others. */
    private int failed(Tool tool, Exception exception, boolean trace) {
        if (trace) {
            exception.printStackTrace(err);
        } else {
            err.println(tool.name() + ": " + exception.getMessage());
        }
        return FAILED;
    }

    private @Nullable Tool find(String name) {
        Tool own = find(name, tools);
        return own != null ? own : find(name, more.get());
    }

    private static @Nullable Tool find(String name, List<Tool> tools) {
        for (Tool tool : tools) {
            if (tool.name().equals(name)) {
                return tool;
            }
        }
        return null;
    }

    private Stream<Tool> all() {
        return Stream.concat(tools.stream(), more.get().stream());
    }

    private int unknown(String name) {
        if (LauncherWord.TABLE.stream().anyMatch(word -> word.name().equals(name))) {
            err.println("rdma4j: '" + name + "' is run by the launcher script only: ./rdma4j " + name);
            return USAGE;
        }
        List<String> names = Stream.concat(
                        all().map(Tool::name), LauncherWord.TABLE.stream().map(LauncherWord::name))
                .toList();
        err.println("rdma4j: there is no tool '" + name + "'; "
                + NearestName.of(name, names)
                        .map(near -> "did you mean " + near + "? ")
                        .orElse("")
                + "'./rdma4j help' lists them");
        return USAGE;
    }

    private int help(String[] names) {
        if (names.length == 0) {
            printUsage(out);
            return 0;
        }
        for (LauncherWord word : LauncherWord.TABLE) {
            if (word.name().equals(names[0])) {
                out.println(word.usage());
                return 0;
            }
        }
        Tool tool = find(names[0]);
        if (tool == null) {
            return unknown(names[0]);
        }
        tool.command().usage(out);
        return 0;
    }

    private int version() {
        String version = Main.class.getPackage().getImplementationVersion();
        out.println("rdma4j " + (version == null ? "(not run from its jar)" : version));
        return 0;
    }

    private void printUsage(PrintWriter to) {
        to.println("""
            usage: ./rdma4j [--trace] TOOL [ARGUMENT...]
                   ./rdma4j help [TOOL] | --version
                   ./rdma4j bench [ARGUMENT...]
                   ./rdma4j example NAME [ARGUMENT...]
                   ./rdma4j run PROGRAM [ARGUMENT...]
                   ./rdma4j test [MAVEN-ARGUMENT...]
                   ./rdma4j dist

            --trace  print the stack trace of an error

            tools:\
            """);
        all().forEach(tool -> to.printf("  %-18s %s%n", tool.name(), tool.summary()));
        for (LauncherWord word : LauncherWord.TABLE) {
            to.printf("  %-18s %s%n", word.name(), word.summary());
        }
    }

    private static String[] tail(String[] words) {
        return Arrays.copyOfRange(words, 1, words.length);
    }
}
