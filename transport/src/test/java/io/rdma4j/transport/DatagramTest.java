// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.transport.port.QpPort;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WrOpcode;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Deth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.Opcode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** UD and GSI. */
class DatagramTest {
    private static final int QKEY = 0x1111_1111;
    private static final int ROUTE = QpPort.ROUTE_BYTES;

    private final EnginePair pair = ud(QpType.UD, QKEY);

    private static EnginePair ud(QpType type, int qkey) {
        return new EnginePair(
                new PairSettings().type(type).qkey(qkey).mtu(Mtu.MTU_1024).mode(Mode.CUT));
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private TestRegion source(int bytes) {
        return pair.a.region(Math.max(1, bytes)).filled(bytes);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 1000, 1024})
    @Covers({"QP-12", "CQ-71", "RXE-131", "RXE-185"})
    void datagramArrivesBehindItsRouteAndSaysWhoSentIt(int size) {
        TestRegion source = source(size);
        TestRegion target = pair.postReceives(1, ROUTE + size);
        pair.a.datagram(1, EnginePair.QPN_B, QKEY, source.first(size));
        pair.settle();
        assertThat(pair.a.sendCompletions()).singleElement().satisfies(completion -> {
            assertThat(completion.brief()).isEqualTo("1 SUCCESS");
            assertThat(completion.opcode()).isEqualTo(WcOpcode.SEND);
        });
        assertThat(pair.b.receiveCompletions()).singleElement().satisfies(completion -> {
            assertThat(completion.brief()).isEqualTo("0 SUCCESS");
            assertThat(completion.byteLength()).isEqualTo(ROUTE + size);
            assertThat(completion.flags()).isEqualTo(WcFlag.GRH.bit());
            assertThat(completion.sourceQp()).isEqualTo(EnginePair.QPN_A);
        });
        assertThat(target.bytes(0, 2)).containsExactly(1, 2);
        assertThat(target.bytes(ROUTE - 1, 1)).containsExactly(ROUTE);
        assertThat(target.bytes(ROUTE, size)).isEqualTo(source.bytes(0, size));
        assertThat(pair.network.responses()).isEmpty();
    }

    @Test
    void immediateDataComeAlong() {
        pair.postReceives(1, 100);
        pair.a.datagram(pair.a.sends().sendImm(77), Endpoint.ADDRESS_HANDLE, EnginePair.QPN_B, QKEY);
        pair.settle();
        assertThat(pair.b.receiveCompletions()).singleElement().satisfies(completion -> {
            assertThat(completion.immediate()).isEqualTo(77);
            assertThat(completion.flags()).isEqualTo(WcFlag.GRH.bit() | WcFlag.WITH_IMM.bit());
        });
    }

    @Test
    @Covers("RXE-120")
    void destinationAndKeyAreThoseOfTheRequest() {
        pair.a.datagram(1, 0xABCDEF, 0x7FFF_FFFF);
        pair.transmit();
        SkBuff skb = pair.network.inFlight().getFirst().skb;
        assertThat(Bth.destinationQpn(skb.memory(), skb.data())).isEqualTo(0xABCDEF);
        long deth = skb.data() + (long) Opcode.UD_SEND_ONLY.offsetOf(Header.DETH);
        assertThat(Deth.qkey(skb.memory(), deth)).isEqualTo(0x7FFF_FFFF);
        assertThat(Deth.sourceQpn(skb.memory(), deth)).isEqualTo(EnginePair.QPN_A);
    }

    @Test
    @Covers({"WR-34", "QP-45"})
    void privilegedKeyInARequestStandsForTheSendersOwn() {
        pair.postReceives(1, 100);
        pair.a.datagram(1, EnginePair.QPN_B, 0x8000_0000 | 5);
        pair.settle();
        assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS");
    }

