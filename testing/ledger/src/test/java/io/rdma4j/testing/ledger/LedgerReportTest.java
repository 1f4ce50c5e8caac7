package io.rdma4j.testing.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LedgerReportTest {
    private static final FeatureList FEATURES = new FeatureList(
            "id,prefix,title,what\nQP-1,QP,\"a \"\"name\"\"\",x\nQP-2,QP,b,x\nMR-1,MR,c,x\nMR-2,MR,d,x\n",
            "id,reason\nMR-2,no fork\n");

    private final LedgerReport report =
            new LedgerReport(FEATURES, Map.of("QP-1", new TreeSet<>(Set.of("FooTest.works", "BarTest"))));

    @Test
    void eachSubsystemHasALineAndThereIsATotal() {
        assertThat(ReportText.lines(report.subsystems(), false))
                .containsExactly("QP 1/2", "MR 0/1 (+1 not applicable)", "total 1/3 (+1 not applicable)");
    }

    @Test
    void oneSubsystemNeedsNoTotal() {
        assertThat(report.find("QP"))
                .hasValueSatisfying(qp -> assertThat(ReportText.lines(java.util.List.of(qp), true))
                        .containsExactly(
                                "QP 1/2",
                                "  [x] QP-1 a \"name\"",
                                "        BarTest",
                                "        FooTest.works",
                                "  [ ] QP-2 b"));
    }

    @Test
    void aDroppedRowShowsItsReason() {
        assertThat(ReportText.lines(report.subsystems(), true))
                .contains("  [-] MR-2 d", "        not applicable: no fork");
    }

    @Test
    void anUnknownPrefixIsNotFound() {
        assertThat(report.find("NOPE")).isEmpty();
    }

    @Test
    void jsonHasTheSameNumbers() {
        assertThat(ReportJson.text(report.subsystems(), false))
                .isEqualTo("[{\"prefix\":\"QP\",\"covered\":1,\"total\":2,\"notApplicable\":0},"
                        + "{\"prefix\":\"MR\",\"covered\":0,\"total\":1,\"notApplicable\":1}]");
    }

    @Test
    void jsonEscapesAndListsTests() {
        assertThat(ReportJson.text(report.subsystems(), true))
                .contains("{\"id\":\"QP-1\",\"title\":\"a \\\"name\\\"\",\"tests\":[\"BarTest\",\"FooTest.works\"]}")
                .contains("\"notApplicable\":\"no fork\"");
        assertThat(ReportJson.quoted("\\\n")).isEqualTo("\"\\\\\\u000a\"");
    }

    @Test
    void modulesAreAddedUp(@TempDir Path root) throws IOException {
        prove(root.resolve("base"), "GEN-1", "ATest.x");
        prove(root.resolve("testing/sim"), "GEN-1", "BTest.y");

        assertThat(LedgerReport.read(root))
                .hasValueSatisfying(read -> assertThat(
                                read.find("GEN").orElseThrow().rows().getFirst().tests())
                        .containsExactly("ATest.x", "BTest.y"));
    }

    @Test
    void withoutTestResultsThereIsNoReport(@TempDir Path root) {
        assertThat(LedgerReport.read(root)).isEmpty();
    }

    private static void prove(Path module, String id, String test) throws IOException {
        Files.createDirectories(module);
        Files.createFile(module.resolve("pom.xml"));
        new LedgerDirectory(module.resolve("target/ledger")).write(test, new TreeMap<>(Map.of(id, Set.of(test))));
    }
}
