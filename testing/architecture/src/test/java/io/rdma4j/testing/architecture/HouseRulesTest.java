// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import io.rdma4j.testing.architecture.samples.CallsNativeCode;
import io.rdma4j.testing.architecture.samples.Sleeps;
import io.rdma4j.testing.architecture.samples.StartsThread;
import io.rdma4j.testing.architecture.samples.layers.lower.Lower;
import io.rdma4j.testing.architecture.samples.layers.upper.Upper;
import io.rdma4j.testing.architecture.samples.transport.KnowsSockets;
import io.rdma4j.testing.architecture.samples.transport.KnowsThreads;
import io.rdma4j.testing.architecture.samples.transport.ReadsTheClock;
import io.rdma4j.testing.architecture.samples.transport.RollsDice;
import io.rdma4j.testing.architecture.samples.wire.OpenTable;
import io.rdma4j.testing.architecture.samples.wire.Remembers;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Proves that each rule of {@link HouseTest} fails on its own sample and on no other. */
class HouseRulesTest {
    private static final Class<?>[] SAMPLES = {
        ReadsTheClock.class,
        KnowsThreads.class,
        KnowsSockets.class,
        RollsDice.class,
        Remembers.class,
        OpenTable.class,
        CallsNativeCode.class,
        StartsThread.class,
        Sleeps.class,
    };

    private final JavaClasses samples = new ClassFileImporter().importClasses(SAMPLES);

    @Test
    void anEngineThatReadsTheClockIsFound() {
        assertOnly(Walls.NO_CLOCK_IN_AN_ENGINE, "ReadsTheClock");
    }

    @Test
    void anEngineThatKnowsThreadsIsFound() {
        assertOnly(Walls.NO_THREAD_IN_AN_ENGINE, "KnowsThreads");
    }

    @Test
    void anEngineThatKnowsSocketsIsFound() {
        assertOnly(Walls.NO_SOCKET_IN_AN_ENGINE, "KnowsSockets");
    }

    @Test
    void anEngineWithUnseededRandomnessIsFound() {
        assertOnly(Walls.NO_UNSEEDED_RANDOMNESS_IN_AN_ENGINE, "RollsDice.unseeded");
    }

    @Test
    void aCodecWithMutableStaticsIsFound() {
        List<String> details = failures(Walls.NO_MUTABLE_STATIC_IN_WIRE);
        assertThat(details).hasSize(2);
        assertThat(details).anyMatch(line -> line.contains("Remembers.last"));
        assertThat(details).anyMatch(line -> line.contains("OpenTable.LENGTHS"));
    }

    @Test
    void aNativeCallElsewhereIsFound() {
        assertOnly(Walls.NATIVE_CALLS_IN_ONE_PLACE, "CallsNativeCode");
    }

    @Test
    void aThreadStartedElsewhereIsFound() {
        assertOnly(Walls.THREADS_START_IN_ONE_PLACE, "StartsThread");
    }

    @Test
    void aSleepIsFound() {
        assertOnly(Walls.NO_SLEEP, "Sleeps");
    }

    @Test
    void aCycleOfPackagesIsFound() {
        JavaClasses circle = new ClassFileImporter().importClasses(Upper.class, Lower.class);
        assertThat(Walls.NO_PACKAGE_CYCLES.evaluate(circle).hasViolation()).isTrue();
        assertThat(Walls.NO_PACKAGE_CYCLES
                        .evaluate(new ClassFileImporter().importClasses(Upper.class))
                        .hasViolation())
                .isFalse();
    }

    private void assertOnly(ArchRule rule, String culprit) {
        assertThat(failures(rule)).isNotEmpty().allMatch(line -> line.contains(culprit));
    }

    private List<String> failures(ArchRule rule) {
        return rule.evaluate(samples).getFailureReport().getDetails();
    }
}
