// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.devtools;

import io.rdma4j.testing.ledger.LedgerReport;
import io.rdma4j.testing.ledger.LedgerReport.Subsystem;
import io.rdma4j.testing.ledger.ReportJson;
import io.rdma4j.testing.ledger.ReportText;
import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** {@code features}: prints which rows of the feature list the last test run proved. */
final class FeaturesCommand extends GetoptCommand {
    /** System property that the launcher sets: the project's root directory. */
    private static final String HOME = "rdma4j.home";

    private static final int FAILED = 1;
    private static final String VERBOSE = "verbose";

    FeaturesCommand() {
        super(
                "features",
                UsageException.DEFAULT_EXIT_CODE,
                Option.flag('v', VERBOSE, "list each row and the tests that prove it"),
                Option.JSON);
    }

    @Override
    protected String synopsis() {
        return """
            Usage: features [OPTION...] [PREFIX]

            Prints for each subsystem, or for that of one PREFIX, such as QP, the rows of the feature list that the
            last test run proved.\
            """;
    }

    @Override
    protected int run(Options options, PrintWriter out, PrintWriter err) {
        atMostOperands(options, 1);
        Optional<LedgerReport> report = LedgerReport.read(Path.of(System.getProperty(HOME, "")));
        if (report.isEmpty()) {
            err.println("features: there are no test results yet; run './rdma4j test' first");
            return FAILED;
        }
        List<Subsystem> subsystems = chosen(report.get(), options.operands());
        boolean verbose = options.has(VERBOSE);
        if (options.has(Option.JSON.name())) {
            out.println(ReportJson.text(subsystems, verbose));
        } else {
            ReportText.lines(subsystems, verbose).forEach(out::println);
        }
        return 0;
    }

    private static List<Subsystem> chosen(LedgerReport report, List<String> prefixes) {
        if (prefixes.isEmpty()) {
            return report.subsystems();
        }
        String prefix = prefixes.getFirst();
        return List.of(report.find(prefix.toUpperCase(Locale.ROOT))
                .orElseThrow(() -> new UsageException("there is no prefix '" + prefix + "'; there are "
                        + report.subsystems().stream().map(Subsystem::prefix).collect(Collectors.joining(" ")))));
    }
}
