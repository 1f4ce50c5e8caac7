// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.sim.world.RunEnd;
import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.AlternatePath;
import io.rdma4j.verbs.values.MigrationState;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import io.rdma4j.wire.ip.Ipv4;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two hosts with two addresses each. The network loses all packets between the first addresses in the middle of a
 * message.
 */
class PathMigrationTest {
    private static final int TIMEOUT = 10;
    private static final int MESSAGES = 14;
    private static final int IPV6_GID = 1;

    private static boolean isIpv6(MemorySegment packet) {
        return Ipv4.version(packet, 0) != Ipv4.VERSION;
    }

    private static void rearm(SimEndpoint endpoint, SimEndpoint peer) {
        AddressVector vector = AddressVector.roce(1, peer.host().context().queryGid(1, IPV6_GID), IPV6_GID);
        endpoint.qp()
                .modify(QpAttributes.builder()
                        .alternatePath(new AlternatePath(vector, 0, 1, TIMEOUT))
                        .migrationState(MigrationState.REARM)
                        .build());
    }

    /** @param aliveNs how long the IPv4 addresses reach each other after the messages have started */
    @ParameterizedTest
    @ValueSource(longs = {0, 5_000, 10_000, 20_000, 40_000})
    @Covers({"QP-57", "QP-76"})
    void connectionOutlivesItsAddresses(long aliveNs) {
        try (Pair pair = new Pair(Pair.connection(TIMEOUT, 2, 7))) {
            rearm(pair.sender, pair.receiver);
            rearm(pair.receiver, pair.sender);
            pair.postReceive(0);
            pair.postSend(0, 1);
            assertThat(pair.run()).isEqualTo(RunEnd.IDLE);
            assertThat(pair.sender.qp().query().migrationState()).isEqualTo(MigrationState.ARMED);
            for (int message = 1; message < MESSAGES; message++) {
                pair.postReceive(message);
                pair.postSend(message, 20_000);
            }
            pair.runFor(aliveNs);
            pair.there().hook(PathMigrationTest::isIpv6);
            pair.back().hook(PathMigrationTest::isIpv6);
            assertThat(pair.run()).isEqualTo(RunEnd.IDLE);

            List<WorkCompletion> sent = pair.sent();
            assertThat(sent)
                    .hasSize(MESSAGES)
                    .extracting(WorkCompletion::status)
                    .containsOnly(WcStatus.SUCCESS);
            assertThat(pair.received())
                    .extracting(WorkCompletion::wrId)
                    .containsExactlyElementsOf(
                            LongStream.range(0, MESSAGES).boxed().toList());
            for (SimEndpoint endpoint : List.of(pair.sender, pair.receiver)) {
                assertThat(endpoint.qp().state()).isEqualTo(QpState.RTS);
                assertThat(endpoint.qp().query().migrationState()).isEqualTo(MigrationState.MIGRATED);
            }
            assertThat(pair.simulation.clock().elapsedNs())
                    .as("as long as the retries on the dead path take")
                    .isLessThan(10 * (4096L << TIMEOUT));
        }
    }
}
