package io.rdma4j.tools;

import io.rdma4j.testing.ledger.LedgerReport;
import io.rdma4j.testing.ledger.LedgerReport.Subsystem;
import io.rdma4j.testing.ledger.ReportJson;
import io.rdma4j.testing.ledger.ReportText;
import io.rdma4j.tools.cli.UsageException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code features}: which rows of the feature list the last test run proved. */
@Command(
        name = "features",
        mixinStandardHelpOptions = true,
        description = "Prints for each subsystem the rows of the feature list that the last test run proved.")
final class FeaturesCommand implements Callable<Integer> {
    /** System property that the launcher sets: the project's root directory. */
    private static final String HOME = "rdma4j.home";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(arity = "0..1", paramLabel = "PREFIX", description = "one subsystem, such as QP")
    private @Nullable String prefix;

    @Option(
            names = {"-v", "--verbose"},
            description = "list each row and the tests that prove it")
    private boolean verbose;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    @Override
    public Integer call() {
        Optional<LedgerReport> report = LedgerReport.read(Path.of(System.getProperty(HOME, "")));
        if (report.isEmpty()) {
            spec.commandLine().getErr().println("features: there are no test results yet; run './rdma4j test' first");
            return 1;
        }
        PrintWriter out = spec.commandLine().getOut();
        List<Subsystem> subsystems = chosen(report.get());
        if (json) {
            out.println(ReportJson.text(subsystems, verbose));
        } else {
            ReportText.lines(subsystems, verbose).forEach(out::println);
        }
        return 0;
    }

    private List<Subsystem> chosen(LedgerReport report) {
        if (prefix == null) {
            return report.subsystems();
        }
        return List.of(report.find(prefix.toUpperCase(Locale.ROOT))
                .orElseThrow(() -> new UsageException("there is no prefix '" + prefix + "'; there are "
                        + report.subsystems().stream().map(Subsystem::prefix).collect(Collectors.joining(" ")))));
    }
}
