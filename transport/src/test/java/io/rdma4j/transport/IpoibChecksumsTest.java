// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.transport.port.QpPort;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.wire.ip.Ethernet;
import io.rdma4j.wire.ip.IpoibHeader;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Tcp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checksums of IP over InfiniBand: inserted into datagrams, and verified. */
class IpoibChecksumsTest {
    private static final int ROUTE = QpPort.ROUTE_BYTES;
    private static final int BYTES = 301;
    private static final int PLAIN = WcFlag.GRH.bit();
    private static final int RIGHT = PLAIN | WcFlag.IP_CSUM_OK.bit();

    private EnginePair pair = pair(QpType.UD, Mode.WHOLE);

    private static EnginePair pair(QpType type, Mode mode) {
        return new EnginePair(
                new PairSettings().type(type).mtu(Mtu.MTU_1024).mode(mode).maxInlineData(400));
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private void send(SendBatch batch, TestRegion.Piece... pieces) {
        pair.a.datagram(batch, Endpoint.ADDRESS_HANDLE, EnginePair.QPN_B, pair.settings.qkey, pieces);
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
    }

    private SendBatch withChecksums() {
        return pair.a.sends().ipChecksum().send();
    }

    private void assertFlags(int flags) {
        assertThat(pair.b.receiveCompletions())
                .singleElement()
                .satisfies(completion -> assertThat(completion.flags()).isEqualTo(flags));
    }

    @ParameterizedTest
    @CsvSource({
        "UDP, 32, WHOLE", "UDP, 33, WHOLE", "UDP, 1024, WHOLE", "UDP, 1023, CUT",
        "TCP, 44, WHOLE", "TCP, 45, WHOLE", "TCP, 1024, WHOLE", "TCP, 1023, CUT"
    })
    @Covers({"WR-28", "CQ-74"})
    void checksumsAreInsertedAndFoundRight(String protocol, int bytes, Mode mode) {
        pair.close();
        pair = pair(QpType.UD, mode);
        TestRegion source = pair.a.region(bytes);
        if (protocol.equals("TCP")) {
            IpoibDatagram.tcp(source.memory(), 0, bytes);
        } else {
            IpoibDatagram.udp(source.memory(), 0, bytes);
        }
        byte[] before = source.bytes(0, bytes);
        TestRegion target = pair.postReceives(1, ROUTE + bytes);
        send(withChecksums(), source.first(bytes));
        assertThat(IpoibDatagram.isRight(target.memory(), ROUTE)).isTrue();
        assertFlags(RIGHT);
        assertThat(source.bytes(0, bytes)).as("the application's memory").isEqualTo(before);
        MemorySegment received = target.memory().asSlice(ROUTE);
        IpoibDatagram.put(received, IpoibDatagram.IP + Ipv4.CHECKSUM, 0xBAD);
        int field = protocol.equals("TCP") ? IpoibDatagram.TCP_CHECKSUM : IpoibDatagram.UDP_CHECKSUM;
        IpoibDatagram.put(received, field, 0xBAD);
        assertThat(target.bytes(ROUTE, bytes)).as("all but the checksums").isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 24, 25, 41, 42, 43, 100, 299})
    void piecesMayBeginAndEndAnywhere(int cut) {
        TestRegion source = pair.a.region(BYTES);
        IpoibDatagram.tcp(source.memory(), 0, BYTES);
        TestRegion target = pair.postReceives(1, ROUTE + BYTES);
        send(withChecksums(), source.first(cut), source.piece(cut, 1), source.piece(cut + 1, BYTES - cut - 1));
        assertThat(IpoibDatagram.isRight(target.memory(), ROUTE)).isTrue();
        assertFlags(RIGHT);
    }

    @Test
    void inlineDataHaveTheirChecksumsInserted() {
        TestRegion source = pair.a.region(BYTES);
        IpoibDatagram.udp(source.memory(), 0, BYTES);
        TestRegion target = pair.postReceives(1, ROUTE + BYTES);
        send(withChecksums().inline(source.memory()));
        assertThat(IpoibDatagram.isRight(target.memory(), ROUTE)).isTrue();
        assertFlags(RIGHT);
    }

