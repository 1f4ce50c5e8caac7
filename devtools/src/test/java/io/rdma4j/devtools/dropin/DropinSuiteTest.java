// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.devtools.dropin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.devtools.dropin.CaseResult.Outcome;
import io.rdma4j.testing.ledger.Covers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the quick form of the suite, where the programs are unpacked and a C compiler is there. */
@Timeout(240)
class DropinSuiteTest {
    private static final Path C = Path.of("../dropin/src").toAbsolutePath().normalize();
    private static final String JDK = System.getProperty("java.home");

    @TempDir
    private Path scratch;

    /** Compiles the library; skips the test if this machine has no C compiler. */
    private Path library() throws Exception {
        Path directory = scratch.resolve("library");
        Process build = new ProcessBuilder(C.resolve("main/c/build.sh").toString(), JDK, directory.toString())
                .inheritIO()
                .start();
        assumeTrue(build.waitFor() == 0, "the library cannot be compiled here");
        return directory.resolve("libibverbs.so.1");
    }

    private static Map<String, String> environment(ProgramTree tree, Path library) throws Exception {
        Map<String, String> variables = tree.environment(library.getParent() + ":" + JDK + "/lib");
        variables.put("LD_PRELOAD", "libibverbs.so.1:libjsig.so");
        variables.put("RDMA4J_JAVA_HOME", JDK);
        variables.put("RDMA4J_CLASS_PATH", System.getProperty("java.class.path"));
        variables.put("RDMA4J_JVM_OPTIONS", "-XX:TieredStopAtLevel=1");
        return variables;
    }

    @Test
    @Covers("DROPIN-26")
    void oneCaseOfEachKindPasses() throws Exception {
        ProgramTree tree = ProgramTree.ofUser();
        assumeTrue(tree.isComplete(), "the programs are not unpacked: run './rdma4j dropin --suite' once");
        Path library = library();
        ProgramRunner programs = new ProgramRunner(List.of("env"), environment(tree, library), scratch);
        List<CaseResult> results = new ArrayList<>();

        new DropinSuite(programs, library, tree, C.resolve("test/c/layout.c"), results::add).playFew();

        assertThat(results).hasSizeGreaterThan(3).allMatch(result -> result.outcome() == Outcome.PASS);
    }

    @Test
    @Covers("DROPIN-26")
    void aCaseThatDoesNotPassAndIsNotListedFails() throws Exception {
        String said = """
            test_eth_spec_flow_traffic (tests.test_flow.FlowTest.test_eth_spec_flow_traffic) ... skipped 'no such type'
            test_b (tests.test_mr.MRTest.test_b)
            Registers memory ... INFO: a message
            ok
            test_c (tests.test_mr.MRTest.test_c) ... skipped "isn't there"
            test_d (tests.test_mlx5_cq.CqTest.test_d) ... FAIL
            test_e (tests.test_qp.QPTest.test_e) ... ERROR
            test_rdmacm_async_read (tests.test_rdmacm.CMTestCase.test_rdmacm_async_read) ... Player passive: an error
            ERROR

            ======================================================================
            FAIL: test_d (tests.test_mlx5_cq.CqTest.test_d)
            """;

        assertThat(PythonCases.results(said))
                .extracting(CaseResult::name, CaseResult::outcome)
                .map(tuple -> tuple.toList().toString())
                .containsExactly(
                        "[test_flow.FlowTest.test_eth_spec_flow_traffic, SKIP]",
                        "[test_mr.MRTest.test_b, PASS]",
                        "[test_mr.MRTest.test_c, FAIL]",
                        "[test_qp.QPTest.test_e, FAIL]",
                        "[test_rdmacm.CMTestCase.test_rdmacm_async_read, KNOWN]");
    }
}
