// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.transport.common.PathMigration;
import io.rdma4j.transport.common.PathMigration.Trigger;
import io.rdma4j.transport.port.SharedReceiveState;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.SharedReceiveRing;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.AlternatePath;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.MigrationState;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Opcode;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Automatic path migration (IBA 17.2.8): two ends with two paths, of which the first may die. */
class PathMigrationTest {
    private static final int FIRST_PATH = 0;
    private static final int SECOND_PATH = 1;
    private static final int THIRD_PATH = 2;
    private static final int XRC_SRQ = 5;
    private static final int ALTERNATE_PKEY_INDEX = 1;
    private static final int ALTERNATE_TIMEOUT = 10;
    private static final AlternatePath ALTERNATE = new AlternatePath(
            AddressVector.roce(1, Gid.ofIpv4(0x0A00_0001), 3), ALTERNATE_PKEY_INDEX, 1, ALTERNATE_TIMEOUT);

    private static EnginePair pair(QpType type, Mode mode, int retryCount) {
        PairSettings settings =
                new PairSettings().mode(mode).retryCount(retryCount).rdma(4);
        EnginePair pair = new EnginePair(type == QpType.XRC_INI ? settings.xrc() : settings.type(type));
        SharedReceiveRing ring = new SharedReceiveRing(7, 1, 0, _ -> {});
        CompletionRing completions = CompletionRing.silent(15);
        pair.b.xrcQueues.put(XRC_SRQ, new SharedReceiveState(ring, pair.b.protectionDomain, completions));
        return pair;
    }

    private static EnginePair armed(QpType type, Mode mode, int retryCount) {
        EnginePair pair = pair(type, mode, retryCount);
        rearm(pair.a, SECOND_PATH);
        rearm(pair.b, SECOND_PATH);
        greet(pair, pair.a, pair.b);
        if (type == QpType.UC) {
            greet(pair, pair.b, pair.a);
        }
        assertThat(state(pair.a)).isEqualTo(MigrationState.ARMED);
        assertThat(state(pair.b)).isEqualTo(MigrationState.ARMED);
        return pair;
    }

    private static EnginePair armed() {
        return armed(QpType.RC, Mode.CUT, 3);
    }

    private static void rearm(Endpoint end, int path) {
        end.alternatePath = path;
        end.modify(QpAttributes.builder().alternatePath(ALTERNATE).migrationState(MigrationState.REARM));
    }

    /** An empty message from one end to the other, which a reliable one answers. */
    private static void greet(EnginePair pair, Endpoint from, Endpoint to) {
        write(from, 0, to.shared(8).first(0), from.region(8).first(0));
        pair.settle();
        assertThat(from.sendResults()).containsExactly("0 SUCCESS");
    }

    private static void write(Endpoint from, long wrId, TestRegion.Piece target, TestRegion.Piece source) {
        finish(from, from.sends().wrId(wrId).rdmaWrite(target.lkey(), target.address()), source);
    }

    private static void finish(Endpoint from, SendBatch batch, TestRegion.Piece piece) {
        if (from.settings.type == QpType.XRC_INI) {
            batch.xrcSrq(XRC_SRQ);
        }
        batch.sge(piece.lkey(), piece.address(), piece.lengthBytes()).complete();
    }

    private static MigrationState state(Endpoint end) {
        return end.engine.query().migrationState();
    }

    private static void losePath(EnginePair pair, int path) {
        pair.network.lose(parcel -> parcel.path == path);
    }

    @Test
    @Covers({"QP-73", "QP-74", "QP-75"})
    void stateMachineIsTheOneThatWasReviewed() throws IOException {
        assertThat(table()).isEqualTo(LadderTest.golden("/migration.txt"));
    }

    private static String table() {
        String head = row("trigger", (Object[]) MigrationState.values());
        return Arrays.stream(Trigger.values())
                .map(trigger -> row(
                        trigger,
                        Arrays.stream(MigrationState.values())
                                .map(state -> PathMigration.next(state, trigger))
                                .toArray()))
                .collect(Collectors.joining("", head, ""));
    }

