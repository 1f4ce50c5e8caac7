// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class InteropLedgerTest {
    private static final FeatureList FEATURES =
            new FeatureList("id,prefix,title,what\nQP-1,QP,a,x\nQP-2,QP,b,x\n", "id,reason\n", "rows,ground,reason\n");
    private static final String HEADER = "scenario,rows\n";

    @Test
    void aScenarioThatPassedProvesItsRows() {
        InteropLedger ledger = new InteropLedger(HEADER + "verbs/RC SEND,QP-1 QP-2\n", FEATURES);
        Proof proof = new Proof(Ground.INTEROP, "verbs/RC SEND");
        assertThat(ledger.proved(Map.of("verbs/RC SEND", true)))
                .isEqualTo(Map.of("QP-1", Set.of(proof), "QP-2", Set.of(proof)));
    }

    @Test
    void aScenarioThatFailedOnceProvesNothing() {
        InteropLedger ledger = new InteropLedger(HEADER + "verbs/RC SEND,QP-1\n", FEATURES);
        assertThat(ledger.proved(Map.of("verbs/RC SEND", false))).isEmpty();
    }

    @Test
    void anAsteriskStandsForTheRestOfTheName() {
        InteropLedger ledger = new InteropLedger(HEADER + "pingpong/rc*,QP-1\n", FEATURES);
        assertThat(ledger.proved(Map.of("pingpong/rc -e", true, "pingpong/ud", true)))
                .isEqualTo(Map.of("QP-1", Set.of(new Proof(Ground.INTEROP, "pingpong/rc -e"))));
    }

    /** The tools use the ledger without JUnit on their class path. */
    @Test
    void theLedgerOfARunIsReadWithoutJUnit() throws Exception {
        URL code = InteropLedger.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {code}, ClassLoader.getPlatformClassLoader())) {
            Class<?> ledger = loader.loadClass(InteropLedger.class.getName());
            Object committed = ledger.getMethod("committed").invoke(null);
            assertThat((Set<?>) ledger.getMethod("scenarios").invoke(committed)).isNotEmpty();
        }
    }

    @Test
    void aClaimOfNoRowIsRefused() {
        assertThatThrownBy(() -> new InteropLedger(HEADER + "verbs/RC SEND,QP-9\n", FEATURES))
                .hasMessageContaining("QP-9");
    }
}
