// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.transport.port.PacketContext;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Opcode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Messages arrive as they were sent, whatever their size and however they are cut. */
class MessageTest {
    static Stream<Arguments> sizesByMtuAndMode() {
        List<Arguments> all = new ArrayList<>();
        for (Mode mode : Mode.values()) {
            for (Mtu mtu : Mtu.values()) {
                int full = mtu.bytes();
                for (int size : new int[] {0, 1, full - 1, full, full + 1, 2 * full, 7 * full + 3, 1 << 20}) {
                    all.add(Arguments.of(mode, mtu, size));
                }
            }
        }
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("sizesByMtuAndMode")
    @Covers({
        "QP-1", "QP-10", "QP-26", "QP-47", "WR-10", "CQ-27", "CQ-28", "CQ-50", "CQ-61", "CQ-64", "CQ-65", "RXE-103",
        "RXE-104", "RXE-188"
    })
    void messageOfAnySizeArrives(Mode mode, Mtu mtu, int size) {
        try (EnginePair pair = new EnginePair(new PairSettings().mtu(mtu).mode(mode))) {
            TestRegion target = pair.postReceives(1, size);
            TestRegion source = pair.postSends(1, size);

            pair.settle();

            assertThat(EnginePair.sameBytes(source, target, size)).isTrue();
            Completion sent = pair.a.sendCompletions().getFirst();
            assertThat(sent.brief()).isEqualTo("0 SUCCESS");
            assertThat(sent.opcode()).isEqualTo(WcOpcode.SEND);
            assertThat(sent.qpNumber()).isEqualTo(EnginePair.QPN_A);
            Completion received = pair.b.receiveCompletions().getFirst();
            assertThat(received.brief()).isEqualTo("0 SUCCESS");
            assertThat(received.opcode()).isEqualTo(WcOpcode.RECV);
            assertThat(received.byteLength()).isEqualTo(size);
            assertThat(received.hasImmediate()).isFalse();
            assertThat(received.qpNumber()).isEqualTo(EnginePair.QPN_B);
            int packets = Math.max(1, Math.ceilDiv(size, mtu.bytes()));
            assertThat(pair.a.engine.query().sqPsn()).isEqualTo(PairSettings.PSN_A + packets);
            assertThat(pair.b.engine.query().rqPsn()).isEqualTo(PairSettings.PSN_A + packets);
            assertThat(pair.a.counters().retransmittedPackets).isZero();
            assertThat(pair.nextDeadlineNs())
                    .as("no timer runs when all is acknowledged")
                    .isEqualTo(Long.MAX_VALUE);
        }
    }

    @Test
    @Covers({"QP-59", "RXE-118", "RXE-120", "RXE-122", "RXE-106"})
    void messageOfThreePacketsIsFirstMiddleLastWithPadOnTheLast() {
        try (EnginePair pair = new EnginePair(new PairSettings().mode(Mode.CUT).mtu(Mtu.MTU_256))) {
            pair.postReceives(1, 600);
            pair.postSends(1, 513);
            pair.transmit();

            assertThat(pair.network.inFlight())
                    .extracting(Parcel::toString)
                    .containsExactly("RC SEND First 100", "RC SEND Middle 101", "RC SEND Last 102");
            assertThat(pair.network.inFlight())
                    .extracting(parcel -> Bth.padCount(parcel.skb.memory(), parcel.skb.data()))
                    .containsExactly(0, 0, 3);
            assertThat(pair.network.inFlight())
                    .extracting(parcel -> PacketContext.destinationQpn(parcel.skb))
                    .containsOnly(EnginePair.QPN_B);
        }
    }

    @Test
    @Covers({"RXE-123", "RXE-106"})
    void packetsCarryThePartitionKeyOfTheQueuePairsIndex() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(1, 10);
            pair.postSends(1, 10);
            pair.transmit();
            Parcel request = pair.network.inFlight().getFirst();
            assertThat(Bth.pkey(request.skb.memory(), request.skb.data())).isEqualTo(Endpoint.PKEY);
            pair.deliver();
            pair.transmit();
            Parcel answer = pair.network.inFlight().getFirst();
            assertThat(Bth.pkey(answer.skb.memory(), answer.skb.data())).isEqualTo(Endpoint.PKEY);
            assertThat(PacketContext.destinationQpn(answer.skb)).isEqualTo(EnginePair.QPN_A);
        }
    }

    @Test
    void trainsTakeAsMuchOfAMessageAsFitsTheLargestDatagram() {
        try (EnginePair pair = new EnginePair(new PairSettings().mtu(Mtu.MTU_4096))) {
            pair.postReceives(1, 40 * 4096);
            pair.postSends(1, 40 * 4096);
            pair.transmit();
            assertThat(pair.network.inFlight())
                    .extracting(parcel -> parcel.packets)
                    .containsExactly(15, 15, 10);
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Covers({"WR-11", "WR-29", "CQ-66", "CQ-72", "RXE-126", "RXE-134", "RXE-185"})
    void immediateArrivesWithMessagesOfOneAndOfManyPackets(Mode mode) {
        try (EnginePair pair = new EnginePair(new PairSettings().mode(mode))) {
            TestRegion target = pair.postReceives(3, 5000);
            TestRegion source = pair.a.region(5000).filled(1);
            pair.a
                    .sends()
                    .wrId(1)
                    .sendImm(0xCAFE_BABE)
                    .wrId(2)
                    .sendImm(0x0102_0304)
                    .sge(source.lkey(), source.address(), 5000)
                    .wrId(3)
                    .send()
                    .complete();
            pair.settle();

            List<Completion> received = pair.b.receiveCompletions();
            assertThat(received).extracting(Completion::immediate).containsExactly(0xCAFE_BABE, 0x0102_0304, 0);
            assertThat(received).extracting(Completion::hasImmediate).containsExactly(true, true, false);
            assertThat(received).extracting(Completion::byteLength).containsExactly(0, 5000, 0);
            assertThat(target.bytes(5000, 5000)).isEqualTo(source.bytes(0, 5000));
            List<Completion> sent = pair.a.sendCompletions();
            assertThat(sent).extracting(Completion::hasImmediate).containsExactly(true, true, false);
            assertThat(sent).extracting(Completion::byteLength).containsExactly(0, 5000, 0);
        }
    }

    @Test
    void immediateTravelsInTheLastPacketOnly() {
        try (EnginePair pair = new EnginePair(new PairSettings().mode(Mode.CUT))) {
            TestRegion source = pair.a.region(2048);
            pair.a
                    .sends()
                    .sendImm(77)
                    .sge(source.lkey(), source.address(), 2048)
                    .complete();
            pair.transmit();
            assertThat(pair.network.inFlight())
                    .extracting(parcel -> parcel.opcode)
                    .containsExactly(Opcode.RC_SEND_FIRST, Opcode.RC_SEND_LAST_IMMEDIATE);
            assertThat(pair.network.inFlight().getLast().immediate).isEqualTo(77);
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Covers({"WR-4", "RXE-69", "MR-37", "RXE-167"})
    void piecesThatStraddlePacketsAreGatheredAndScattered(Mode mode) {
        int[] out = {700, 0, 1, 1500};
        int[] in = {1, 2000, 0, 300};
        try (EnginePair pair = new EnginePair(new PairSettings().mode(mode).mtu(Mtu.MTU_512))) {
            TestRegion source = pair.a.region(8192).filled(5);
            TestRegion target = pair.b.region(8192);
            pair.b.receive(9, pieces(target, in));
            pair.a.send(8, pieces(source, out));
            pair.settle();

            Completion received = pair.b.receiveCompletions().getFirst();
            assertThat(received.byteLength()).isEqualTo(2201);
            assertThat(concatenated(target, in, 2201)).isEqualTo(concatenated(source, out, 2201));
        }
    }

    /** Piece {@code i} begins at {@code i} · 2048. */
    private static TestRegion.Piece[] pieces(TestRegion region, int[] lengths) {
        TestRegion.Piece[] pieces = new TestRegion.Piece[lengths.length];
        for (int i = 0; i < lengths.length; i++) {
            pieces[i] = region.piece(i * 2048L, lengths[i]);
        }
        return pieces;
    }

    private static byte[] concatenated(TestRegion region, int[] lengths, int total) {
        byte[] all = new byte[Arrays.stream(lengths).sum()];
        int at = 0;
        for (int i = 0; i < lengths.length; i++) {
            System.arraycopy(region.bytes(i * 2048L, lengths[i]), 0, all, at, lengths[i]);
            at += lengths[i];
        }
        return Arrays.copyOf(all, total);
    }

    @Test
    void emptyPiecesNeedNoValidKey() {
        try (EnginePair pair = EnginePair.connected()) {
            TestRegion target = pair.b.region(10);
            TestRegion source = pair.a.region(10).filled(3);
            pair.b.receive(1, new TestRegion.Piece(0, 0, 0), target.first(10));
            pair.a.send(2, new TestRegion.Piece(0xBAD, -1, 0), source.first(10));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("2 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, 10)).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Covers("WR-4")
    void messageHasAsManyPiecesAsTheSendQueueTakes(Mode mode) {
        try (EnginePair pair = new EnginePair(new PairSettings().mode(mode).maxSge(32))) {
            int count = pair.a.sendQueue.maxSge();
            TestRegion source = pair.a.region(count * 64L).filled(2);
            TestRegion target = pair.postReceives(1, count * 50);
            SendBatch batch = pair.a.sends().wrId(4).send();
            for (int i = 0; i < count; i++) {
                batch.sge(source.lkey(), source.address() + i * 64L, 50);
            }
            batch.complete();
            pair.settle();

            assertThat(pair.a.sendResults()).containsExactly("4 SUCCESS");
            for (int i = 0; i < count; i++) {
                assertThat(target.bytes(i * 50L, 50)).isEqualTo(source.bytes(i * 64L, 50));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Covers("WR-27")
    void inlineDataAreCopiedWhenPostedAndNeedNoKey(Mode mode) {
        try (EnginePair pair =
                new EnginePair(new PairSettings().mode(mode).mtu(Mtu.MTU_256).maxInlineData(600))) {
            TestRegion target = pair.postReceives(1, 600);
            TestRegion source = pair.a.region(600).filled(4);
            byte[] posted = source.bytes(0, 600);
            pair.a.sends().wrId(1).send().inline(source.memory()).complete();
            source.memory().fill((byte) 0);
            pair.settle();

            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
            assertThat(target.bytes(0, 600)).isEqualTo(posted);
        }
    }

    @Test
    void requestInASlotThatInlineRequestsHavePassedSendsItsOwnData() {
        try (EnginePair pair = new EnginePair(new PairSettings().queueEntries(1))) {
            TestRegion source = pair.a.region(200).filled(6);
            TestRegion target = pair.b.region(300);
            for (int i = 0; i < 3; i++) {
                pair.b.receive(i, target.piece(i * 100L, 100));
                if (i == 1) {
                    pair.a.sends().send().inline(source.memory().asSlice(0, 20)).complete();
                } else {
                    pair.a.send(i, source.piece(i / 2 * 100L, 100));
                }
                pair.settle();
            }
            assertThat(target.bytes(200, 100)).isEqualTo(source.bytes(100, 100));
        }
    }

    @Test
    @Covers("QP-1")
    void bothSidesSendAtOnce() {
        try (EnginePair pair = EnginePair.connected()) {
            TestRegion atA = pair.a.region(3000).filled(1);
            TestRegion atB = pair.b.region(3000).filled(2);
            TestRegion intoA = pair.a.region(3000);
            TestRegion intoB = pair.b.region(3000);
            pair.a.receive(1, intoA.first(3000));
            pair.b.receive(2, intoB.first(3000));
            pair.a.send(3, atA.first(3000));
            pair.b.send(4, atB.first(3000));
            pair.settle();
            assertThat(EnginePair.sameBytes(atA, intoB, 3000)).isTrue();
            assertThat(EnginePair.sameBytes(atB, intoA, 3000)).isTrue();
            assertThat(pair.a.sendResults()).containsExactly("3 SUCCESS");
            assertThat(pair.a.receiveResults()).containsExactly("1 SUCCESS");
            assertThat(pair.b.engine.state()).isEqualTo(QpState.RTS);
        }
    }

    @Test
    @Covers("RXE-108")
    void messageContinuesWhenBuffersAreBack() {
        try (EnginePair pair = new EnginePair(new PairSettings().timeout(0))) {
            pair.postReceives(1, 5000);
            pair.postSends(1, 5000);
            pair.a.outOfBuffers = true;
            pair.settle();
            assertThat(pair.network.sent()).isEmpty();
            pair.a.outOfBuffers = false;
            pair.b.outOfBuffers = true;
            pair.settle();
            assertThat(pair.a.sendResults()).isEmpty();
            pair.b.outOfBuffers = false;
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
        }
    }

    @Test
    @Covers("RXE-92")
    void pollTransmitKeepsToItsBudgetAndSaysThatThereMayBeMore() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(5, 3000);
            pair.postSends(5, 3000);
            assertThat(pair.a.engine.pollTransmit(pair.nowNs(), 4)).isTrue();
            assertThat(pair.network.inFlight())
                    .extracting(parcel -> parcel.packets)
                    .containsExactly(3, 1);
            pair.settle();
            assertThat(pair.b.receiveResults()).hasSize(5);
            assertThat(pair.a.engine.pollTransmit(pair.nowNs(), 4)).as("idle").isFalse();
        }
    }

    /** A packet that must be sent again is read again from the memory: until the completion it is the device's. */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void memoryIsReadUntilTheRequestCompletesAndNotAfterwards(Mode mode) {
        try (EnginePair pair = new EnginePair(new PairSettings().mode(mode))) {
            TestRegion target = pair.postReceives(1, 100);
            pair.network.loseNext(Parcel::isRequest);
            TestRegion source = pair.postSends(1, 100);
            pair.transmit();
            source.filled(77);
            assertThat(pair.a.sendResults()).isEmpty();
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
            byte[] arrived = target.bytes(0, 100);
            assertThat(arrived).isEqualTo(source.bytes(0, 100));
            source.filled(78);
            pair.run();
            assertThat(target.bytes(0, 100)).isEqualTo(arrived);
        }
    }
}
