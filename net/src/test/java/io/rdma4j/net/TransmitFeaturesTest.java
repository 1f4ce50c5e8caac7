// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.net.skb.PacketChecksum;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.ChecksumState;
import io.rdma4j.packet.GsoType;
import io.rdma4j.packet.PacketOffload;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests how the features of a device change the packets that its driver gets. */
class TransmitFeaturesTest {
    private static final FeatureSet ALL = FeatureSet.of(
                    NetDeviceFeature.SG,
                    NetDeviceFeature.HIGHDMA,
                    NetDeviceFeature.HW_CSUM,
                    NetDeviceFeature.FRAGLIST,
                    NetDeviceFeature.RXCSUM)
            .plus(FeatureSet.GSO_SOFTWARE);

    private final Arena arena = Arena.ofConfined();
    private final SkBuffPool pool = new SkBuffPool(8, 512);
    private final RecordingDriver driver = new RecordingDriver();
    private final List<NetDevice> devices = new ArrayList<>();
    private final NetDevice device = device(ALL, PrivateFlag.CARRIES_OFFLOADS);

    private NetDevice device(FeatureSet features, PrivateFlag... flags) {
        NetDevice made = NetHost.standalone(new NetDevice(
                new NetDeviceSetup("eth0", 1, 400, 0, List.of(), features).withPrivateFlags(flags), driver));
        made.up();
        devices.add(made);
        driver.keep = true;
        return made;
    }

    @AfterEach
    void close() {
        devices.forEach(NetDevice::unregister);
        pool.close();
        assertThat(pool.leaked()).isZero();
        arena.close();
    }

    /** Sends {@code skb} and returns the one buffer that the driver gets; the caller frees it. */
    private SkBuff sent(NetDevice through, SkBuff skb) {
        assertThat(through.transmit(skb)).isEqualTo(NetdevTx.OK);
        assertThat(driver.whole).hasSize(1);
        return driver.whole.removeFirst();
    }

    private boolean goesAsItIs(NetDevice through, SkBuff skb) {
        SkBuff sent = sent(through, skb);
        boolean same = sent == skb;
        sent.free();
        return same;
    }

    @Test
    @Covers("NDEV-97")
    void fragmentsAreGatheredWhileScatterGatherIsOff() {
        assertThat(goesAsItIs(device, fragment(arena.allocate(50)))).isTrue();
        device.features().set(NetDeviceFeature.SG, false);
        SkBuff gathered = sent(device, fragment(arena.allocate(50)));
        assertThat(gathered.isNonlinear()).isFalse();
        assertThat(gathered.len()).isEqualTo(54);
        gathered.free();
        device.features().set(NetDeviceFeature.SG, true);
        assertThat(goesAsItIs(device, fragment(arena.allocate(50)))).isTrue();
    }

    @Test
    @Covers("NDEV-98")
    void fragmentsOutsideTheHeapNeedADriverThatReachesThem() {
        NetDevice near = device(ALL.minus(FeatureSet.of(NetDeviceFeature.HIGHDMA)));
        assertThat(goesAsItIs(near, fragment(MemorySegment.ofArray(new byte[50]))))
                .isTrue();
        assertThat(goesAsItIs(near, fragment(arena.allocate(50)))).isFalse();
        assertThat(goesAsItIs(device, fragment(arena.allocate(50)))).isTrue();
    }

    @Test
    @Covers("NDEV-78")
    void framesWithATagGoByWhatTheDeviceDoesForThem() {
        assertThat(goesAsItIs(device, tagged())).isFalse();
        device.features().vlan(FeatureSet.of(NetDeviceFeature.SG, NetDeviceFeature.HIGHDMA));
        assertThat(goesAsItIs(device, tagged())).isTrue();
    }

    private SkBuff tagged() {
        SkBuff skb = fragment(arena.allocate(50));
        skb.meta().protocol(EtherType.VLAN);
        return skb;
    }

    @Test
    @Covers("NDEV-79")
    void packetsInsideOfOthersGoByWhatTheDeviceDoesForThem() {
        assertThat(goesAsItIs(device, inside())).isFalse();
        device.features().hwEnc(FeatureSet.of(NetDeviceFeature.SG, NetDeviceFeature.HIGHDMA));
        assertThat(goesAsItIs(device, inside())).isTrue();
    }

    private SkBuff inside() {
        SkBuff skb = fragment(arena.allocate(50));
        skb.meta().encapsulation(true);
        return skb;
    }

    private SkBuff fragment(MemorySegment memory) {
        SkBuff skb = Packets.allocate(pool);
        skb.put(4);
        skb.addFrag(memory, 0, 50);
        return skb;
    }

    @Test
    @Covers({"NDEV-96", "NDEV-190", "NDEV-191"})
    void trainsAreCutWhileSegmentationIsOffOrTheyAreTooLong() {
        assertThat(goesAsItIs(device, train())).isTrue();
        device.features().set(NetDeviceFeature.GSO, false);
        assertThat(packetsOf(train())).isEqualTo(3);
        device.features().set(NetDeviceFeature.GSO, true);
        device.features().gsoMaxSize(299);
        assertThat(packetsOf(train())).isEqualTo(3);
        device.features().gsoMaxSize(300);
        assertThat(goesAsItIs(device, train())).isTrue();
    }

    @Test
    void noOtherDriverGetsWhatAProtocolLeftToItsOffload() {
        NetDevice adapter = device(ALL);
        adapter.transmit(train());
        assertThat(driver.whole).hasSize(1).allMatch(skb -> skb.shinfo().offload() == null);
        driver.whole.removeFirst().free();
        adapter.down();
    }