    private static String row(Object trigger, @Nullable Object... states) {
        return Arrays.stream(states)
                .map(state -> String.format(Locale.ROOT, " %-9s", state == null ? "-" : state))
                .collect(Collectors.joining("", String.format(Locale.ROOT, "%-17s", trigger), ""))
                .stripTrailing()
                .concat("\n");
    }

    @Test
    @Covers("QP-73")
    void endsThatPrepareNothingSendMigReqAlwaysAndNeverMove() {
        try (EnginePair pair = pair(QpType.RC, Mode.CUT, 1)) {
            greet(pair, pair.a, pair.b);
            assertThat(pair.network.sent()).hasSize(2).allMatch(parcel -> parcel.migrationRequest);
            losePath(pair, FIRST_PATH);
            pair.postSends(1, 10);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 RETRY_EXC_ERR");
            assertThat(pair.a.events).isEmpty();
        }
    }

    @Test
    void peerThatNeverSendsMigReqMovesNobodyWhoWasNotToldToRearm() {
        try (EnginePair pair = pair(QpType.RC, Mode.CUT, 1)) {
            pair.postReceives(2, 10);
            pair.b.alternatePath = SECOND_PATH;
            pair.b.modify(QpAttributes.builder().alternatePath(ALTERNATE));
            SkBuff likeLinux = pair.packet(Opcode.RC_SEND_ONLY, PairSettings.PSN_A, true, EnginePair.QPN_B, 10);
            Bth.write(
                    likeLinux.memory(),
                    likeLinux.data(),
                    Opcode.RC_SEND_ONLY,
                    false,
                    false,
                    2,
                    Endpoint.PKEY,
                    EnginePair.QPN_B,
                    true,
                    PairSettings.PSN_A);
            pair.b.receive(likeLinux, pair.nowNs());
            likeLinux.free();
            assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS");
            assertThat(state(pair.b)).isEqualTo(MigrationState.MIGRATED);
            assertThat(pair.b.events).isEmpty();
        }
    }

    @Test
    @Covers({"QP-57", "QP-74", "QP-75"})
    void endsAreArmedAsSoonAsEachHasHeardTheOther() {
        try (EnginePair pair = pair(QpType.RC, Mode.CUT, 3)) {
            rearm(pair.a, SECOND_PATH);
            assertThat(state(pair.a)).isEqualTo(MigrationState.REARM);
            greet(pair, pair.a, pair.b);
            assertThat(pair.network.requests()).noneMatch(parcel -> parcel.migrationRequest);
            assertThat(pair.network.responses()).allMatch(parcel -> parcel.migrationRequest);
            assertThat(state(pair.a)).as("the peer is not ready").isEqualTo(MigrationState.REARM);
            assertThat(state(pair.b)).isEqualTo(MigrationState.MIGRATED);

            rearm(pair.b, SECOND_PATH);
            greet(pair, pair.a, pair.b);
            assertThat(state(pair.a)).isEqualTo(MigrationState.ARMED);
            assertThat(state(pair.b)).isEqualTo(MigrationState.ARMED);

            pair.network.forgetSent();
            greet(pair, pair.b, pair.a);
            assertThat(pair.network.sent()).hasSize(2).noneMatch(parcel -> parcel.migrationRequest);
            assertThat(pair.a.events).isEmpty();
            assertThat(pair.b.events).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "RC, CUT, 0",
        "RC, CUT, 1",
        "RC, CUT, 7",
        "RC, WHOLE, 3",
        "XRC_INI, CUT, 1",
        "XRC_INI, WHOLE, 0",
    })
    @Covers({"QP-53", "QP-76", "EVT-13"})
    void primaryPathThatDiesCostsNoMessage(QpType type, Mode mode, int retryCount) {
        try (EnginePair pair = armed(type, mode, retryCount)) {
            int size = 5000;
            TestRegion source = pair.a.region(10L * size).filled(1);
            TestRegion target = pair.b.shared(10L * size);
            TestRegion back = pair.a.region(size);
            for (int i = 0; i < 10; i++) {
                long offset = (long) i * size;
                write(pair.a, i, target.piece(offset, size), source.piece(offset, size));
            }
            finish(pair.a, pair.a.sends().wrId(10).rdmaRead(target.lkey(), target.address()), back.first(size));
            pair.network.lose(parcel -> parcel.path == FIRST_PATH && parcel.psn >= PairSettings.PSN_A + 12);
            pair.network.forgetSent();
            pair.run();

            assertThat(pair.a.sendResults()).hasSize(11).allMatch(result -> result.endsWith(" SUCCESS"));
            assertThat(EnginePair.sameBytes(source, target, 10 * size)).isTrue();
            assertThat(EnginePair.sameBytes(source, back, size)).isTrue();
            for (Endpoint end : new Endpoint[] {pair.a, pair.b}) {
                assertThat(end.events).containsExactly(EventType.PATH_MIG);
                assertThat(end.engine.state()).isEqualTo(QpState.RTS);
                assertThat(state(end)).isEqualTo(MigrationState.MIGRATED);
            }
            assertThat(pair.network.sent())
                    .allMatch(parcel -> parcel.migrationRequest == (parcel.path == SECOND_PATH))
                    .anyMatch(parcel -> parcel.path == SECOND_PATH && !parcel.isRequest());
            assertThat(pair.a.counters().retries).isEqualTo(retryCount);
            assertThat(pair.a.counters().retryExceeded).isZero();
        }
    }

