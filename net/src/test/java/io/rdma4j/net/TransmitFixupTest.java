// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.sched.PfifoFast;
import io.rdma4j.net.skb.PacketChecksum;
import io.rdma4j.net.transmit.NetdevQueue;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.ChecksumState;
import io.rdma4j.packet.PacketOffload;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.packet.TxFlag;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.wire.ip.InternetChecksum;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TransmitFixupTest {
    private static final int HEADER = 4;
    private static final int SIZE = 100;

    private final Arena arena = Arena.ofConfined();
    private final SkBuffPool pool = new SkBuffPool(4, 256);
    private final RecordingDriver driver = new RecordingDriver();
    private final MemorySegment payload = arena.allocate(250);
    private final NumberingOffload offload = new NumberingOffload();
    private NetDevice device = device(Set.of());

    TransmitFixupTest() {
        MemorySegment.copy(Packets.random(250, 1), 0, payload, ValueLayout.JAVA_BYTE, 0, 250);
    }

    private NetDevice device(Set<NetDeviceFeature> features) {
        return device(features, 1);
    }

    private NetDevice device(Set<NetDeviceFeature> features, int packetsKept) {
        NetDevice made = NetHost.standalone(new NetDevice(
                new NetDeviceSetup("eth0", 1, 200, 0, List.of(), features)
                        .withPrivateFlags(PrivateFlag.CARRIES_OFFLOADS),
                driver,
                packetsKept));
        made.up();
        return made;
    }

    @AfterEach
    void close() {
        device.unregister();
        pool.close();
        assertThat(pool.leaked()).isZero();
        arena.close();
    }

    @Test
    @Covers("NDEV-96")
    void trainIsCutForADriverThatTakesPacketsOnly() {
        assertThat(device.transmit(train())).isEqualTo(NetdevTx.OK);
        assertThat(driver.sent).containsExactly(expected(0), expected(1), expected(2));
        assertThat(pool.available()).as("the train is free").isEqualTo(4);
    }

    @Test
    void memoryThatIsGoneCostsItsPacketsAndNothingElse() {
        Arena taken = Arena.ofShared();
        SkBuff plain = Objects.requireNonNull(pool.allocate());
        plain.put(HEADER);
        plain.addFrag(taken.allocate(50), 0, 50);
        taken.close();
        assertThat(device.transmit(plain)).isEqualTo(NetdevTx.OK);
        assertThat(driver.sent).isEmpty();
        assertThat(device.stats().txErrors()).isEqualTo(1);
        assertThat(device.transmit(train())).isEqualTo(NetdevTx.OK);
        assertThat(driver.sent).hasSize(3);
    }

    @Test
    @Covers("NDEV-96")
    void trainGoesWholeToADriverThatTakesTrains() {
        device = device(FeatureSet.of(NetDeviceFeature.SG, NetDeviceFeature.HIGHDMA, NetDeviceFeature.HW_CSUM));
        driver.keep = true;
        SkBuff train = train();
        assertThat(device.transmit(train)).isEqualTo(NetdevTx.OK);
        assertThat(driver.whole).containsExactly(train);
        train.free();
    }

    @Test
    void fragmentsAreGatheredForADriverWithoutScatterGather() {
        SkBuff skb = Packets.allocate(pool);
        skb.put(HEADER);
        skb.addFrag(payload, 10, 50);
        byte[] expected = Packets.bytes(skb);
        driver.keep = true;
        assertThat(device.transmit(skb)).isEqualTo(NetdevTx.OK);
        assertThat(driver.sent).containsExactly(expected);
        assertThat(driver.whole.getFirst().isNonlinear()).isFalse();
        driver.whole.getFirst().free();
    }

    @Test
    void fragmentsStayForADriverWithScatterGather() {
        device = device(FeatureSet.of(NetDeviceFeature.SG, NetDeviceFeature.HIGHDMA));
        SkBuff skb = Packets.allocate(pool);
        skb.addFrag(payload, 10, 50);
        driver.keep = true;
        device.transmit(skb);
        assertThat(driver.whole).containsExactly(skb);
        skb.free();
    }

    @Test
    void unfinishedPacketIsFinishedUnlessTheDriverDoesIt() {
        SkBuff single = unfinished();
        device.transmit(single);
        assertThat(driver.sent).containsExactly(expected(0));

        device = device(FeatureSet.of(NetDeviceFeature.SG, NetDeviceFeature.HIGHDMA, NetDeviceFeature.HW_CSUM));
        driver.keep = true;
        SkBuff other = unfinished();
        device.transmit(other);
        assertThat(driver.whole).containsExactly(other);
        other.free();
    }

    @Test
    void trainThatIsPartlyOutGoesOnBeforeAnythingElse() {
        driver.room = 1;
        assertThat(device.transmit(train())).isEqualTo(NetdevTx.OK);
        assertThat(driver.sent).hasSize(1);
        assertThat(device.flush()).isFalse();
        SkBuff next = unfinished();
        assertThat(device.transmit(next)).isEqualTo(NetdevTx.BUSY);
        driver.room = 1;
        assertThat(device.flush()).isFalse();
        driver.room = 2;
        assertThat(device.transmit(next)).isEqualTo(NetdevTx.OK);
        assertThat(driver.sent).containsExactly(expected(0), expected(1), expected(2), expected(0));
        assertThat(device.flush()).isTrue();
    }

    /** Only the loop tries again, so it must see the waiting train, although the queue is empty and not stopped. */
    @Test
    void trainThatLeavesAQueueInPartsKeepsTheDeviceActive() {
        NetdevQueue queue = device.transmitQueues().queue(0);
        queue.qdisc(new PfifoFast(2));
        queue.stop();
        assertThat(device.transmit(train())).isEqualTo(NetdevTx.OK);
        queue.wake();
        driver.room = 1;
        assertThat(device.flush()).isFalse();
        assertThat(device.transmitQueues().isActive()).isTrue();
        driver.room = 2;
        assertThat(device.flush()).isTrue();
        assertThat(device.transmitQueues().isActive()).isFalse();
        assertThat(driver.sent).containsExactly(expected(0), expected(1), expected(2));
    }

    @Test
    void trainThatCannotStartStaysTheCallers() {
        driver.room = 0;
        SkBuff train = train();
        assertThat(device.transmit(train)).isEqualTo(NetdevTx.BUSY);
        assertThat(train.users()).isEqualTo(1);
        assertThat(train.shinfo().gsoSegs()).isEqualTo(3);
        train.free();
    }

    @Test
    void driverThatKeepsPacketsMakesTheDeviceBusyWhenItHasThemAll() {
        driver.keep = true;
        assertThat(device.transmit(train())).isEqualTo(NetdevTx.OK);
        assertThat(driver.sent).hasSize(1);
        driver.whole.removeFirst().free();
        assertThat(device.flush()).isFalse();
        driver.whole.removeFirst().free();
        assertThat(device.flush()).isTrue();
        assertThat(driver.sent).containsExactly(expected(0), expected(1), expected(2));
        driver.whole.removeFirst().free();
    }

    @Test
    void takingTheDeviceDownDropsTheTrainThatWaits() {
        driver.room = 1;
        device.transmit(train());
        assertThat(pool.available()).isEqualTo(3);
        device.down();
        assertThat(pool.available()).isEqualTo(4);
        assertThat(device.flush()).isTrue();
    }

    @Test
    @Covers("NDEV-152")
    void packetLongerThanTheMtuIsAnError() {
        device.setMtu(HEADER + SIZE - 1);
        device.transmit(train());
        assertThat(driver.sent).as("only the short last packet fits").containsExactly(expected(2));
        assertThat(device.stats().txErrors()).isEqualTo(2);
    }

    @Test
    void trainThatNobodyCanCutIsAnError() {
        SkBuff skb = Packets.allocate(pool);
        skb.addFrag(payload, 0, 200);
        skb.shinfo().gso(SIZE, 2);
        assertThat(device.transmit(skb)).isEqualTo(NetdevTx.OK);
        assertThat(device.stats().txErrors()).isEqualTo(2);
        assertThat(driver.sent).isEmpty();
    }

    @Test
    void packetsCutFromATrainInheritItsMarks() {
        driver.keep = true;
        SkBuff train = unfinished();
        train.meta().protocol(0x0800);
        train.meta().priority(5);
        train.meta().hash(77);
        device.transmit(train);
        SkBuff packet = driver.whole.getFirst();
        assertThat(packet.meta().protocol()).isEqualTo(0x0800);
        assertThat(packet.meta().priority()).isEqualTo(5);
        assertThat(packet.meta().queueMapping()).as("of the one queue").isZero();
        assertThat(packet.meta().hash()).isEqualTo(77);
        packet.free();
    }

    private SkBuff unfinished() {
        SkBuff skb = Packets.allocate(pool);
        skb.put(HEADER);
        skb.addFrag(payload, 0, SIZE);
        skb.shinfo().offload(offload);
        return skb;
    }

    /** Returns a train of 250 bytes in two fragments, which meet inside the second packet: 100, 100, 50. */
    private SkBuff train() {
        SkBuff skb = Packets.allocate(pool);
        skb.put(HEADER);
        skb.addFrag(payload, 0, 130);
        skb.addFrag(payload, 130, 120);
        skb.shinfo().gso(SIZE, 3);
        skb.shinfo().offload(offload);
        return skb;
    }

    private byte[] expected(int index) {
        int from = index * SIZE;
        byte[] part = Arrays.copyOfRange(payload.toArray(ValueLayout.JAVA_BYTE), from, Math.min(from + SIZE, 250));
        byte[] packet = new byte[HEADER + part.length];
        packet[HEADER - 1] = (byte) index;
        System.arraycopy(part, 0, packet, HEADER, part.length);
        return packet;
    }

    /** An offload whose header is the packet's number in four bytes. */
    private static final class NumberingOffload implements PacketOffload {
        @Override
        public int segmentBytes(SkBuff train, int index) {
            return HEADER + Math.min(SIZE, train.dataLen() - index * SIZE);
        }

        @Override
        public boolean segment(SkBuff train, int index, SkBuff target) {
            int length = segmentBytes(train, index);
            int at = target.put(length);
            target.memory().set(ValueLayout.JAVA_BYTE, at, (byte) 0);
            target.memory().set(ValueLayout.JAVA_BYTE, at + 1L, (byte) 0);
            target.memory().set(ValueLayout.JAVA_BYTE, at + 2L, (byte) 0);
            target.memory().set(ValueLayout.JAVA_BYTE, at + 3L, (byte) index);
            train.copyBits(HEADER + index * SIZE, target.memory(), at + (long) HEADER, length - HEADER);
            return true;
        }
    }

    private SkBuff datagramWithChecksumLeft(boolean fragment) {
        SkBuff skb = Packets.udp(
                pool, Gid.ofIpv4(0x0A000001), 1, Gid.ofIpv4(0x0A000002), 2, Packets.random(fragment ? 10 : 50, 9));
        skb.setNetworkHeader(0);
        skb.setTransportHeader(Ipv4.BYTES);
        if (fragment) {
            skb.addFrag(payload, 0, 40);
        }
        PacketChecksum.leave(skb, Ipv4.PROTOCOL_UDP, Udp.CHECKSUM);
        return skb;
    }

    private static boolean isRight(byte[] packet) {
        MemorySegment bytes = MemorySegment.ofArray(packet);
        int udp = packet.length - Ipv4.BYTES;
        int sum = InternetChecksum.add(Ipv4.PROTOCOL_UDP + udp, bytes, Ipv4.SOURCE, udp + 8, false);
        return InternetChecksum.of(sum) == 0;
    }

    @Test
    @Covers({"SKB-37", "SKB-40"})
    void aDeviceThatCannotChecksumGetsPacketsWithTheirChecksum() {
        driver.keep = true;
        assertThat(device.transmit(datagramWithChecksumLeft(false))).isEqualTo(NetdevTx.OK);
        assertThat(device.transmit(datagramWithChecksumLeft(true))).isEqualTo(NetdevTx.OK);
        assertThat(driver.sent).hasSize(2).allMatch(TransmitFixupTest::isRight);
        assertThat(driver.whole).allMatch(skb -> skb.meta().ipSummed() == ChecksumState.NONE);
        driver.whole.forEach(SkBuff::free);
    }

    @Test
    @Covers("SKB-40")
    void aDeviceThatCanGetsTheSumAsItIsAndIsToldWhereItGoes() {
        device = device(FeatureSet.of(NetDeviceFeature.HW_CSUM));
        driver.keep = true;
        SkBuff linear = datagramWithChecksumLeft(false);
        assertThat(device.transmit(linear)).isEqualTo(NetdevTx.OK);
        assertThat(device.transmit(datagramWithChecksumLeft(true)))
                .as("gathered")
                .isEqualTo(NetdevTx.OK);
        assertThat(driver.whole.getFirst()).isSameAs(linear);
        assertThat(driver.sent).hasSize(2).noneMatch(TransmitFixupTest::isRight);
        for (SkBuff skb : driver.whole) {
            assertThat(skb.meta().ipSummed()).isEqualTo(ChecksumState.PARTIAL);
            PacketChecksum.finish(skb);
            assertThat(isRight(Packets.bytes(skb))).isTrue();
            skb.free();
        }
    }

    @Test
    @Covers("SKB-69")
    void whatWrapsAnotherPacketIsLeftToADeviceThatKnowsSuchPackets() {
        device = device(FeatureSet.of(NetDeviceFeature.HW_CSUM));
        driver.keep = true;
        SkBuff outer = datagramWithChecksumLeft(false);
        outer.meta().encapsulation(true);
        device.transmit(outer);
        assertThat(driver.sent).hasSize(1).allMatch(TransmitFixupTest::isRight);

        device.features().hwEnc(FeatureSet.of(NetDeviceFeature.HW_CSUM));
        SkBuff left = datagramWithChecksumLeft(false);
        left.meta().encapsulation(true);
        device.transmit(left);
        assertThat(driver.whole.getLast().meta().ipSummed()).isEqualTo(ChecksumState.PARTIAL);
        driver.whole.forEach(SkBuff::free);
    }

    @Test
    @Covers("SKB-117")
    void theSumOfAFragmentThatMayChangeIsThatOfTheBytesWhichAreSent() {
        device = device(FeatureSet.of(NetDeviceFeature.SG, NetDeviceFeature.HIGHDMA));
        driver.keep = true;
        SkBuff own = datagramWithChecksumLeft(true);
        SkBuff shared = datagramWithChecksumLeft(true);
        shared.shinfo().txFlag(TxFlag.SHARED_FRAG, true);
        device.transmit(own);
        device.transmit(shared);
        assertThat(driver.whole.get(0)).as("is sent from where it lies").isSameAs(own);
        assertThat(driver.whole.get(1).isNonlinear()).isFalse();
        payload.fill((byte) 1);
        assertThat(isRight(Packets.bytes(driver.whole.get(0)))).isFalse();
        assertThat(isRight(Packets.bytes(driver.whole.get(1)))).isTrue();
        driver.whole.forEach(SkBuff::free);
    }

    @Test
    void aChecksumIsNotWrittenIntoBytesThatACloneShares() {
        SkBuff skb = datagramWithChecksumLeft(false);
        SkBuff clone = Objects.requireNonNull(skb.cloneDescriptor());
        byte[] before = Packets.bytes(clone);
        device.transmit(skb);
        assertThat(driver.sent).hasSize(1).allMatch(TransmitFixupTest::isRight);
        assertThat(Packets.bytes(clone)).isEqualTo(before);
        clone.free();
    }

    @Test
    @Covers("SKB-113")
    void theSenderOfATrainHearsWhenItsLastPacketGoes() {
        List<Boolean> asked = new ArrayList<>();
        SkBuff train = train();
        train.meta().owner(this);
        train.shinfo().txFlag(TxFlag.SW_TSTAMP, true);
        driver.keep = true;
        device = device(FeatureSet.NONE, 3);
        device.transmit(train);
        for (SkBuff packet : driver.whole) {
            asked.add(packet.shinfo().hasTxFlag(TxFlag.SW_TSTAMP)
                    && equals(packet.meta().owner()));
            packet.free();
        }
        assertThat(asked).containsExactly(false, false, true);
    }
}
