// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs the sample classes below, which the build does not run, and checks their ledgers. */
class LedgerListenerTest {
    @TempDir
    private Path directory;

    private final SummaryGeneratingListener summary = new SummaryGeneratingListener();

    @Test
    void aPassedMethodProvesItsRows() throws IOException {
        assertThat(run(MixedSample.class))
                .contains("QP-1\tcore\t" + MixedSample.class.getName() + ".passes")
                .contains("QP-2\tcore\t" + MixedSample.class.getName() + ".passes");
    }

    @Test
    void aFailedMethodProvesNothingAndSpoilsItsClass() throws IOException {
        assertThat(run(MixedSample.class)).noneMatch(line -> line.startsWith("QP-3") || line.startsWith("QP-4"));
    }

    @Test
    void aClassWhoseTestsAllPassedProvesItsRows() throws IOException {
        assertThat(run(GreenSample.class)).contains("CQ-1\tcore\t" + GreenSample.class.getName());
    }

    @Test
    void anAbortedTestProvesNothingAndSpoilsItsClass() throws IOException {
        assertThat(run(AbortedSample.class)).isEmpty();
    }

    @Test
    void aParameterizedTestProvesItsRowOnceAndOnlyIfEachInvocationPassed() throws IOException {
        assertThat(run(ParameterizedSample.class))
                .containsExactly("MR-1\tcore\t" + ParameterizedSample.class.getName() + ".allPass");
    }

    @Test
    void aFailingNestedClassSpoilsTheClassAroundIt() throws IOException {
        assertThat(run(NestedSample.class)).containsExactly("PD-2\tcore\t" + NestedSample.class.getName() + ".passes");
    }

    @Test
    void aFailureAfterAllTestsSpoilsTheClass() throws IOException {
        assertThat(run(AfterAllSample.class)).isEmpty();
    }

    @Test
    void claimsOfAKitHoldForTheClassThatRunsIt() throws IOException {
        assertThat(run(KitSample.class))
                .containsExactly(
                        "AH-1\tcore\t" + KitSample.class.getName(),
                        "AH-2\tcore\t" + KitSample.class.getName() + ".ofTheKit");
    }

    @Test
    void theNearestGroundCounts() throws IOException {
        assertThat(run(GroundSample.class))
                .containsExactly(
                        "QP-1\tcarrier:udp\t" + GroundSample.class.getName() + ".overTheClass",
                        "QP-2\tinterop\t" + GroundSample.class.getName() + ".overTheMethod",
                        "QP-3\tcarrier:udp\t" + GroundSample.Inner.class.getName() + ".overTheClassAround");
    }

    @Test
    void anUnknownRowFailsTheTestWithAClearMessage() throws IOException {
        assertThat(run(UnknownRowSample.class)).isEmpty();
        assertThat(summary.getSummary().getFailures())
                .hasSize(1)
                .first()
                .satisfies(failure -> assertThat(failure.getException())
                        .hasMessageContaining("@Covers(\"QP-9999\"): no such row in spec/features.csv"));
    }

    @Test
    void anUnknownRowOnAClassFailsIt() throws IOException {
        assertThat(run(UnknownRowOnClassSample.class)).isEmpty();
        assertThat(summary.getSummary().getTotalFailureCount()).isEqualTo(1);
    }

    @Test
    void aDroppedRowCannotBeClaimed() {
        String dropped =
                FeatureList.committed().notApplicable().keySet().iterator().next();
        assertThat(FeatureList.committed().complaint(dropped)).contains("not-applicable.csv");
    }

    @Test
    void filesOfClassesThatAreGoneAreRemoved() throws IOException {
        Path gone = Files.writeString(directory.resolve("io.rdma4j.GoneTest.ledger"), "QP-1\tio.rdma4j.GoneTest.x\n");
        run(GreenSample.class);
        assertThat(gone).doesNotExist();
    }

    private List<String> run(Class<?> sample) throws IOException {
        // The listener of the outer run is registered automatically; the inner run must not overwrite its results.
        LauncherConfig config = LauncherConfig.builder()
                .enableTestExecutionListenerAutoRegistration(false)
                .addTestExecutionListeners(new LedgerListener(directory.toString(), Ground.CORE), summary)
                .build();
        LauncherFactory.create(config)
                .execute(LauncherDiscoveryRequestBuilder.request()
                        .selectors(selectClass(sample))
                        .forExecution()
                        .build());
        return Files.readAllLines(directory.resolve(sample.getName() + ".ledger"));
    }

    @Covers("QP-4")
    static class MixedSample {
        @Test
        @Covers({"QP-1", "QP-2"})
        void passes() {}

        @Test
        @Covers("QP-3")
        void fails() {
            fail("on purpose");
        }
    }

    @Covers("CQ-1")
    static class GreenSample {
        @Test
        void passes() {}
    }

    @Covers("CQ-2")
    static class AbortedSample {
        @Test
        void passes() {}

        @Test
        @Covers("CQ-3")
        void lacksAPrivilege() {
            abort("on purpose");
        }
    }

    static class ParameterizedSample {
        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        @Covers("MR-1")
        void allPass(int value) {
            assertThat(value).isPositive();
        }

        @ParameterizedTest
        @ValueSource(ints = {1, -2})
        @Covers("MR-2")
        void oneFails(int value) {
            assertThat(value).isPositive();
        }
    }

    @Covers("PD-1")
    static class NestedSample {
        @Test
        @Covers("PD-2")
        void passes() {}

        @Nested
        @Covers("PD-3")
        class Inner {
            @Test
            void fails() {
                fail("on purpose");
            }
        }
    }

    @Covers("PD-4")
    static class AfterAllSample {
        @AfterAll
        static void findsALeak() {
            fail("on purpose");
        }

        @Test
        void passes() {}
    }

    @Covers("AH-1")
    abstract static class Kit {
        @Test
        @Covers("AH-2")
        void ofTheKit() {}
    }

    static class KitSample extends Kit {}

    @ProvedOn("carrier:udp")
    static class GroundSample {
        @Test
        @Covers("QP-1")
        void overTheClass() {}

        @Test
        @Covers("QP-2")
        @ProvedOn("interop")
        void overTheMethod() {}

        @Nested
        class Inner {
            @Test
            @Covers("QP-3")
            void overTheClassAround() {}
        }
    }

    static class UnknownRowSample {
        @Test
        @Covers("QP-9999")
        void claimsNonsense() {}
    }

    @Covers("QP-9999")
    static class UnknownRowOnClassSample {
        @Test
        void passes() {}
    }
}