    @Test
    @Covers({"QP-53", "QP-68", "QP-72"})
    void alternatePathBringsItsOwnTimeoutPortAndPartition() {
        try (EnginePair pair = armed()) {
            QpAttributes before = pair.a.engine.query();
            assertThat(before.alternatePath()).isEqualTo(ALTERNATE);
            assertThat(before.pkeyIndex()).isZero();

            pair.a.modify(QpAttributes.builder().migrationState(MigrationState.MIGRATED));
            QpAttributes after = pair.a.engine.query();
            assertThat(after.addressVector()).isEqualTo(ALTERNATE.addressVector());
            assertThat(after.port()).isEqualTo(ALTERNATE.port());
            assertThat(after.pkeyIndex()).isEqualTo(ALTERNATE_PKEY_INDEX);
            assertThat(after.timeout()).isEqualTo(ALTERNATE_TIMEOUT);
            assertThat(after.retryCount()).isEqualTo(before.retryCount());

            pair.postSends(1, 10);
            pair.transmit();
            assertThat(pair.nextDeadlineNs()).isEqualTo(pair.nowNs() + (4096L << ALTERNATE_TIMEOUT));
            SkBuff packet = pair.network.inFlight().getFirst().skb;
            assertThat(Bth.pkey(packet.memory(), packet.data())).isEqualTo(Endpoint.PKEY + ALTERNATE_PKEY_INDEX);
        }
    }

    @Test
    @Covers("QP-76")
    void alternatePathThatIsDeadTooEndsTheRequestAfterAsManyRetriesAgain() {
        try (EnginePair pair = armed()) {
            pair.network.lose(parcel -> true);
            pair.network.forgetSent();
            pair.postSends(1, 10);
            pair.run();
            assertThat(pair.network.requests())
                    .extracting(parcel -> parcel.path)
                    .containsExactly(0, 0, 0, 0, 1, 1, 1, 1);
            assertThat(pair.a.sendResults()).containsExactly("0 RETRY_EXC_ERR");
            assertThat(pair.a.events).containsExactly(EventType.PATH_MIG);
        }
    }

