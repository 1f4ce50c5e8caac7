// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.hca.InputCounters;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.AlternatePath;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.MigrationState;
import io.rdma4j.verbs.values.QpAttributes;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A connection over IPv4 with an alternate path over IPv6, in another partition: accepted packets and destinations. */
class PathMigrationTest {
    private static final int PKEY = 0xFFFF;
    private static final int ALTERNATE_PKEY = 0x8001;
    private static final int IPV6_GID = 1;
    private static final AlternatePath ALTERNATE =
            new AlternatePath(AddressVector.roce(1, Bench.PEER_V6, IPV6_GID), 1, 1, 10);

    private final Bench bench =
            new Bench(Set.of(), ProgressMode.MANUAL, options -> options.withPkeys(List.of(PKEY, ALTERNATE_PKEY)));
    private final Endpoint to = bench.connected(Bench.PEER_V4, 10);
    private int arrivals;

    @BeforeEach
    void postReceives() {
        for (int i = 0; i < 8; i++) {
            to.postReceive(i, 0, 256);
        }
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private void rearm() {
        to.qp.modify(QpAttributes.builder()
                .alternatePath(ALTERNATE)
                .migrationState(MigrationState.REARM)
                .build());
    }

    private void arm() {
        rearm();
        assertAccepted(primary().migrated(false));
        assertThat(state()).isEqualTo(MigrationState.ARMED);
    }

    private MigrationState state() {
        return to.qp.query().migrationState();
    }

    private PlainPacket primary() {
        return packet(Bench.PEER_V4, Bench.LOCAL_V4).pkey(PKEY);
    }

    private PlainPacket alternate() {
        return packet(Bench.PEER_V6, Bench.LOCAL_V6).pkey(ALTERNATE_PKEY);
    }

    private PlainPacket packet(Gid source, Gid destination) {
        return new PlainPacket(source, destination)
                .qpn(to.qp.qpn())
                .psn(Bench.FIRST_PSN + arrivals)
                .ackRequest(true)
                .payload(new byte[] {1, 2, 3, 4});
    }

    /** The packet is accepted, and the response is sent to {@code peer}. */
    private void assertAccepted(PlainPacket packet, Gid peer) {
        arrive(packet.bytes());
        arrivals++;
        assertThat(to.receiveCq.poll(2)).hasSize(1);
        assertThat(bench.link.sent)
                .singleElement()
                .satisfies(answer -> assertThat(answer[0] >> 4).isEqualTo(peer.isIpv4() ? 4 : 6));
        bench.link.sent.clear();
    }

    private void assertAccepted(PlainPacket packet) {
        assertAccepted(packet, Bench.PEER_V4);
    }

    private void assertDropped(ToLongFunction<InputCounters> counter, byte[] packet) {
        long before = counter.applyAsLong(bench.port.inputCounters());
        arrive(packet);
        assertThat(counter.applyAsLong(bench.port.inputCounters())).isEqualTo(before + 1);
        assertThat(to.receiveCq.poll(1)).isEmpty();
        assertThat(bench.link.sent).isEmpty();
    }

    private void arrive(byte[] packet) {
        bench.link.arrive(packet);
        bench.run();
    }

    private List<EventType> events() throws InterruptedException {
        AsyncEvent event = bench.context.getAsyncEvent(Duration.ZERO);
        if (event == null) {
            return List.of();
        }
        assertThat(event.queuePair()).isSameAs(to.qp);
        event.context().acknowledgeAsyncEvent(event);
        return List.of(event.type());
    }

    @Test
    @Covers({"DEV-35", "PORT-25", "QP-76", "EVT-13"})
    void connectionFollowsItsPeerToTheAlternatePath() throws InterruptedException {
        assertThat(bench.context.queryDevice().capabilities()).contains(DeviceCapability.AUTO_PATH_MIG);
        assertThat(bench.context.queryPort(1).capabilities()).contains(PortCapability.AUTO_MIGR_SUP);
        arm();
        assertAccepted(alternate(), Bench.PEER_V6);
        assertThat(events()).containsExactly(EventType.PATH_MIG);
        assertThat(state()).isEqualTo(MigrationState.MIGRATED);
        assertThat(to.qp.query().addressVector()).isEqualTo(ALTERNATE.addressVector());
        assertAccepted(alternate(), Bench.PEER_V6);
        assertThat(events()).isEmpty();
    }

    @Test
    @Covers({"QP-57", "QP-76"})
    void whoWasToldToMoveStillHearsThePeerOnTheOldPathUntilANewOneIsSet() {
        arm();
        to.qp.modify(
                QpAttributes.builder().migrationState(MigrationState.MIGRATED).build());
        assertAccepted(primary().migrated(false), Bench.PEER_V6);
        assertDropped(c -> c.badPkey, alternate().pkey(PKEY).bytes());
        rearm();
        assertDropped(c -> c.wrongAddress, primary().migrated(false).bytes());
        assertThat(state()).as("a straggler of the old path arms nobody").isEqualTo(MigrationState.REARM);
    }

    @Test
    void alternatePathIsClosedToWhoDoesNotAskToMigrate() {
        assertDropped(c -> c.wrongAddress, alternate().bytes());
        to.qp.modify(QpAttributes.builder().alternatePath(ALTERNATE).build());
        assertDropped(c -> c.wrongAddress, alternate().bytes());
        arm();
        assertDropped(c -> c.wrongAddress, alternate().migrated(false).bytes());
        assertThat(state()).isEqualTo(MigrationState.ARMED);
    }

    @Test
    void requestThatWasHurtOnItsWayMovesNobody() throws InterruptedException {
        arm();
        byte[] hurt = alternate().bytes();
        hurt[hurt.length - 1] ^= 1;
        assertDropped(c -> c.badIcrc, hurt);
        assertThat(state()).isEqualTo(MigrationState.ARMED);
        assertThat(events()).isEmpty();
    }

    @Test
    @Covers("EVT-14")
    void requestFromElsewhereOrInAnotherPartitionIsRefusedAndReportedOnce() throws InterruptedException {
        arm();
        arrive(alternate().pkey(PKEY).bytes());
        assertThat(events()).containsExactly(EventType.PATH_MIG_ERR);
        arrive(packet(Gid.parse("fd00::1:3"), Bench.LOCAL_V6)
                .pkey(ALTERNATE_PKEY)
                .bytes());
        assertThat(events()).isEmpty();
        assertThat(to.receiveCq.poll(1)).isEmpty();
        assertThat(state()).isEqualTo(MigrationState.ARMED);
        assertAccepted(primary());
        assertAccepted(alternate(), Bench.PEER_V6);
    }

    @Test
    @Covers("QP-76")
    void silentPeerIsLookedForOnTheAlternatePath() {
        arm();
        to.postSend(1, 0, 8);
        bench.run();
        long timeoutNs = 60 * (4096L << 10);
        for (long waitedNs = 0; waitedNs < timeoutNs; waitedNs += 1_000_000) {
            bench.now += 1_000_000;
            bench.run();
        }
        assertThat(bench.link.sent).extracting(packet -> packet[0] >> 4).containsSequence(4, 4, 6, 6);
        assertThat(state()).isEqualTo(MigrationState.MIGRATED);
    }

    @Test
    void pathThatCannotBeTakenIsRefusedAndNothingHasChanged() {
        AlternatePath mixed = new AlternatePath(AddressVector.roce(1, Bench.PEER_V4, IPV6_GID), 0, 1, 10);
        QpAttributes changes = QpAttributes.builder()
                .alternatePath(mixed)
                .migrationState(MigrationState.REARM)
                .build();
        assertThatThrownBy(() -> to.qp.modify(changes))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                .hasMessageContaining("mixes IP versions");
        assertThat(state()).isEqualTo(MigrationState.MIGRATED);
        assertThat(to.qp.query().alternatePath()).isNull();
        assertAccepted(primary());
    }
}
