// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.conformance.traffic.TrafficCases;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** RoCE over software links. */
class StackedLinksTest {
    private static final int ROUNDS = 60;
    private static final int MESSAGES = 8;
    private static final int BYTES = 4000;

    @Nested
    @Covers("RXE-150")
    class OverAVlan extends TrafficCases {
        OverAVlan() {
            super(StackedLink::vlan);
        }
    }

    @Nested
    class OverABridge extends TrafficCases {
        OverABridge() {
            super(StackedLink::bridge);
        }
    }

    @Nested
    class OverABond extends TrafficCases {
        OverABond() {
            super(StackedLink::bond);
        }
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aCableThatIsCutUnderTrafficLosesNothingToTheUser() {
        try (StackedLink link = StackedLink.bond();
                Endpoint a = new Endpoint(link, link.first(), EndpointSetup.DEFAULT);
                Endpoint b = new Endpoint(link, link.second(), EndpointSetup.DEFAULT)) {
            a.connectTo(b, LinkSetup.DEFAULT);
            b.connectTo(a, LinkSetup.DEFAULT);
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = 0; i < MESSAGES; i++) {
                    b.postReceive(i, 0, BYTES);
                }
                for (int i = 0; i < MESSAGES; i++) {
                    a.postSend(i, 0, BYTES);
                    if (round == ROUNDS / 2 && i == MESSAGES / 2) {
                        assertThat(link.sentBy(1)).as("the other cable is idle").isZero();
                        link.cut(0);
                    }
                }
                assertThat(a.awaitSends(MESSAGES))
                        .extracting(WorkCompletion::wrId)
                        .containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
                assertThat(b.awaitReceives(MESSAGES))
                        .extracting(WorkCompletion::wrId)
                        .containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
            }
            assertThat(link.sentBy(1)).isGreaterThan(ROUNDS / 2 * MESSAGES / 2);
        }
    }
}