    @Test
    void endWhosePeerIsNotReadyDoesNotMove() {
        try (EnginePair pair = pair(QpType.RC, Mode.CUT, 3)) {
            rearm(pair.a, SECOND_PATH);
            pair.network.lose(parcel -> true);
            pair.postSends(1, 10);
            pair.run();
            assertThat(pair.network.requests()).hasSize(4).allMatch(parcel -> parcel.path == FIRST_PATH);
            assertThat(pair.a.sendResults()).containsExactly("0 RETRY_EXC_ERR");
        }
    }

    @Test
    void receiverThatIsNotReadyIsNoReasonToMove() {
        try (EnginePair pair = armed()) {
            pair.a.modify(QpAttributes.builder().rnrRetry(1));
            pair.postSends(1, 10);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 RNR_RETRY_EXC_ERR");
            assertThat(pair.a.events).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = QpType.class,
            names = {"RC", "UC"})
    @Covers({"QP-57", "QP-76", "EVT-13"})
    void applicationMovesOneEndAndTheOtherFollows(QpType type) {
        try (EnginePair pair = armed(type, Mode.CUT, 3)) {
            pair.a.modify(QpAttributes.builder().migrationState(MigrationState.MIGRATED));
            assertThat(pair.a.events).containsExactly(EventType.PATH_MIG);
            assertThat(pair.b.events).as("nobody told it yet").isEmpty();
            if (type == QpType.UC) {
                // What the peer sends before it knows is not lost, although no one would send it again.
                TestRegion source = pair.b.region(8).filled(1);
                TestRegion target = pair.a.shared(8);
                write(pair.b, 7, target.first(8), source.first(8));
                pair.settle();
                assertThat(EnginePair.sameBytes(source, target, 8)).isTrue();
                pair.b.sendResults();
            }
            greet(pair, pair.a, pair.b);
            assertThat(pair.b.events).containsExactly(EventType.PATH_MIG);
            pair.network.forgetSent();
            greet(pair, pair.b, pair.a);
            assertThat(pair.network.sent()).allMatch(parcel -> parcel.path == SECOND_PATH && parcel.migrationRequest);
            assertThat(pair.b.events).containsExactly(EventType.PATH_MIG);
        }
    }

    @Test
    void unreliableEndDoesNotSeeThatItsPathIsDead() {
        try (EnginePair pair = armed(QpType.UC, Mode.CUT, 3)) {
            losePath(pair, FIRST_PATH);
            pair.postSends(3, 10);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "1 SUCCESS", "2 SUCCESS");
            assertThat(state(pair.a)).isEqualTo(MigrationState.ARMED);
        }
    }

    @Test
    @Covers("QP-74")
    void endsThatMovedMayArmAgainForAThirdPath() {
        try (EnginePair pair = armed()) {
            losePath(pair, FIRST_PATH);
            pair.postReceives(2, 10);
            pair.postSends(1, 10);
            pair.run();
            rearm(pair.a, THIRD_PATH);
            rearm(pair.b, THIRD_PATH);
            greet(pair, pair.b, pair.a);
            losePath(pair, SECOND_PATH);
            pair.postSends(1, 10);
            pair.run();
            assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS", "1 SUCCESS");
            assertThat(pair.a.primaryPath).isEqualTo(THIRD_PATH);
            assertThat(pair.b.events).containsExactly(EventType.PATH_MIG, EventType.PATH_MIG);
        }
    }

    @Test
    @Covers("EVT-14")
    void peerThatMovesToAPathUnknownHereIsRefusedAndTheApplicationToldOnce() {
        try (EnginePair pair = armed()) {
            pair.b.alternatePath = THIRD_PATH;
            losePath(pair, FIRST_PATH);
            pair.postReceives(1, 10);
            pair.postSends(1, 10);
            pair.run();
            assertThat(pair.b.events).containsExactly(EventType.PATH_MIG_ERR);
            assertThat(pair.b.receiveResults()).isEmpty();
            assertThat(pair.b.counters().droppedPackets).isEqualTo(4);
            assertThat(state(pair.b)).isEqualTo(MigrationState.ARMED);
            assertThat(pair.b.engine.state()).isEqualTo(QpState.RTS);
            assertThat(pair.a.sendResults()).containsExactly("0 RETRY_EXC_ERR");
        }
    }

