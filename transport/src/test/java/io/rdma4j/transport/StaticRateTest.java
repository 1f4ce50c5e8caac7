// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.AlternatePath;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.MigrationState;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.Rate;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The static rate of an address vector holds packets back for a slower receiver. */
@Covers("AH-6")
class StaticRateTest {
    private static final int BYTES = 200_000;
    private static final double BURST_NS = 20_000;

    private static EnginePair pair(QpType type, Mode mode) {
        return new EnginePair(new PairSettings().type(type).mode(mode).rdma(4).queueEntries(400));
    }

    private static AddressVector path(Rate rate) {
        return new AddressVector(GlobalRoute.to(Gid.ofIpv4(0x0A00_0001), 0), 0, 0, 0, rate, 1);
    }

    private static void primary(Endpoint end, Rate rate) {
        end.modify(QpAttributes.builder().addressVector(path(rate)));
    }

    /**
     * From the first packet on the bytes sent never exceed what the rate lets pass, and do not stay far behind either.
     */
    private static void assertPaced(List<Parcel> packets, Rate rate) {
        double bytesPerNs = rate.mbps() / 8e3;
        long beginNs = packets.getFirst().sentNs;
        long sent = 0;
        for (Parcel packet : packets) {
            sent += packet.payloadBytes;
            assertThat((double) sent).isLessThanOrEqualTo(bytesPerNs * (packet.sentNs - beginNs + BURST_NS));
        }
        assertThat(sent).isEqualTo(BYTES);
        assertThat((double) sent).isGreaterThan(bytesPerNs * (packets.getLast().sentNs - beginNs) * 0.95);
    }

    private static void write(EnginePair pair) {
        TestRegion far = pair.b.shared(BYTES).filled(1);
        TestRegion near = pair.a.region(BYTES).filled(2);
        pair.a.write(1, far.first(0), near.first(BYTES));
        pair.run();
        assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
        assertThat(EnginePair.sameBytes(near, far, BYTES)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = Rate.class,
            names = {"GBPS_2_5", "GBPS_5", "GBPS_10", "GBPS_14"})
    void requestsOfAConnectionLeaveNoFaster(Rate rate) {
        try (EnginePair pair = pair(QpType.RC, Mode.WHOLE)) {
            primary(pair.a, rate);
            write(pair);
            assertPaced(pair.network.requests(), rate);
        }
    }

    @Test
    void thoseOfAnUnreliableOneNeither() {
        try (EnginePair pair = pair(QpType.UC, Mode.CUT)) {
            primary(pair.a, Rate.GBPS_5);
            write(pair);
            assertPaced(pair.network.requests(), Rate.GBPS_5);
        }
    }

    @Test
    void whatARequesterReadsComesNoFasterThanTheResponderMaySend() {
        try (EnginePair pair = pair(QpType.RC, Mode.CUT)) {
            primary(pair.b, Rate.GBPS_10);
            TestRegion far = pair.b.shared(BYTES).filled(1);
            TestRegion near = pair.a.region(BYTES).filled(2);
            pair.a.read(1, far.first(0), near.first(BYTES));
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
            assertPaced(pair.network.responses(), Rate.GBPS_10);
        }
    }

    @Test
    void aPathOfThePortsOwnRateHoldsNothingBack() {
        try (EnginePair pair = pair(QpType.RC, Mode.CUT)) {
            primary(pair.a, Rate.GBPS_2_5);
            primary(pair.a, Rate.PORT_CURRENT);
            long beginNs = pair.nowNs();
            write(pair);
            assertThat(pair.network.sent()).allMatch(parcel -> parcel.sentNs == beginNs);
        }
    }

    @Test
    void afterMigrationTheAlternatePathSaysTheRate() {
        try (EnginePair pair = pair(QpType.RC, Mode.CUT)) {
            AlternatePath alternate = new AlternatePath(path(Rate.GBPS_2_5), 0, 1, 14);
            for (Endpoint end : List.of(pair.a, pair.b)) {
                end.alternatePath = 1;
                end.modify(QpAttributes.builder().alternatePath(alternate).migrationState(MigrationState.REARM));
            }
            pair.a.write(0, pair.b.shared(8).first(0), pair.a.region(8).first(0));
            pair.settle();
            pair.a.sendResults();
            pair.network.forgetSent();
            pair.a.modify(QpAttributes.builder().migrationState(MigrationState.MIGRATED));
            write(pair);
            assertPaced(pair.network.requests(), Rate.GBPS_2_5);
        }
    }

    @Test
    void datagramsLeaveNoFasterThanTheirAddressHandleSays() {
        try (EnginePair pair = pair(QpType.UD, Mode.CUT)) {
            pair.a.staticRate(Rate.GBPS_5);
            TestRegion source = pair.a.region(1000).filled(1);
            for (int i = 0; i < BYTES / 1000; i++) {
                pair.a.datagram(i, EnginePair.QPN_B, pair.settings.qkey, source.first(1000));
            }
            pair.run();
            assertThat(pair.a.sendCompletions()).hasSize(BYTES / 1000);
            assertPaced(pair.network.requests(), Rate.GBPS_5);
        }
    }

    @Test
    void aQueuePairThatIsResetForgetsItsPath() {
        try (EnginePair pair = pair(QpType.RC, Mode.CUT)) {
            primary(pair.a, Rate.GBPS_2_5);
            pair.a.write(1, pair.b.shared(BYTES).first(0), pair.a.region(BYTES).first(BYTES));
            pair.transmit();
            pair.network.dropAll();
            pair.a.modify(QpState.RESET);
            pair.b.modify(QpState.RESET);
            pair.connect();
            assertThat(pair.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
            pair.network.forgetSent();
            long beginNs = pair.nowNs();
            write(pair);
            assertThat(pair.network.sent()).allMatch(parcel -> parcel.sentNs == beginNs);
        }
    }
}