    /** RFC 768: a sum of zero is sent as all ones, since zero means that there is none. */
    @Test
    void checksumOfUdpIsNeverZero() {
        TestRegion source = pair.a.region(34);
        IpoibDatagram.udp(source.memory(), 0, 34);
        TestRegion target = pair.postReceives(2, ROUTE + 34);
        send(withChecksums(), source.first(34));
        // What the sum lacks goes into the last word, which then is all that the checksum was.
        int last = IpoibDatagram.get(source.memory(), 32) + IpoibDatagram.get(target.memory(), ROUTE + 30L);
        IpoibDatagram.put(source.memory(), 32, (last & 0xFFFF) + (last >>> 16));
        send(withChecksums(), source.first(34));
        assertThat(IpoibDatagram.get(target.memory(), ROUTE + 34L + ROUTE + 30)).isEqualTo(0xFFFF);
        assertThat(pair.b.receiveCompletions()).extracting(Completion::flags).containsExactly(RIGHT, RIGHT);
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 24, 40, 41, 300})
    @Covers("CQ-74")
    void oneWrongByteIsNotFoundRight(int at) {
        TestRegion source = pair.a.region(BYTES);
        IpoibDatagram.tcp(source.memory(), 0, BYTES);
        TestRegion target = pair.postReceives(2, ROUTE + BYTES);
        send(withChecksums(), source.first(BYTES));
        assertFlags(RIGHT);
        MemorySegment.copy(target.memory(), ROUTE, source.memory(), 0, BYTES);
        byte good = source.memory().get(ValueLayout.JAVA_BYTE, at);
        source.memory().set(ValueLayout.JAVA_BYTE, at, (byte) (good ^ 0x10));
        send(pair.a.sends().send(), source.first(BYTES));
        assertFlags(PLAIN);
    }

    @Test
    void udpWithoutChecksumIsNotFoundRight() {
        TestRegion source = pair.a.region(BYTES);
        IpoibDatagram.udp(source.memory(), 0, BYTES);
        Ipv4.updateChecksum(source.memory(), IpoibDatagram.IP);
        IpoibDatagram.put(source.memory(), IpoibDatagram.UDP_CHECKSUM, 0);
        pair.postReceives(1, ROUTE + BYTES);
        send(pair.a.sends().send(), source.first(BYTES));
        assertFlags(PLAIN);
    }

    /** What is no whole IPv4 packet of TCP or UDP without options. */
    enum Other {
        ANOTHER_TYPE(memory -> IpoibHeader.write(memory, 0, Ethernet.TYPE_IPV6)),
        ANOTHER_VERSION(memory -> memory.set(ValueLayout.JAVA_BYTE, IpoibDatagram.IP, (byte) 0x65)),
        OPTIONS(memory -> memory.set(ValueLayout.JAVA_BYTE, IpoibDatagram.IP, (byte) 0x46)),
        ANOTHER_PROTOCOL(memory -> IpoibDatagram.ip(memory, 0, BYTES, 1)),
        FRAGMENT(memory -> IpoibDatagram.put(memory, IpoibDatagram.IP + Ipv4.FRAGMENT, Ipv4.MORE_FRAGMENTS)),
        LONGER_THAN_IT_IS(memory -> Ipv4.totalLength(memory, IpoibDatagram.IP, BYTES - IpoibDatagram.IP + 1)),
        SHORTER_THAN_ITS_HEADERS(memory -> Ipv4.totalLength(memory, IpoibDatagram.IP, Ipv4.BYTES + Tcp.BYTES - 1));

        @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
        final Consumer<MemorySegment> change;

        Other(Consumer<MemorySegment> change) {
            this.change = change;
        }
    }

    @ParameterizedTest
    @EnumSource(Other.class)
    void anyOtherDatagramIsSentAsItIs(Other other) {
        TestRegion source = pair.a.region(BYTES);
        IpoibDatagram.tcp(source.memory(), 0, BYTES);
        other.change.accept(source.memory());
        TestRegion target = pair.postReceives(1, ROUTE + BYTES);
        send(withChecksums(), source.first(BYTES));
        assertThat(target.bytes(ROUTE, BYTES)).isEqualTo(source.bytes(0, BYTES));
        assertFlags(PLAIN);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4, 23, 31})
    void shortDatagramIsSentAsItIs(int bytes) {
        TestRegion source = pair.a.region(BYTES);
        IpoibDatagram.udp(source.memory(), 0, BYTES);
        TestRegion target = pair.postReceives(1, ROUTE + BYTES);
        send(withChecksums(), source.first(bytes));
        assertThat(target.bytes(ROUTE, bytes)).isEqualTo(source.bytes(0, bytes));
        assertFlags(PLAIN);
    }

    @Test
    void pieceThatCannotBeReadIsAProtectionError() {
        TestRegion source = pair.a.region(BYTES);
        pair.a.datagram(
                withChecksums(),
                Endpoint.ADDRESS_HANDLE,
                EnginePair.QPN_B,
                pair.settings.qkey,
                new TestRegion.Piece(source.lkey() ^ 1, source.address(), BYTES));
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly("0 LOC_PROT_ERR");
    }

    @Test
    void flagForgedOnAConnectionMeansNothing() {
        try (EnginePair rc = EnginePair.connected()) {
            TestRegion target = rc.postReceives(1, BYTES);
            TestRegion source = rc.a.region(BYTES);
            IpoibDatagram.udp(source.memory(), 0, BYTES);
            rc.a.send(1, source.first(BYTES));
            RingForgery.sendFlags(rc.a.sendQueue, 0, SendFlag.IP_CSUM.bit());
            rc.settle();
            assertThat(target.bytes(0, BYTES)).isEqualTo(source.bytes(0, BYTES));
            assertThat(rc.b.receiveCompletions())
                    .singleElement()
                    .satisfies(completion -> assertThat(completion.flags()).isZero());
        }
    }

    @Test
    void generalServicesAreNotLookedInto() {
        pair.close();
        pair = pair(QpType.GSI, Mode.WHOLE);
        TestRegion source = pair.a.region(BYTES);
        IpoibDatagram.udp(source.memory(), 0, BYTES);
        pair.postReceives(1, ROUTE + BYTES);
        send(withChecksums(), source.first(BYTES));
        assertFlags(PLAIN);
    }
}
