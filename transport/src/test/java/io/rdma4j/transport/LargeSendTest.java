// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.port.QpPort;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Large sends of datagrams: cut into segments, each behind the same header. */
class LargeSendTest {
    private static final int ROUTE = QpPort.ROUTE_BYTES;
    private static final int ROOM = ROUTE + 1024;
    private static final byte[] HEADER = "twenty-one bytes long".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

    private static PairSettings settings() {
        return new PairSettings().type(QpType.UD).mtu(Mtu.MTU_1024).queueEntries(400);
    }

    private final EnginePair pair = new EnginePair(settings().createFlags(QpCreateFlag.IPOIB_UD_LSO));

    @AfterEach
    void close() {
        pair.close();
    }

    private void post(EnginePair on, long wrId, int segmentBytes, TestRegion.Piece... pieces) {
        RingForgery.largeSend(on.a, wrId, HEADER, segmentBytes, on.settings.qkey, pieces);
    }

    private void post(long wrId, int segmentBytes, TestRegion.Piece... pieces) {
        post(pair, wrId, segmentBytes, pieces);
    }

    private void assertRefused(String how) {
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly(how);
        assertThat(pair.a.state()).isEqualTo(QpState.SQE);
        assertThat(pair.network.sent()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "1000, 100, 10",
        "1001, 100, 11",
        "99, 100, 1",
        "100, 100, 1",
        "0, 100, 1",
        "5, 1, 5",
        "2006, 1003, 2",
        "30000, 100, 300"
    })
    @Covers({"WR-15", "QP-17", "CQ-56"})
    void eachSegmentFollowsTheHeader(int bytes, int segmentBytes, int segments) {
        TestRegion source = pair.a.region(Math.max(1, bytes)).filled(7);
        TestRegion target = pair.postReceives(segments, ROOM);
        post(1, segmentBytes, source.first(bytes));
        pair.settle();
        assertThat(pair.a.sendCompletions()).singleElement().satisfies(completion -> {
            assertThat(completion.brief()).isEqualTo("1 SUCCESS");
            assertThat(completion.opcode()).isEqualTo(WcOpcode.TSO);
        });
        List<Completion> received = pair.b.receiveCompletions();
        assertThat(received).hasSize(segments);
        for (int i = 0; i < segments; i++) {
            int part = Math.min(segmentBytes, bytes - i * segmentBytes);
            assertThat(received.get(i).brief()).isEqualTo(i + " SUCCESS");
            assertThat(received.get(i).byteLength()).isEqualTo(ROUTE + HEADER.length + part);
            long at = (long) i * ROOM + ROUTE;
            assertThat(target.bytes(at, HEADER.length)).isEqualTo(HEADER);
            assertThat(target.bytes(at + HEADER.length, part)).isEqualTo(source.bytes((long) i * segmentBytes, part));
        }
    }

    @Test
    void segmentsGoAcrossThePiecesThatTheyAreGatheredFrom() {
        TestRegion source = pair.a.region(1000).filled(3);
        TestRegion target = pair.postReceives(3, ROOM);
        post(1, 100, source.piece(500, 130), source.piece(0, 90));
        pair.settle();
        int first = ROUTE + HEADER.length;
        assertThat(target.bytes(first, 100)).isEqualTo(source.bytes(500, 100));
        assertThat(target.bytes(ROOM + first, 30)).isEqualTo(source.bytes(600, 30));
        assertThat(target.bytes(ROOM + first + 30L, 70)).isEqualTo(source.bytes(0, 70));
        assertThat(target.bytes(2L * ROOM + first, 20)).isEqualTo(source.bytes(70, 20));
    }

    @Test
    void requestsBehindALargeSendKeepTheirPlace() {
        TestRegion source = pair.a.region(1000).filled(3);
        pair.postReceives(5, ROOM);
        post(1, 300, source.first(900));
        pair.a.datagram(2, EnginePair.QPN_B, pair.settings.qkey, source.first(10));
        post(3, 1000, source.first(50));
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
        assertThat(pair.b.receiveCompletions())
                .extracting(completion -> completion.byteLength() - ROUTE)
                .containsExactly(321, 321, 321, 10, 71);
    }

