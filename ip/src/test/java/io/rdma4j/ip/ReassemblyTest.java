// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import static io.rdma4j.ip.WireTap.ip;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.wire.ip.Ecn;
import io.rdma4j.wire.ip.Icmp;
import io.rdma4j.wire.ip.Icmpv6;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Ipv6Fragment;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fragments in all orders, with duplicates and errors, for both IP versions. */
class ReassemblyTest {
    private static final int PROTOCOL = 200;
    private static final int BUFFERS = 4;
    private static final byte[] WHOLE = Packets.random(3_000, 5);

    private final SkBuffPool pool = new SkBuffPool(BUFFERS, 4096);
    private final WireTap wire = new WireTap("eth0", 2, 1500, "10.0.0.1/24", "fd00::1/64");
    private long nowNs;
    private final IpStack stack = new IpStack(IpSettings.DEFAULT, () -> nowNs);
    private final IpInterface in = stack.add(wire.device);
    private final List<byte[]> received = new ArrayList<>();
    private int congested;

    ReassemblyTest() {
        for (boolean isIpv4 : new boolean[] {true, false}) {
            stack.input().protocols(isIpv4).add(PROTOCOL, skb -> {
                received.add(Packets.bytes(skb));
                congested += Ecn.codepoint(skb.memory(), skb.networkHeader()) == Ecn.CE ? 1 : 0;
                skb.free();
            });
        }
    }

    @AfterEach
    void close() {
        stack.close();
        assertThat(stack.buffersInUse()).isZero();
        assertThat(pool.available()).isEqualTo(BUFFERS);
        pool.close();
    }

    /** Returns a fragment with the bytes {@code from} to {@code to} of a packet. */
    private static byte[] piece(boolean isIpv4, int id, int from, int to, boolean more) {
        return piece(isIpv4, id, from, Arrays.copyOfRange(WHOLE, from, to), more);
    }

    private static byte[] piece(boolean isIpv4, int id, int from, byte[] part, boolean more) {
        int header = isIpv4 ? Ipv4.BYTES : Ipv6.BYTES + Ipv6Fragment.BYTES;
        byte[] bytes = new byte[header + part.length];
        MemorySegment packet = MemorySegment.ofArray(bytes);
        if (isIpv4) {
            int source = ip("10.0.0.2").ipv4();
            Ipv4.write(
                    packet,
                    0,
                    bytes.length,
                    id,
                    0,
                    64,
                    PROTOCOL,
                    source,
                    ip("10.0.0.1").ipv4());
            Ipv4.fragment(packet, 0, from / 8 | (more ? Ipv4.MORE_FRAGMENTS : 0));
            Ipv4.updateChecksum(packet, 0);
        } else {
            Gid source = ip("fd00::2");
            Gid to = ip("fd00::1");
            int length = bytes.length - Ipv6.BYTES;
            Ipv6.write(
                    packet,
                    0,
                    0,
                    0,
                    length,
                    Ipv6Fragment.NEXT_HEADER,
                    64,
                    source.prefix(),
                    source.interfaceId(),
                    to.prefix(),
                    to.interfaceId());
            Ipv6Fragment.write(packet, Ipv6.BYTES, PROTOCOL, from / 8, more, id);
        }
        System.arraycopy(part, 0, bytes, header, part.length);
        return bytes;
    }

