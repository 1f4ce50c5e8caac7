// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.devtools;

import io.rdma4j.devtools.dropin.CaseResult;
import io.rdma4j.devtools.dropin.CaseResult.Outcome;
import io.rdma4j.devtools.dropin.DropinSuite;
import io.rdma4j.devtools.dropin.ProgramRunner;
import io.rdma4j.devtools.dropin.ProgramTree;
import io.rdma4j.interop.suite.DropInLauncher;
import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code dropin}: plays unmodified programs of Debian's packages, and rdma-core's own tests, with the drop-in library.
 *
 * <p>Exit code 0 if no case failed, 1 if one failed.
 */
final class DropinCommand extends GetoptCommand {
    private static final int FAILED = 1;
    private static final String SUITE = "suite";
    private static final String ONLY = "only";
    private static final String QUICK = "quick";
    private static final Duration DOWNLOAD = Duration.ofMinutes(10);

    DropinCommand() {
        super(
                "dropin",
                UsageException.DEFAULT_EXIT_CODE,
                Option.flag(Option.NO_LETTER, SUITE, "play the suite"),
                Option.value(
                        Option.NO_LETTER, ONLY, "pattern", "cases whose STEP/NAME has this in it (regular expression)"),
                Option.flag(Option.NO_LETTER, QUICK, "one case of each kind"),
                Option.JSON);
    }

    @Override
    protected String synopsis() {
        return """
            Usage: dropin --suite [--quick] [--only=<pattern>] [--json]

            Runs the programs of rdma-core and perftest, and rdma-core's own tests in Python, with the library of
            'run'. Downloads Debian's packages with apt-get at the first time, and unpacks them into
            ~/.cache/rdma4j/dropin-suite. Nothing is installed. Needs Debian or a system like it, and a C compiler.\
            """;
    }

    @Override
    protected int run(Options options, PrintWriter out, PrintWriter err) throws IOException {
        atMostOperands(options, 0);
        if (!options.has(SUITE)) {
            throw new UsageException("say --suite to play the suite");
        }
        Predicate<String> chosen = pattern(options.text(ONLY));
        ProgramTree tree = unpacked(err);
        boolean json = options.has(Option.JSON.name());
        List<CaseResult> results = new ArrayList<>();
        play(tree, options.has(QUICK), chosen, result -> {
            results.add(result);
            if (!json) {
                out.println(line(result));
                out.flush();
            }
        });
        out.println(json ? Json.text(results.stream().map(DropinCommand::json).toList()) : summary(results));
        return count(results, Outcome.FAIL) == 0 ? 0 : FAILED;
    }

    private static ProgramTree unpacked(PrintWriter err) throws IOException {
        ProgramTree tree = ProgramTree.ofUser();
        if (!tree.isComplete()) {
            err.println("dropin: downloading Debian's packages to " + tree.directory());
            tree.unpack(DOWNLOAD);
        }
        return tree;
    }

    /** Starts the programs of Debian's packages, which are downloaded at the first time, with the drop-in library. */
    static DropInLauncher dropIn(PrintWriter err) throws IOException {
        return dropIn(unpacked(err));
    }

    private static DropInLauncher dropIn(ProgramTree tree) throws IOException {
        return new DropInLauncher(List.of(home().resolve("rdma4j").toString(), "run"), tree.environment(""));
    }

    private static Path home() {
        return Path.of(System.getProperty("rdma4j.home", ""));
    }

    private static void play(ProgramTree tree, boolean quick, Predicate<String> chosen, Consumer<CaseResult> listener)
            throws IOException {
        Path home = home();
        Path library = home.resolve("devtools/target/launcher/libibverbs.so.1");
        Path scratch = Files.createTempDirectory("rdma4j-dropin");
        try {
            DropInLauncher dropIn = dropIn(tree);
            ProgramRunner programs = new ProgramRunner(dropIn.launcher(), dropIn.environment(), scratch);
            Path layout = home.resolve("dropin/src/test/c/layout.c");
            DropinSuite suite = new DropinSuite(programs, library, tree, layout, listener);
            if (quick) {
                suite.playFew();
            } else {
                suite.playAll(chosen);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } finally {
            delete(scratch);
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) {
                Files.delete(file);
            }
        }
    }

    private static Predicate<String> pattern(@Nullable String only) {
        try {
            return only == null ? _ -> true : Pattern.compile(only).asPredicate();
        } catch (PatternSyntaxException e) {
            throw new UsageException("--only=" + only + ": " + e.getDescription());
        }
    }

    private static String line(CaseResult result) {
        String line = String.format(
                Locale.ROOT,
                "%-10s %-66s %s %6.1f s  %s",
                result.step(),
                result.name(),
                result.outcome(),
                result.seconds(),
                result.detail());
        return line.stripTrailing();
    }

    private static Map<String, Object> json(CaseResult result) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("step", result.step());
        members.put("name", result.name());
        members.put("outcome", result.outcome().name());
        members.put("seconds", result.seconds());
        members.put("detail", result.detail());
        return members;
    }

    private static long count(List<CaseResult> results, Outcome outcome) {
        return results.stream().filter(result -> result.outcome() == outcome).count();
    }

    private static String summary(List<CaseResult> results) {
        return count(results, Outcome.PASS) + " passed, " + count(results, Outcome.SKIP) + " skipped, "
                + count(results, Outcome.KNOWN) + " fail as listed, "
                + count(results, Outcome.FAIL) + " failed";
    }
}
