// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.devtools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.tools.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FeaturesCommandTest {
    private static final String HOME = "rdma4j.home";

    @TempDir
    private Path root;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final Main main = new Main(new PrintWriter(out, true), new PrintWriter(err, true));

    @BeforeEach
    void useAProjectOfItsOwn() {
        System.setProperty(HOME, root.toString());
    }

    @AfterEach
    void restore() {
        System.clearProperty(HOME);
    }

    @Test
    void withoutTestResultsItSaysHowToGetThem() {
        assertThat(main.run("features")).isEqualTo(1);
        assertThat(err.toString()).contains("./rdma4j test");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void eachSubsystemHasALine() throws IOException {
        prove("QP-1");
        assertThat(main.run("features")).isZero();
        assertThat(out.toString().lines())
                .hasSize(32)
                .anyMatch("QP 1/76 (+2 not applicable): device 1"::equals)
                .anyMatch(line -> line.startsWith("CQ 0/"));
    }

    @Test
    void oneSubsystemInDetailNamesTheTests() throws IOException {
        prove("QP-1");
        assertThat(main.run("features", "qp", "-v")).isZero();
        assertThat(out.toString().lines()).first().isEqualTo("QP 1/76 (+2 not applicable): device 1");
        assertThat(out.toString()).contains("[x] QP-1 ", "SomeTest.works", "[ ] QP-2 ");
    }

    @Test
    void jsonIsOneDocument() throws IOException {
        prove("QP-1");
        assertThat(main.run("features", "QP", "--json")).isZero();
        assertThat(out.toString().strip())
                .isEqualTo("[{\"prefix\":\"QP\",\"covered\":1,\"total\":76,\"notApplicable\":2,\"tooWeak\":0,"
                        + "\"grounds\":{\"core\":0,\"device\":1,\"carrier\":0,\"interop\":0}}]");
    }

    @Test
    void anUnknownPrefixIsWrongUsageAndTheOthersAreNamed() throws IOException {
        prove("QP-1");
        assertThat(main.run("features", "NOPE")).isEqualTo(2);
        assertThat(err.toString()).contains("'NOPE'").contains("GEN SKB NDEV");
    }

    private void prove(String id) throws IOException {
        Path ledger = Files.createDirectories(root.resolve("base/target/ledger"));
        Files.createFile(root.resolve("base/pom.xml"));
        Files.writeString(ledger.resolve("SomeTest.ledger"), id + "\tdevice\tSomeTest.works\n");
    }
}
