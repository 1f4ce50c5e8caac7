// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.devtools;

import io.rdma4j.interop.lab.GuestImage;
import io.rdma4j.interop.lab.Lab;
import io.rdma4j.interop.lab.Parts;
import io.rdma4j.interop.peer.PeerProgram;
import io.rdma4j.interop.subnet.SubnetScenarios;
import io.rdma4j.interop.suite.DropInLauncher;
import io.rdma4j.interop.suite.Result;
import io.rdma4j.interop.suite.Result.Outcome;
import io.rdma4j.interop.suite.Suite;
import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.testing.ledger.InteropLedger;
import io.rdma4j.tools.ToolProcess;
import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * {@code interop}: runs all scenarios with the real Linux driver and rdma-core, in a guest that it builds and starts,
 * and prints the results.
 *
 * <p>Exit code 0 if none failed, 1 if one failed, 2 if this machine lacks a program, which is named.
 */
final class InteropCommand extends GetoptCommand {
    private static final int FAILED = 1;
    private static final int MISSING = 2;
    private static final Duration DOWNLOAD = Duration.ofMinutes(15);
    private static final String NAME = "rdma4j-interop";

    /** What a pattern begins with that names only scenarios of subnets, which need no guest. */
    private static final String SUBNETS = "fabric";

    InteropCommand() {
        super(
                "interop",
                UsageException.DEFAULT_EXIT_CODE,
                Option.value(
                        Option.NO_LETTER,
                        "only",
                        "pattern",
                        "scenarios whose line in the table has this in it (regular expression)"),
                Option.flag(Option.NO_LETTER, "quick", "one scenario of each kind"),
                Option.flag('k', "keep", "leave the guest up; the next run finds it"),
                Option.value(
                        Option.NO_LETTER,
                        "lab",
                        "name",
                        "of the lab, if there is to be more than one (default " + NAME + ")"),
                Option.flag(Option.NO_LETTER, "down", "end a guest that was kept, and do nothing else"),
                Option.value(Option.NO_LETTER, "peer", "device", "be our side of a verbs scenario (used by the suite)"),
                Option.value(Option.NO_LETTER, "socket", "path", "where such a side gets its commands from"),
                Option.JSON);
    }

    @Override
    protected String synopsis() {
        return """
            Usage: interop [--quick] [--only=<pattern>] [--keep] [--json]

            Starts a guest with the unmodified Linux driver rdma_rxe and rdma-core (QEMU, in a network namespace of its
            own), and plays scenarios between it and rdma4j, in both directions. Needs root.

            The scenarios of --only=fabric run OpenSM and infiniband-diags on a subnet of rdma4j. They need no guest and
            no root.\
            """;
    }

    @Override
    protected int run(Options options, PrintWriter out, PrintWriter err) throws IOException, InterruptedException {
        atMostOperands(options, 0);
        String peer = options.text("peer");
        String socket = options.text("socket");
        if (peer != null && socket != null) {
            PeerProgram.run(peer, Path.of(socket));
            return 0;
        }
        String only = options.text("only");
        if (only != null && only.startsWith(SUBNETS)) {
            return SubnetInterop.play(pattern(options), options.has(Option.JSON.name()), out, err).values().stream()
                            .allMatch(Boolean::booleanValue)
                    ? 0
                    : FAILED;
        }
        List<String> missing = Parts.missing();
        if (!missing.isEmpty()) {
            err.println("interop: this machine lacks");
            missing.forEach(part -> err.println("  " + part));
            return MISSING;
        }
        if (options.has("down")) {
            Lab.down(name(options));
            return 0;
        }
        return play(options, out, err);
    }