    @Test
    @Covers("NDEV-88")
    void offloadsAreDoneWhileChecksumsAreOff() {
        SkBuff left = Packets.allocate(pool);
        left.put(100);
        left.shinfo().offload(new Hundreds());
        assertThat(goesAsItIs(device, left)).isTrue();
        device.features().set(NetDeviceFeature.HW_CSUM, false);
        assertThat(packetsOf(train())).isEqualTo(3);
    }

    private int packetsOf(SkBuff train) {
        driver.keep = false;
        driver.sent.clear();
        device.transmit(train);
        driver.keep = true;
        return driver.sent.size();
    }

    private SkBuff train() {
        SkBuff skb = Packets.allocate(pool);
        skb.put(300);
        skb.shinfo().gso(100, 3);
        skb.shinfo().offload(new Hundreds());
        return skb;
    }

    /** An offload that cuts packets of 100 bytes. */
    private static final class Hundreds implements PacketOffload {
        @Override
        public int segmentBytes(SkBuff train, int index) {
            return 100;
        }

        @Override
        public boolean segment(SkBuff train, int index, SkBuff target) {
            train.copyBits(index * 100, target.memory(), target.put(100), 100);
            return true;
        }
    }

    @Test
    @Covers("NDEV-86")
    void aDriverThatSumsForIpv4GetsOtherPacketsFinished() {
        NetDevice adapter = device(FeatureSet.of(NetDeviceFeature.IP_CSUM));
        assertThat(leavesSum(adapter, true)).isTrue();
        assertThat(leavesSum(adapter, false)).isFalse();
        adapter.features().set(NetDeviceFeature.IP_CSUM, false);
        assertThat(leavesSum(adapter, true)).isFalse();
    }

    @Test
    @Covers("NDEV-87")
    void aDriverThatSumsForIpv6GetsOtherPacketsFinished() {
        NetDevice adapter = device(FeatureSet.of(NetDeviceFeature.IPV6_CSUM));
        assertThat(leavesSum(adapter, true)).isFalse();
        assertThat(leavesSum(adapter, false)).isTrue();
    }

    @Test
    @Covers("NDEV-88")
    void aDriverThatSumsAnythingGetsAllAsItIs() {
        assertThat(leavesSum(device, true)).isTrue();
        assertThat(leavesSum(device, false)).isTrue();
    }

    /** Returns true if the driver gets a packet with a pending checksum; otherwise the checksum must be correct. */
    private boolean leavesSum(NetDevice through, boolean v4) {
        Gid from = Gid.parse(v4 ? "10.0.0.1" : "fd00::1");
        Gid to = Gid.parse(v4 ? "10.0.0.2" : "fd00::2");
        SkBuff skb = Packets.udp(pool, from, 7, to, 8, Packets.random(40, 3));
        skb.meta().protocol(v4 ? EtherType.IPV4 : EtherType.IPV6);
        skb.setNetworkHeader(0);
        skb.setTransportHeader(v4 ? Ipv4.BYTES : Ipv6.BYTES);
        PacketChecksum.leave(skb, Ipv4.PROTOCOL_UDP, Udp.CHECKSUM);
        long place = skb.transportHeader() + (long) Udp.CHECKSUM;
        short pseudo = skb.memory().get(ValueLayout.JAVA_SHORT_UNALIGNED, place);
        SkBuff sent = sent(through, skb);
        boolean left = sent.meta().ipSummed() == ChecksumState.PARTIAL;
        assertThat(sent.memory().get(ValueLayout.JAVA_SHORT_UNALIGNED, place) == pseudo)
                .isEqualTo(left);
        sent.free();
        return left;
    }

    @Test
    @Covers("NDEV-90")
    void trainsOfTcpGoToADriverThatCutsThem() {
        NetDevice adapter = device(ALL.minus(FeatureSet.of(NetDeviceFeature.TSO6)));
        assertThat(goesAsItIs(adapter, tcp(GsoType.TCPV4))).isTrue();
        assertThat(goesAsItIs(adapter, tcp(GsoType.UDP_L4))).isTrue();
        adapter.transmit(tcp(GsoType.TCPV6));
        OffloadGroup.TSO.set(adapter, false);
        adapter.transmit(tcp(GsoType.TCPV4));
        assertThat(driver.whole).isEmpty();
        assertThat(adapter.stats().txErrors())
                .as("packets that nobody else can cut")
                .isEqualTo(6);
    }

    private SkBuff tcp(GsoType type) {
        SkBuff skb = Packets.allocate(pool);
        skb.put(300);
        skb.shinfo().gso(100, 3);
        skb.shinfo().gsoType(type);
        return skb;
    }

    @Test
    @Covers("NDEV-89")
    void whatTheDriverSaysOfAChecksumCountsWhileItIsAsked() {
        List<ChecksumState> states = new ArrayList<>();
        device.protocols().addTap(EtherType.ALL, skb -> states.add(skb.meta().ipSummed()));
        receive(ChecksumState.UNNECESSARY);
        OffloadGroup.RX.set(device, false);
        receive(ChecksumState.UNNECESSARY);
        receive(ChecksumState.COMPLETE);
        receive(ChecksumState.PARTIAL);
        assertThat(states)
                .containsExactly(
                        ChecksumState.UNNECESSARY, ChecksumState.NONE, ChecksumState.NONE, ChecksumState.PARTIAL);
    }

    private void receive(ChecksumState state) {
        SkBuff skb = Packets.allocate(pool);
        skb.put(40);
        skb.meta().ipSummed(state);
        driver.arriving.enqueue(skb);
        assertThat(device.napi().poll(1)).isEqualTo(1);
    }
}
