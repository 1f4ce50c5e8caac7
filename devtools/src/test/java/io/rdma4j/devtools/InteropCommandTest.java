// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.devtools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.interop.lab.GuestImage;
import io.rdma4j.interop.lab.Parts;
import io.rdma4j.interop.subnet.SubnetScenarios;
import io.rdma4j.interop.suite.Suite;
import io.rdma4j.testing.ledger.InteropLedger;
import io.rdma4j.tools.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs the quick form of the suite with the real Linux driver, where its parts are available. */
@Timeout(900)
class InteropCommandTest {
    private static final Duration DOWNLOAD = Duration.ofMinutes(3);

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... words) {
        return new Main(new PrintWriter(out), new PrintWriter(err)).run(words);
    }

    @Test
    void oneScenarioOfEachKindWithTheRealLinux() {
        assumeTrue(Parts.missing().isEmpty(), () -> "missing here: " + Parts.missing());
        try {
            GuestImage.prepare(GuestImage.userCache(), DOWNLOAD);
        } catch (IOException e) {
            abort("the guest's packages cannot be had: " + e.getMessage());
        }
        String lab = "rdma4j-test-" + ProcessHandle.current().pid();
        assertThat(run("interop", "--quick", "--lab", lab))
                .as("%s%n%s", out, err)
                .isZero();
        assertThat(out.toString()).contains("verbs/RC READ", "judges/packets", "netem/loss 5%", " 0 failed");
    }

    @Test
    void eachScenarioWithClaimsIsPlayed() {
        assertThat(InteropLedger.committed().scenarios())
                .allMatch(named -> Stream.concat(Suite.names().stream(), SubnetScenarios.names().stream())
                        .anyMatch(name -> InteropLedger.matches(named, name)));
    }

    @Test
    void aPatternThatIsNoneIsRefused() {
        assumeTrue(Parts.missing().isEmpty(), () -> "missing here: " + Parts.missing());
        assertThat(run("interop", "--only", "(")).isEqualTo(2);
        assertThat(err.toString()).contains("--only=(");
    }
}