    private static int play(Options options, PrintWriter out, PrintWriter err)
            throws IOException, InterruptedException {
        Predicate<String> chosen = pattern(options);
        Path cache = GuestImage.userCache();
        if (!GuestImage.isPrepared(cache)) {
            err.println("interop: downloading the guest's packages to " + cache);
        }
        GuestImage image = GuestImage.prepare(cache, DOWNLOAD);
        String name = name(options);
        List<Result> results = new ArrayList<>();
        Lab lab = Lab.up(name, image);
        Thread atExit = Thread.ofPlatform().name("end of the lab").unstarted(() -> down(name, err));
        Runtime.getRuntime().addShutdownHook(atExit);
        try (lab) {
            err.println("interop: " + lab.description());
            play(lab, dropIn(options, err), options, chosen, result -> {
                results.add(result);
                if (!options.has(Option.JSON.name())) {
                    out.println(line(result));
                }
            });
        } finally {
            Runtime.getRuntime().removeShutdownHook(atExit);
            if (options.has("keep")) {
                err.println("interop: left up: " + lab.hint() + "; end it with: interop --down");
            } else {
                down(name, err);
            }
        }
        boolean json = options.has(Option.JSON.name());
        Map<String, Boolean> subnets = Map.of();
        if (!options.has("quick") && SubnetScenarios.names().stream().anyMatch(chosen)) {
            subnets = SubnetInterop.play(chosen, json, out, err);
        }
        if (options.text("only") == null && !options.has("quick")) {
            recordProofs(results, subnets);
        }
        out.println(json ? Json.text(results.stream().map(InteropCommand::json).toList()) : summary(results));
        return count(results, Outcome.FAIL) == 0 && !subnets.containsValue(false) ? 0 : FAILED;
    }

    /** The quick form has no scenario of the drop-in library, so it does not download the programs. */
    private static DropInLauncher dropIn(Options options, PrintWriter err) throws IOException {
        return options.has("quick") ? new DropInLauncher(List.of(), Map.of()) : DropinCommand.dropIn(err);
    }

    private static void play(
            Lab lab, DropInLauncher dropIn, Options options, Predicate<String> chosen, Consumer<Result> listener)
            throws IOException {
        Suite suite = new Suite(lab, ToolProcess.jvm(), dropIn, listener);
        if (options.has("quick")) {
            suite.playFew(chosen);
        } else {
            suite.playAll(chosen);
        }
    }

    /**
     * Records proofs: a scenario proves its rows if it passed in all directions and set-ups. A run of chosen scenarios
     * records nothing.
     */
    private static void recordProofs(List<Result> results, Map<String, Boolean> subnets) {
        String home = System.getProperty("rdma4j.home");
        String directory = System.getProperty(InteropLedger.DIRECTORY, home == null ? null : home + "/target/ledger");
        if (directory == null) {
            return; // not started by the launcher or by a test run
        }
        Map<String, Boolean> passed = new LinkedHashMap<>(subnets);
        for (Result result : results) {
            passed.merge(result.scenario(), result.outcome() == Outcome.PASS, Boolean::logicalAnd);
        }
        InteropLedger.committed().write(Path.of(directory), Suite.class.getName(), passed);
    }

    private static String name(Options options) {
        return Objects.requireNonNullElse(options.text("lab"), NAME);
    }

    private static void down(String name, PrintWriter err) {
        try {
            Lab.down(name);
        } catch (IOException e) {
            err.println("interop: cannot end the lab: " + e.getMessage());
        }
    }

    private static Predicate<String> pattern(Options options) {
        String only = options.text("only");
        try {
            return only == null ? _ -> true : Pattern.compile(only).asPredicate();
        } catch (PatternSyntaxException e) {
            throw new UsageException("--only=" + only + ": " + e.getDescription());
        }
    }

    private static String line(Result result) {
        return String.format(
                Locale.ROOT,
                "%-22s %-52s %-12s %s %6.1f s  %s",
                result.setup(),
                result.scenario(),
                result.direction().label(),
                result.outcome(),
                result.millis() / 1e3,
                result.detail());
    }

    private static Map<String, Object> json(Result result) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("setup", result.setup());
        members.put("scenario", result.scenario());
        members.put("direction", result.direction());
        members.put("outcome", result.outcome());
        members.put("detail", result.detail());
        members.put("ms", result.millis());
        return members;
    }

    private static String summary(List<Result> results) {
        return "interop: " + count(results, Outcome.PASS) + " passed, " + count(results, Outcome.FAIL) + " failed, "
                + count(results, Outcome.SKIP) + " skipped";
    }

    private static long count(List<Result> results, Outcome outcome) {
        return results.stream().filter(result -> result.outcome() == outcome).count();
    }
}
