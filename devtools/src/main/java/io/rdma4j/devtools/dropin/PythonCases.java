// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.devtools.dropin;

import io.rdma4j.devtools.dropin.CaseResult.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs rdma-core's own tests in Python. The file {@code not-passed-44.txt} lists the cases that may be skipped or fail,
 * with the reason; a case that does not pass and is not listed counts as failed.
 */
final class PythonCases {
    static final String STEP = "rdma-core";

    private static final Duration LIMIT = Duration.ofMinutes(8);

    /** Cases for the adapters of a vendor, and for graphics memory. */
    private static final Pattern OF_VENDORS = Pattern.compile("tests\\.test_(mlx5|efa|cuda)");

    /** The first line of a case: method and class. A line of description may follow. */
    private static final Pattern CASE = Pattern.compile("(?m)^(test\\w+) \\((tests\\.[\\w.]+)\\)");

    /** The verdict, which messages of the program may stand before. */
    private static final Pattern VERDICT = Pattern.compile("(?m)(ok|FAIL|ERROR|skipped (['\"])(.*)\\2)$");

    /** Stands before the first report of a failed case. */
    private static final String END = "\n======";

    private final Path directory;

    /** @param directory the parent of the directory {@code tests} */
    PythonCases(Path directory) {
        this.directory = directory;
    }

    List<CaseResult> run(ProgramRunner programs) throws IOException, InterruptedException, CaseFailure {
        String said = programs.runAnyway(
                LIMIT,
                directory,
                List.of(
                        "python3",
                        "tests/run_tests.py",
                        "--dev",
                        ProgramRunner.DEVICE,
                        "--port",
                        "1",
                        "--gid",
                        "0",
                        "-v"));
        return results(said);
    }

    /** Reads the output of the tests. */
    static List<CaseResult> results(String said) throws IOException, CaseFailure {
        Map<String, Expected> expected = expected();
        List<CaseResult> results = new ArrayList<>();
        String cases = said.contains(END) ? said.substring(0, said.indexOf(END)) : said;
        Matcher found = CASE.matcher(cases);
        Matcher verdict = VERDICT.matcher(cases);
        while (found.find()) {
            String name = caseName(found.group(2), found.group(1));
            if (!OF_VENDORS.matcher(name).lookingAt() && verdict.find(found.end())) {
                String reason = Objects.requireNonNullElse(verdict.group(3), "");
                results.add(result(name, verdict.group(1), reason, expected));
            }
        }
        if (results.isEmpty()) {
            throw new CaseFailure("no case was run: " + said);
        }
        return results;
    }

    /** Python 3.11 and later print the method as a part of the class. */
    private static String caseName(String type, String method) {
        return type.endsWith("." + method) ? type : type + "." + method;
    }

    private static CaseResult result(String name, String verdict, String reason, Map<String, Expected> expected) {
        String shown = name.substring("tests.".length());
        if (verdict.equals("ok")) {
            return new CaseResult(STEP, shown, Outcome.PASS, 0, "");
        }
        boolean skipped = verdict.startsWith("skipped");
        Expected listed = expected.get(shown);
        if (listed == null || !skipped && !listed.mayFail) {
            String said = skipped ? "skipped, and not in the list of such cases: " + reason : verdict;
            return new CaseResult(STEP, shown, Outcome.FAIL, 0, said);
        }
        return new CaseResult(STEP, shown, skipped ? Outcome.SKIP : Outcome.KNOWN, 0, listed.reason);
    }

    /** A case that does not pass. */
    private record Expected(boolean mayFail, String reason) {}

    private static Map<String, Expected> expected() throws IOException {
        Map<String, Expected> cases = new LinkedHashMap<>();
        try (InputStream in = Objects.requireNonNull(PythonCases.class.getResourceAsStream("not-passed-44.txt"))) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            for (String line :
                    text.lines().filter(line -> !line.startsWith("#")).toList()) {
                String[] parts = line.split(" ", 3);
                cases.put(parts[1], new Expected(parts[0].equals("fails"), parts[2]));
            }
        }
        return cases;
    }
}
