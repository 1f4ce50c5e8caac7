// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Psn;
import io.rdma4j.packet.PacketOffload;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.rxe.carrier.NetworkPath;
import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.wr.SendBatch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Packets that the device sends, byte by byte, against packets built without its codecs. */
class RoceOffloadTest {
    private static final int MTU = 1024;
    private static final int IMMEDIATE = 0xCAFE_BABE;

    static List<Gid> peers() {
        return List.of(Bench.PEER_V4, Bench.PEER_V6);
    }

    private static PlainPacket packet(Gid peer, Endpoint from, int index) {
        return new PlainPacket(peer.isIpv4() ? Bench.LOCAL_V4 : Bench.LOCAL_V6, peer)
                .sourcePort(NetworkPath.flowPort(0, from.qp.qpn(), Bench.PEER_QPN))
                .qpn(Bench.PEER_QPN)
                .psn(Psn.add(Bench.FIRST_PSN, index));
    }

    private static byte[] payload(Endpoint from, int start, int end) {
        return from.memory.asSlice(start, end - start).toArray(ValueLayout.JAVA_BYTE);
    }

    /** The packets of one message with immediate data and solicited event; all but the last are full. */
    private static List<byte[]> expected(Gid peer, Endpoint from, int length) {
        List<byte[]> packets = new ArrayList<>();
        int count = (length + MTU - 1) / MTU;
        for (int i = 0; i < count; i++) {
            boolean last = i == count - 1;
            PlainPacket packet = packet(peer, from, i).payload(payload(from, i * MTU, Math.min(length, (i + 1) * MTU)));
            if (last) {
                packet.opcode(PlainPacket.SEND_LAST_IMMEDIATE)
                        .extended(IMMEDIATE)
                        .solicited(true)
                        .ackRequest(true);
            } else {
                packet.opcode(i == 0 ? PlainPacket.SEND_FIRST : PlainPacket.SEND_MIDDLE);
            }
            packets.add(packet.bytes());
        }
        return packets;
    }

    private static void postMessage(Endpoint from, int length) {
        Bytes.fill(from.memory, 3);
        from.qp
                .startSend()
                .solicited()
                .sendImm(IMMEDIATE)
                .sge(from.mr.lkey(), from.mr.address(), 700)
                .sge(from.mr.lkey(), from.mr.address() + 700, length - 700)
                .complete();
    }

    /** A device that accepts trains may segment them at any time. */
    @ParameterizedTest
    @MethodSource("peers")
    @Covers({"RXE-118", "RXE-119", "RXE-122", "RXE-126", "RXE-142"})
    void aTrainIsCutIntoThePacketsOfItsMessage(Gid peer) {
        try (Bench bench = new Bench(Bench.TAKES_TRAINS)) {
            Endpoint from = bench.connected(peer, 14);
            postMessage(from, 10_001);
            bench.run();
            SkBuff train = bench.link.unfinished.getFirst();
            PacketOffload offload = Objects.requireNonNull(train.shinfo().offload());
            List<byte[]> expected = expected(peer, from, 10_001);
            assertThat(bench.link.unfinished).hasSize(1);
            assertThat(train.shinfo().gsoSegs()).isEqualTo(expected.size());
            // In any order: a device may have been interrupted by a full queue.
            for (int i = expected.size() - 1; i >= 0; i--) {
                assertThat(offload.segmentBytes(train, i)).isEqualTo(expected.get(i).length);
                assertThat(segment(bench, train, offload, i)).isEqualTo(expected.get(i));
            }
            train.free();
        }
    }

    /** Short messages that were posted together are in one buffer, which is segmented into one packet per message. */
    @ParameterizedTest
    @MethodSource("peers")
    @Covers({"RXE-118", "RXE-142"})
    void aTrainOfMessagesIsCutIntoThePacketOfEach(Gid peer) {
        int[] ends = {6, 12, 18, 21};
        try (Bench bench = new Bench(Bench.TAKES_TRAINS)) {
            Endpoint from = bench.connected(peer, 14);
            Bytes.fill(from.memory, 3);
            SendBatch batch = from.qp.startSend();
            for (int i = 0; i < ends.length; i++) {
                int start = i == 0 ? 0 : ends[i - 1];
                batch.send().sge(from.mr.lkey(), from.mr.address() + start, ends[i] - start);
            }
            batch.complete();
            bench.run();
            SkBuff train = bench.link.unfinished.getFirst();
            assertThat(bench.link.unfinished).hasSize(1);
            assertThat(train.shinfo().gsoSegs()).isEqualTo(ends.length);
            PacketOffload offload = Objects.requireNonNull(train.shinfo().offload());
            for (int i = 0; i < ends.length; i++) {
                byte[] expected = packet(peer, from, i)
                        .payload(payload(from, i == 0 ? 0 : ends[i - 1], ends[i]))
                        .ackRequest(i == ends.length - 1)
                        .bytes();
                assertThat(offload.segmentBytes(train, i)).isEqualTo(expected.length);
                assertThat(segment(bench, train, offload, i)).isEqualTo(expected);
            }
            train.free();
        }
    }