    @Test
    void itCompletesWhenTheLastSegmentHasLeft() {
        post(1, 100, pair.a.region(250).first(250));
        pair.transmit();
        assertThat(pair.a.sendResults()).isEmpty();
        pair.network.drop(2);
        pair.network.drop(0);
        assertThat(pair.a.sendResults()).isEmpty();
        pair.network.drop(0);
        assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
    }

    @Test
    void onlyTheLastSegmentIsSolicited() {
        post(1, 100, pair.a.region(300).first(300));
        RingForgery.sendFlags(pair.a.sendQueue, 0, SendFlag.SOLICITED.bit());
        pair.transmit();
        assertThat(pair.network.inFlight())
                .extracting(parcel -> io.rdma4j.wire.Bth.solicitedEvent(parcel.skb.memory(), parcel.skb.data()))
                .containsExactly(false, false, true);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 1004, Integer.MAX_VALUE, Integer.MIN_VALUE})
    @Covers("WR-15")
    void segmentThatDoesNotFitThePathBehindItsHeaderIsALengthError(int segmentBytes) {
        post(1, segmentBytes, pair.a.region(100).first(100));
        assertRefused("1 LOC_LEN_ERR");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1025, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void forgedHeaderLongerThanThePathIsALengthError(int headerBytes) {
        post(1, 100, pair.a.region(100).first(100));
        RingForgery.headerBytes(pair.a.sendQueue, 0, headerBytes);
        assertRefused("1 LOC_LEN_ERR");
    }

    @Test
    void forgedHeaderThatLeavesNoRoomForThePiecesIsAnOperationError() {
        post(1, 100, pair.a.region(100).first(100));
        RingForgery.headerBytes(pair.a.sendQueue, 0, 500);
        assertRefused("1 LOC_QP_OP_ERR");
    }

    @Test
    void dataBeyondTheLimitAreALengthError() {
        int limit = TransportOptions.MAX_LARGE_SEND_BYTES;
        post(1, 1000, pair.a.region(limit + 1).first(limit + 1));
        assertRefused("1 LOC_LEN_ERR");
    }

    @Test
    void nothingIsSentIfAPieceCannotBeRead() {
        TestRegion good = pair.a.region(500);
        TestRegion foreign = pair.a.region(500, new Object(), 0);
        post(1, 100, good.first(500), foreign.first(500));
        assertRefused("1 LOC_PROT_ERR");
    }

    @Test
    void memoryThatGoesAwayHalfWayEndsIt() {
        TestRegion source = pair.a.region(30_000);
        pair.postReceives(300, ROOM);
        post(1, 100, source.first(30_000));
        pair.transmit();
        pair.a.keys.revoke(source.key());
        pair.deliver();
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly("1 LOC_PROT_ERR");
        assertThat(pair.b.receiveResults()).hasSize(64);
    }

    @Test
    @Covers("QP-17")
    void forgedInTheRingOfAQueuePairWithoutTheFlagItIsAnOperationError() {
        for (QpType type : List.of(QpType.UD, QpType.RC)) {
            try (EnginePair plain = new EnginePair(settings().type(type))) {
                post(plain, 1, 100, plain.a.region(100).first(100));
                plain.settle();
                assertThat(plain.a.sendResults()).containsExactly("1 LOC_QP_OP_ERR");
                assertThat(plain.network.sent()).isEmpty();
            }
        }
    }

    @Test
    void largeSendsTakeNoMoreBuffersThanOthersAtATime() {
        int segments = 300;
        pair.postReceives(segments, ROOM);
        post(1, 100, pair.a.region(segments * 100L).first(segments * 100));
        pair.transmit();
        assertThat(pair.network.inFlight()).hasSize(64);
        pair.settle();
        assertThat(pair.b.receiveResults())
                .isEqualTo(IntStream.range(0, segments)
                        .mapToObj(i -> i + " SUCCESS")
                        .toList());
    }
}