    @Test
    @Covers("EVT-14")
    void peerThatMovesBeforeThisEndIsArmedIsRefused() {
        try (EnginePair pair = pair(QpType.RC, Mode.CUT, 0)) {
            pair.postReceives(1, 10);
            rearm(pair.a, SECOND_PATH);
            rearm(pair.b, SECOND_PATH);
            pair.b.modify(QpAttributes.builder().timeout(0));
            pair.network.lose(parcel -> parcel.to == pair.b && parcel.path == FIRST_PATH);
            greetIgnoringLoss(pair);
            assertThat(state(pair.a)).isEqualTo(MigrationState.ARMED);
            assertThat(state(pair.b)).isEqualTo(MigrationState.REARM);
            pair.postSends(1, 10);
            pair.run();
            assertThat(pair.b.events).containsExactly(EventType.PATH_MIG_ERR);
            assertThat(state(pair.b)).isEqualTo(MigrationState.REARM);
        }
    }

    /** B sends, A hears it, and its answer is lost. */
    private static void greetIgnoringLoss(EnginePair pair) {
        write(pair.b, 0, pair.a.shared(8).first(0), pair.b.region(8).first(0));
        pair.settle();
    }

    @Test
    void packetThatWasSentBeforeItsSenderArmedMovesNobody() {
        try (EnginePair pair = pair(QpType.RC, Mode.CUT, 3)) {
            pair.postReceives(2, 10);
            pair.postSends(1, 10);
            pair.transmit();
            SkBuff late = pair.network.inFlight().getFirst().skb;
            late.get();
            rearm(pair.a, SECOND_PATH);
            rearm(pair.b, SECOND_PATH);
            greet(pair, pair.b, pair.a);
            assertThat(state(pair.b)).isEqualTo(MigrationState.ARMED);
            pair.b.receive(late, FIRST_PATH, pair.nowNs());
            late.free();
            assertThat(state(pair.b)).isEqualTo(MigrationState.ARMED);
            assertThat(pair.b.events).isEmpty();
            assertThat(pair.b.counters().droppedPackets).isZero();
        }
    }

    @Test
    @Covers({"QP-57", "QP-74", "QP-75"})
    void applicationCannotArmNorTakeBackWhatItArmed() {
        try (EnginePair pair = pair(QpType.RC, Mode.CUT, 3)) {
            refused(pair.a, MigrationState.ARMED, "cannot be set in MIGRATED");
            refused(pair.a, MigrationState.REARM, "needs an alternate path");
            pair.a.engine.check(QpAttributes.builder()
                    .migrationState(MigrationState.MIGRATED)
                    .build());
            rearm(pair.a, SECOND_PATH);
            refused(pair.a, MigrationState.ARMED, "cannot be set in REARM");
            refused(pair.a, MigrationState.MIGRATED, "cannot be set in REARM");
        }
        try (EnginePair pair = armed()) {
            refused(pair.a, MigrationState.REARM, "cannot be set in ARMED");
            refused(pair.a, MigrationState.ARMED, "cannot be set in ARMED");
        }
    }

    private static void refused(Endpoint end, MigrationState wanted, String message) {
        QpAttributes changes = QpAttributes.builder().migrationState(wanted).build();
        assertThatThrownBy(() -> end.engine.check(changes))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                .hasMessageContaining(message);
    }

    @Test
    @Covers("QP-73")
    void resetDisarms() {
        try (EnginePair pair = armed()) {
            pair.a.modify(QpState.RESET);
            assertThat(state(pair.a)).isEqualTo(MigrationState.MIGRATED);
            refused(pair.a, MigrationState.REARM, "needs an alternate path");
        }
    }
}