    @Test
    @Covers({"QP-45", "QP-61"})
    void datagramWithAnotherKeyIsDroppedAndCounted() {
        pair.postReceives(1, 100);
        pair.a.datagram(1, EnginePair.QPN_B, QKEY + 1);
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
        assertThat(pair.b.receiveResults()).isEmpty();
        assertThat(pair.b.counters().qkeyViolations).isEqualTo(1);
        assertThat(pair.b.state()).isEqualTo(QpState.RTS);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 39, 49})
    @Covers("RXE-197")
    void datagramThatDoesNotFitIsDroppedAndTheReceiveWaitsOn(int room) {
        pair.b.receive(1, pair.b.region(100).first(room));
        pair.a.datagram(1, EnginePair.QPN_B, QKEY, source(10).first(10));
        pair.settle();
        assertThat(pair.b.receiveResults()).isEmpty();
        assertThat(pair.b.state()).isEqualTo(QpState.RTS);
        assertThat(pair.b.counters().droppedPackets).isEqualTo(1);
    }

    @Test
    void datagramWithoutAReceiveIsDropped() {
        pair.a.datagram(1, EnginePair.QPN_B, QKEY);
        pair.settle();
        pair.postReceives(1, 100);
        pair.a.datagram(2, EnginePair.QPN_B, QKEY);
        pair.settle();
        assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS");
        assertThat(pair.b.counters().droppedPackets).isEqualTo(1);
    }

    @Test
    void orderAndLossDoNotMatter() {
        pair.postReceives(5, 100);
        for (int i = 0; i < 5; i++) {
            pair.a.datagram(i, EnginePair.QPN_B, QKEY);
        }
        pair.transmit();
        pair.network.drop(1);
        pair.network.deliver(2, pair.nowNs());
        pair.network.duplicate(0);
        pair.settle();
        assertThat(pair.b.receiveResults()).hasSize(5);
    }

    @Test
    @Covers({"QP-28", "CQ-29"})
    void datagramLongerThanThePathMtuIsALengthErrorAndStopsTheSends() {
        pair.postReceives(1, 100);
        pair.a.datagram(1, EnginePair.QPN_B, QKEY, source(1025).first(1025));
        pair.a.datagram(2, EnginePair.QPN_B, QKEY);
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly("1 LOC_LEN_ERR", "2 WR_FLUSH_ERR");
        assertThat(pair.a.state()).isEqualTo(QpState.SQE);
        pair.a.modify(QpState.RTS);
        pair.a.datagram(3, EnginePair.QPN_B, QKEY);
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly("3 SUCCESS");
        assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS");
    }

    @Test
    void unknownAddressHandleIsAnOperationError() {
        pair.a.datagram(pair.a.sends().wrId(1).send(), Endpoint.ADDRESS_HANDLE + 1, EnginePair.QPN_B, QKEY);
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly("1 LOC_QP_OP_ERR");
    }

    @Test
    void onlyMessagesAreServed() {
        pair.a.datagram(1, EnginePair.QPN_B, QKEY);
        RingForgery.sendOpcode(pair.a.sendQueue, 0, WrOpcode.RDMA_WRITE.code());
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly("1 LOC_QP_OP_ERR");
    }

    @Test
    void firstDatagramEstablishesNothing() {
        pair.b.modify(QpState.RESET);
        pair.b.init();
        pair.b.readyToReceive(0, 0);
        pair.postReceives(1, 100);
        pair.a.datagram(1, EnginePair.QPN_B, QKEY);
        pair.settle();
        assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS");
        assertThat(pair.b.events).isEmpty();
    }

    @Test
    void generalServicesChooseThePartitionOfEachDatagram() {
        int gsiKey = 0x8001_0000;
        try (EnginePair gsi = ud(QpType.GSI, gsiKey)) {
            gsi.postReceives(1, 100);
            gsi.a.datagram(1, EnginePair.QPN_B, gsiKey);
            RingForgery.pkeyIndex(gsi.a.sendQueue, 0, 3);
            gsi.transmit();
            SkBuff skb = gsi.network.inFlight().getFirst().skb;
            assertThat(Bth.pkey(skb.memory(), skb.data())).isEqualTo(Endpoint.PKEY + 3);
            gsi.settle();
            assertThat(gsi.b.receiveResults()).containsExactly("0 SUCCESS");
        }
    }
}
