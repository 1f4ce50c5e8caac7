// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.skb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Gid;
import io.rdma4j.packet.ChecksumState;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PacketChecksumTest {
    private static final int UDP = Ipv4.PROTOCOL_UDP;
    private static final Gid V4_A = Gid.ofIpv4(0x0A000001);
    private static final Gid V4_B = Gid.ofIpv4(0x0A000002);
    private static final Gid V6_A = new Gid(0x2001_0DB8_0000_0000L, 1);
    private static final Gid V6_B = new Gid(0x2001_0DB8_0000_0000L, 2);

    private final Arena arena = Arena.ofConfined();
    private final SkBuffPool pool = new SkBuffPool(3, 512);

    @AfterEach
    void nothingIsLeaked() {
        pool.close();
        assertThat(pool.leaked()).isZero();
        arena.close();
    }

    /** Begins with its IP header; checksum 0. */
    private SkBuff datagram(boolean v6, int payloadBytes) {
        byte[] payload = Packets.random(payloadBytes, 5);
        SkBuff skb = v6
                ? Packets.udp(pool, V6_A, 1000, V6_B, 2000, payload)
                : Packets.udp(pool, V4_A, 1000, V4_B, 2000, payload);
        skb.setNetworkHeader(0);
        skb.setTransportHeader(v6 ? 40 : 20);
        return skb;
    }

    /** Begins with its UDP header; the checksum is right. */
    private SkBuff arrived(boolean v6, int payloadBytes) {
        SkBuff skb = datagram(v6, payloadBytes);
        PacketChecksum.leave(skb, UDP, Udp.CHECKSUM);
        PacketChecksum.finish(skb);
        skb.pull(skb.transportHeader() - skb.data());
        return skb;
    }

    private static void spoil(SkBuff skb) {
        long last = skb.tail() - 1L;
        byte value = skb.memory().get(ValueLayout.JAVA_BYTE, last);
        skb.memory().set(ValueLayout.JAVA_BYTE, last, (byte) (value ^ 1));
    }

    /** The checksum by the letter of RFC 768 and RFC 8200: sums one number after the other. */
    private static int expected(SkBuff skb) {
        byte[] all = Packets.bytes(skb);
        int ip = all[0] >>> 4 == 4 ? 20 : 40;
        int addresses = ip == 20 ? 12 : 8;
        int sum = UDP + all.length - ip;
        for (int i = addresses; i < all.length; i++) {
            if (i < ip || i - ip != Udp.CHECKSUM && i - ip != Udp.CHECKSUM + 1) {
                sum += (all[i] & 0xFF) << (i % 2 == 0 ? 8 : 0);
            }
        }
        while (sum >>> 16 != 0) {
            sum = (sum & 0xFFFF) + (sum >>> 16);
        }
        int checksum = ~sum & 0xFFFF;
        return checksum == 0 ? 0xFFFF : checksum;
    }

    @ParameterizedTest
    @CsvSource({"false,100", "false,101", "true,100", "true,101", "true,0"})
    @Covers("SKB-40")
    void aChecksumThatWasLeftIsFinished(boolean v6, int payloadBytes) {
        SkBuff skb = datagram(v6, payloadBytes);
        int expected = expected(skb);
        PacketChecksum.leave(skb, UDP, Udp.CHECKSUM);
        assertThat(skb.meta().ipSummed()).isEqualTo(ChecksumState.PARTIAL);
        assertThat(skb.meta().csumStart()).isEqualTo(skb.transportHeader());
        assertThat(skb.meta().csumOffset()).isEqualTo(Udp.CHECKSUM);
        PacketChecksum.finish(skb);
        assertThat(skb.meta().ipSummed()).isEqualTo(ChecksumState.NONE);
        assertThat(Udp.checksum(skb.memory(), skb.transportHeader())).isEqualTo(expected);
        PacketChecksum.finish(skb);
        assertThat(Udp.checksum(skb.memory(), skb.transportHeader()))
                .as("what is finished stays")
                .isEqualTo(expected);
        skb.free();
    }

    @Test
    void aSumGoesOnInFragmentsOfOddLengthAndInBuffersBehindThem() {
        byte[] payload = Packets.random(91, 5);
        MemorySegment memory = arena.allocate(91);
        MemorySegment.copy(payload, 0, memory, ValueLayout.JAVA_BYTE, 0, 91);
        SkBuff skb = datagram(false, 7);
        skb.addFrag(memory, 7, 13);
        skb.addFrag(memory, 20, 31);
        SkBuff behind = Packets.allocate(pool);
        MemorySegment.copy(memory, 51, behind.memory(), behind.put(40), 40);
        skb.addFragList(behind);
        Ipv4.totalLength(skb.memory(), skb.data(), skb.len());
        int expected = expected(skb);
        PacketChecksum.leave(skb, UDP, Udp.CHECKSUM);
        PacketChecksum.finish(skb);
        assertThat(Udp.checksum(skb.memory(), skb.transportHeader())).isEqualTo(expected);
        skb.free();
    }

    @Test
    void aChecksumThatWouldBeZeroIsSentAsOnes() {
        SkBuff skb = datagram(false, 2);
        int checksum = expected(skb);
        int word = skb.tail() - 2;
        int before = skb.memory().get(ValueLayout.JAVA_BYTE, word) << 8 & 0xFF00
                | skb.memory().get(ValueLayout.JAVA_BYTE, word + 1L) & 0xFF;
        int wanted = before + checksum;
        wanted = (wanted & 0xFFFF) + (wanted >>> 16);
        skb.memory().set(ValueLayout.JAVA_BYTE, word, (byte) (wanted >>> 8));
        skb.memory().set(ValueLayout.JAVA_BYTE, word + 1L, (byte) wanted);
        PacketChecksum.leave(skb, UDP, Udp.CHECKSUM);
        PacketChecksum.finish(skb);
        assertThat(Udp.checksum(skb.memory(), skb.transportHeader())).isEqualTo(0xFFFF);
        skb.free();
    }

    @Test
    void aChecksumOutsideTheLinearPartIsRefused() {
        SkBuff skb = Packets.allocate(pool);
        skb.put(20);
        skb.checksumPartial(12, 6);
        assertThat(skb.meta().csumStart()).isEqualTo(12);
        assertThatThrownBy(() -> skb.checksumPartial(12, 7)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> skb.checksumPartial(21, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        skb.free();
    }

    @Test
    void theStartOfASumFollowsThePacketIntoABufferWithOtherHeadroom() {
        SkBuff skb = datagram(false, 30);
        int expected = expected(skb);
        PacketChecksum.leave(skb, UDP, Udp.CHECKSUM);
        SkBuff other = Packets.allocate(pool);
        other.reserve(3);
        skb.copyBits(0, other.memory(), other.put(skb.len()), skb.len());
        other.copyFields(skb);
        PacketChecksum.finish(other);
        assertThat(Udp.checksum(other.memory(), other.data() + 20L)).isEqualTo(expected);
        skb.free();
        other.free();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Covers("SKB-37")
    void whatNobodySummedIsSummedInSoftwareOnce(boolean v6) {
        SkBuff right = arrived(v6, 33);
        assertThat(PacketChecksum.validate(right, UDP)).isTrue();
        assertThat(right.meta().ipSummed()).isEqualTo(ChecksumState.UNNECESSARY);
        SkBuff wrong = arrived(v6, 33);
        spoil(wrong);
        assertThat(PacketChecksum.validate(wrong, UDP)).isFalse();
        assertThat(wrong.meta().ipSummed()).isEqualTo(ChecksumState.NONE);
        right.free();
        wrong.free();
    }

    @Test
    @Covers("SKB-38")
    void whatIsKnownToBeRightIsNotLookedAt() {
        SkBuff skb = arrived(false, 33);
        spoil(skb);
        skb.meta().ipSummed(ChecksumState.UNNECESSARY);
        assertThat(PacketChecksum.validate(skb, UDP)).isTrue();
        skb.free();
    }

    @Test
    void whatNeverWasOnAWireIsRightAlthoughItsChecksumIsNotFinished() {
        SkBuff skb = datagram(true, 33);
        PacketChecksum.leave(skb, UDP, Udp.CHECKSUM);
        skb.pull(40);
        assertThat(PacketChecksum.validate(skb, UDP)).isTrue();
        skb.free();
    }

    @ParameterizedTest
    @CsvSource({"false,32,0", "false,33,0", "true,32,5", "true,33,4", "false,33,3", "true,32,4"})
    @Covers("SKB-39")
    void theSumOfTheDeviceIsUsedAndFollowsWhatIsCutOff(boolean v6, int payloadBytes, int padding) {
        SkBuff skb = arrived(v6, payloadBytes);
        skb.push(skb.data() - skb.networkHeader());
        int length = skb.len();
        skb.put(padding);
        PacketChecksum.complete(skb, 0);
        PacketChecksum.trim(skb, length);
        PacketChecksum.pull(skb, v6 ? 40 : 20);
        PacketChecksum.push(skb, 8);
        PacketChecksum.pull(skb, 8);
        // The device saw the bytes before they were spoiled: that it passes shows that nobody else looked.
        spoil(skb);
        assertThat(PacketChecksum.validate(skb, UDP)).isTrue();
        assertThat(skb.meta().ipSummed()).isEqualTo(ChecksumState.UNNECESSARY);
        skb.free();
    }

    @Test
    void aSumOfTheDeviceThatDoesNotFitIsNotBelieved() {
        SkBuff right = arrived(false, 33);
        PacketChecksum.complete(right, 0);
        right.meta().csum(right.meta().csum() + 1);
        assertThat(PacketChecksum.validate(right, UDP)).isTrue();
        SkBuff wrong = arrived(false, 33);
        spoil(wrong);
        PacketChecksum.complete(wrong, 0);
        assertThat(PacketChecksum.validate(wrong, UDP)).isFalse();
        right.free();
        wrong.free();
    }

    @Test
    void aDatagramMayComeWithoutChecksumAndOthersWithoutPseudoHeader() {
        SkBuff skb = datagram(false, 33);
        skb.pull(20);
        assertThat(PacketChecksum.validateUnlessZero(skb, UDP, 0)).isTrue();
        assertThat(PacketChecksum.validateUnlessZero(skb, UDP, 7)).isFalse();
        skb.free();

        SkBuff simple = Packets.allocate(pool);
        simple.put(40);
        simple.memory().asSlice(0, 40).fill((byte) 7);
        simple.memory().set(ValueLayout.JAVA_SHORT_UNALIGNED, 2, (short) 0);
        simple.checksumPartial(0, 2);
        PacketChecksum.finish(simple);
        assertThat(PacketChecksum.validateSimple(simple)).isTrue();
        simple.meta().ipSummed(ChecksumState.NONE);
        spoil(simple);
        assertThat(PacketChecksum.validateSimple(simple)).isFalse();
        simple.free();
    }

    @Test
    void summingAllocatesNothing() {
        SkBuff skb = datagram(true, 33);
        assertThat(AllocatedBytes.inSteadyState(() -> {
                    for (int i = 0; i < 10_000; i++) {
                        PacketChecksum.leave(skb, UDP, Udp.CHECKSUM);
                        PacketChecksum.finish(skb);
                        PacketChecksum.complete(skb, 0);
                        PacketChecksum.pull(skb, 40);
                        PacketChecksum.validate(skb, UDP);
                        skb.push(40);
                    }
                }))
                .isZero();
        skb.free();
    }
}