    private void arrive(byte[] bytes) {
        SkBuff skb = Packets.allocate(pool);
        skb.reserve(64);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, skb.memory(), skb.put(bytes.length), bytes.length);
        skb.meta().device(wire.device);
        stack.input().receive(skb, in);
    }

    private long count(SnmpCounter counter) {
        return stack.counters().get(counter);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void piecesMayComeInAnyOrderAndMoreThanOnce(boolean isIpv4) {
        Random random = new Random(1);
        for (int round = 0; round < 200; round++) {
            List<byte[]> pieces = new ArrayList<>();
            for (int from = 0; from < WHOLE.length; ) {
                int to = Math.min(WHOLE.length, from + 8 * (1 + random.nextInt(60)));
                pieces.add(piece(isIpv4, round, from, to, to < WHOLE.length));
                from = to;
            }
            byte[] last = pieces.removeLast();
            pieces.add(pieces.get(random.nextInt(pieces.size())));
            Collections.shuffle(pieces, random);
            pieces.add(random.nextInt(pieces.size()), pieces.getFirst());
            pieces.addFirst(last);
            pieces.forEach(this::arrive);
        }
        // A fragment that is repeated after the packet was complete begins another packet, which stays incomplete.
        assertThat(received).hasSize(200).allSatisfy(bytes -> assertThat(bytes).isEqualTo(WHOLE));
        assertThat(count(SnmpCounter.REASM_OKS)).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void piecesThatOverlapEndThePacket(boolean isIpv4) {
        arrive(piece(isIpv4, 1, 0, 800, true));
        arrive(piece(isIpv4, 1, 792, 1600, true));
        arrive(piece(isIpv4, 1, 800, 3000, false));
        assertThat(received).isEmpty();
        assertThat(count(SnmpCounter.REASM_FAILS)).isEqualTo(1);

        arrive(piece(isIpv4, 2, 800, 1600, true));
        arrive(piece(isIpv4, 2, 0, 2400, true));
        assertThat(count(SnmpCounter.REASM_FAILS)).isEqualTo(2);

        arrive(piece(isIpv4, 3, 1600, 2400, true));
        arrive(piece(isIpv4, 3, 800, 1600, false));
        assertThat(count(SnmpCounter.REASM_FAILS))
                .as("the end is before a piece")
                .isEqualTo(3);

        arrive(piece(isIpv4, 4, 800, 1600, false));
        arrive(piece(isIpv4, 4, 1600, 2400, true));
        assertThat(count(SnmpCounter.REASM_FAILS))
                .as("a piece is behind the end")
                .isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void piecesOfTwoPacketsAreNotMixed(boolean isIpv4) {
        arrive(piece(isIpv4, 1, 0, 800, true));
        arrive(piece(isIpv4, 2, 800, 1600, false));
        assertThat(received).isEmpty();
        arrive(piece(isIpv4, 1, 800, 1600, false));
        arrive(piece(isIpv4, 2, 0, 800, true));
        assertThat(received).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatMakesNoSenseIsDropped(boolean isIpv4) {
        arrive(piece(isIpv4, 1, 0, 801, true));
        arrive(piece(isIpv4, 2, 0, new byte[0], true));
        arrive(piece(isIpv4, 3, 0xFFF8, new byte[100], false));
        assertThat(count(SnmpCounter.REASM_FAILS)).isEqualTo(3);
        assertThat(stack.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
    }

    /** The sender gets an ICMP error if the first fragment has arrived. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPacketThatStaysIncompleteIsGivenUp(boolean isIpv4) {
        arrive(piece(isIpv4, 1, 0, 800, true));
        arrive(piece(isIpv4, 2, 800, 1600, true));
        long timeoutNs = TimeUnit.SECONDS.toNanos(isIpv4 ? 30 : 60);
        assertThat(stack.nextDeadlineNs()).isEqualTo(timeoutNs);
        nowNs = timeoutNs;
        stack.onTimeout(nowNs);
        assertThat(count(SnmpCounter.REASM_TIMEOUT)).isEqualTo(2);
        assertThat(wire.packets).hasSize(1);
        int at = isIpv4 ? Ipv4.BYTES : Ipv6.BYTES;
        assertThat(Icmp.type(wire.last(), at)).isEqualTo(isIpv4 ? Icmp.TIME_EXCEEDED : Icmpv6.TIME_EXCEEDED);
        assertThat(Icmp.code(wire.last(), at)).isEqualTo(1);
        arrive(piece(isIpv4, 1, 800, 1600, false));
        assertThat(received).isEmpty();
    }

    @Test
    void theOldestMakesRoomWhenThereAreTooMany() {
        int places = IpSettings.DEFAULT.reassemblyBytes() / (FragmentQueue.PAYLOAD_AT + FragmentQueue.MOST_BYTES);
        for (int id = 0; id <= places; id++) {
            arrive(piece(true, id, 0, 800, true));
        }
        assertThat(count(SnmpCounter.REASM_FAILS)).isEqualTo(1);
        arrive(piece(true, 0, 800, 1600, false));
        assertThat(received).as("was the oldest").isEmpty();
        arrive(piece(true, places, 800, 1600, false));
        assertThat(received).hasSize(1);
    }

    /** More holes than a correct sender makes. */
    @Test
    void aPacketWithTooManyHolesIsGivenUp() {
        for (int from = 0; from <= 64 * 16; from += 16) {
            arrive(piece(true, 1, from, from + 8, true));
        }
        assertThat(count(SnmpCounter.REASM_FAILS)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void congestionThatAnyPieceHasMetIsThatOfThePacket(boolean isIpv4) {
        byte[] first = piece(isIpv4, 1, 0, 800, true);
        byte[] second = piece(isIpv4, 1, 800, 1600, false);
        Ecn.mark(MemorySegment.ofArray(second), 0);
        arrive(first);
        arrive(second);
        assertThat(congested).isEqualTo(1);
    }

    /** A packet in one fragment ("atomic fragment", RFC 6946). */
    @Test
    void aPacketInOnePieceIsWhole() {
        arrive(piece(false, 1, 0, 800, false));
        assertThat(received).containsExactly(Arrays.copyOf(WHOLE, 800));
    }
}