    private static byte[] segment(Bench bench, SkBuff train, PacketOffload offload, int index) {
        SkBuff target = bench.link.allocate();
        target.reserve(64);
        offload.segment(train, index, target);
        byte[] bytes = StubLink.bytes(target);
        assertThat(target.networkHeader()).isEqualTo(target.data());
        target.free();
        return bytes;
    }

    /** A device that does not accept trains gets finished packets. */
    @ParameterizedTest
    @MethodSource("peers")
    @Covers({"RXE-137", "RXE-140", "RXE-141", "RXE-142"})
    void aPlainDeviceGetsFinishedPackets(Gid peer) {
        try (Bench bench = new Bench(Set.of())) {
            Endpoint from = bench.connected(peer, 14);
            postMessage(from, 10_001);
            bench.run();
            assertThat(bench.link.sent).containsExactlyElementsOf(expected(peer, from, 10_001));
            assertThat(bench.port.counters().sentPackets).isEqualTo(10);
        }
    }

    /** Single-packet messages with every number of pad bytes. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 1023, 1024})
    @Covers({"RXE-118", "RXE-135"})
    void aMessageOfOnePacketIsPaddedToWords(int length) {
        try (Bench bench = new Bench(Set.of())) {
            Endpoint from = bench.connected(Bench.PEER_V4, 14);
            Bytes.fill(from.memory, 3);
            from.postSend(1, 0, length);
            bench.run();
            assertThat(bench.link.sent)
                    .containsExactly(packet(Bench.PEER_V4, from, 0)
                            .ackRequest(true)
                            .payload(payload(from, 0, length))
                            .bytes());
        }
    }

    /**
     * The IP header contains traffic class, hop limit and flow label of the path; the flow label also determines the
     * port.
     */
    @ParameterizedTest
    @MethodSource("peers")
    @Covers({"RXE-28", "RXE-79"})
    void theRouteStandsInTheNetworkHeader(Gid peer) {
        try (Bench bench = new Bench(Set.of())) {
            Endpoint from = bench.endpoint();
            Bench.connect(from.qp, new GlobalRoute(peer, 0xABCDE, peer.isIpv4() ? 0 : 1, 17, 0x68), 14);
            from.qp.startSend().send().complete();
            bench.run();
            assertThat(bench.link.sent)
                    .containsExactly(packet(peer, from, 0)
                            .route(0x68, 0xABCDE, 17)
                            .sourcePort(NetworkPath.flowPort(0xABCDE, 0, 0))
                            .ackRequest(true)
                            .bytes());
        }
    }

    @Test
    @Covers("RXE-205")
    void anAcknowledgementIsFinishedToo() {
        try (Bench bench = new Bench(Set.of())) {
            Endpoint to = bench.connected(Bench.PEER_V4, 14);
            to.postReceive(1, 0, 64);
            bench.link.arrive(new PlainPacket(Bench.PEER_V4, Bench.LOCAL_V4)
                    .qpn(to.qp.qpn())
                    .psn(Bench.FIRST_PSN)
                    .ackRequest(true)
                    .payload(new byte[10])
                    .bytes());
            bench.run();
            assertThat(bench.link.sent)
                    .containsExactly(packet(Bench.PEER_V4, to, 0)
                            .opcode(PlainPacket.ACKNOWLEDGE)
                            .extended(0x1F00_0001)
                            .bytes());
        }
    }

    /** Inline data are in the send queue, so that the packet needs no registered memory. */
    @Test
    @Covers("RXE-135")
    void inlineDataAreGatheredFromTheQueue() {
        try (Bench bench = new Bench(Set.of())) {
            Endpoint from = bench.connected(Bench.PEER_V4, 14);
            byte[] data = new byte[33];
            Arrays.fill(data, (byte) 7);
            from.qp.startSend().send().inline(MemorySegment.ofArray(data)).complete();
            bench.run();
            assertThat(bench.link.sent)
                    .containsExactly(packet(Bench.PEER_V4, from, 0)
                            .ackRequest(true)
                            .payload(data)
                            .bytes());
        }
    }

    /** The memory is closed while the rest of a train waits for the link: only this packet is lost. */
    @Test
    @Covers("RXE-135")
    void aTrainWhoseMemoryWasClosedIsLostAlone() {
        try (Bench bench = new Bench(Set.of())) {
            Endpoint from = bench.connected(Bench.PEER_V4, 14);
            Arena arena = Arena.ofShared();
            MemoryRegion mr = from.pd.registerMemory(arena.allocate(5000), Set.of());
            bench.link.busyAfter(2);
            from.qp.startSend().send().sge(mr.lkey(), mr.address(), 5000).complete();
            bench.run();
            assertThat(bench.link.sent).hasSize(2);
            arena.close();
            bench.link.busyAfter(Integer.MAX_VALUE);
            Endpoint other = bench.connected(Bench.PEER_V4, 14);
            other.postSend(1, 0, 8);
            bench.run();
            assertThat(bench.link.sent).hasSize(3);
            assertThat(bench.network.stats().txErrors()).isEqualTo(3);
            mr.close();
        }
    }
}
