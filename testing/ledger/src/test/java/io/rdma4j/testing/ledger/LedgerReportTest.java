// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LedgerReportTest {
    private static final FeatureList FEATURES = new FeatureList(
            "id,prefix,title,what\nQP-1,QP,\"a \"\"name\"\"\",x\nQP-2,QP,b,x\nMR-1,MR,c,x\nMR-2,MR,d,x\n",
            "id,reason\nMR-2,no fork\n",
            "rows,ground,reason\nQP,device,the device has it\nQP-2,core,a number\n");

    private final LedgerReport report = new LedgerReport(
            FEATURES,
            Map.of(
                    "QP-1",
                    Set.of(on("carrier:udp", "FooTest.works"), on("core", "BarTest")),
                    "QP-2",
                    Set.of(on("core", "BarTest"))));

    private static Proof on(String ground, String test) {
        return new Proof(Ground.parse(ground), test);
    }

    @Test
    void eachSubsystemHasALineAndThereIsATotal() {
        assertThat(ReportText.lines(report.subsystems(), false))
                .containsExactly(
                        "QP 2/2: core 1, carrier 1",
                        "MR 0/1 (+1 not applicable)",
                        "total 2/3 (+1 not applicable): core 1, carrier 1");
    }

    @Test
    void oneSubsystemNeedsNoTotal() {
        assertThat(report.find("QP"))
                .hasValueSatisfying(qp -> assertThat(ReportText.lines(List.of(qp), true))
                        .containsExactly(
                                "QP 2/2: core 1, carrier 1",
                                "  [x] QP-1 a \"name\"",
                                "        core  BarTest",
                                "        carrier:udp  FooTest.works",
                                "  [x] QP-2 b",
                                "        core  BarTest"));
    }

    @Test
    void aRowThatNeedsTheDeviceIsNotProvedByATestDouble() {
        LedgerReport weak = new LedgerReport(FEATURES, Map.of("QP-1", Set.of(on("core", "BarTest"))));
        assertThat(ReportText.lines(List.of(weak.find("QP").orElseThrow()), true))
                .startsWith(
                        "QP 0/2: claimed on too weak a ground 1",
                        "  [w] QP-1 a \"name\"",
                        "        needs device or better",
                        "        core  BarTest");
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
                .isEqualTo("[{\"prefix\":\"QP\",\"covered\":2,\"total\":2,\"notApplicable\":0,\"tooWeak\":0,"
                        + "\"grounds\":{\"core\":1,\"device\":0,\"carrier\":1,\"interop\":0}},"
                        + "{\"prefix\":\"MR\",\"covered\":0,\"total\":1,\"notApplicable\":1,\"tooWeak\":0,"
                        + "\"grounds\":{\"core\":0,\"device\":0,\"carrier\":0,\"interop\":0}}]");
    }

    @Test
    void jsonEscapesAndListsTests() {
        assertThat(ReportJson.text(report.subsystems(), true))
                .contains(
                        "{\"id\":\"QP-1\",\"title\":\"a"
                                + " \\\"name\\\"\",\"needs\":\"device\",\"covered\":true,\"proofs\":["
                                + "{\"ground\":\"core\",\"test\":\"BarTest\"},{\"ground\":\"carrier:udp\",\"test\":\"FooTest.works\"}]}")
                .contains("\"notApplicable\":\"no fork\"");
        assertThat(ReportJson.quoted("\\\n")).isEqualTo("\"\\\\\\u000a\"");
    }

    @Test
    void modulesAreAddedUp(@TempDir Path root) throws IOException {
        prove(root.resolve("base"), "GEN-1", "ATest.x");
        prove(root.resolve("testing/sim"), "GEN-1", "BTest.y");

        assertThat(LedgerReport.read(root))
                .hasValueSatisfying(read -> assertThat(
                                read.find("GEN").orElseThrow().rows().getFirst().proofs())
                        .containsExactly(on("core", "ATest.x"), on("core", "BTest.y")));
    }

    @Test
    void withoutTestResultsThereIsNoReport(@TempDir Path root) {
        assertThat(LedgerReport.read(root)).isEmpty();
    }

    private static void prove(Path module, String id, String test) throws IOException {
        Files.createDirectories(module);
        Files.createFile(module.resolve("pom.xml"));
        new LedgerDirectory(module.resolve("target/ledger"))
                .write(test, new TreeMap<>(Map.of(id, Set.of(on("core", test)))));
    }
}
