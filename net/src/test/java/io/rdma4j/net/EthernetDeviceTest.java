// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.address.AddressAssignment;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.receive.PacketTap;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.packet.PacketType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Frames;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.wire.ip.Ethernet;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EthernetDeviceTest {
    private static final long OWN = MacAddress.parse("52:54:00:77:00:01");
    private static final long OTHER = MacAddress.parse("52:54:00:77:00:02");
    private static final long GROUP = MacAddress.parse("01:00:5e:00:00:09");
    private static final int EXPERIMENTAL = 0x88B5;

    private final RecordingDriver driver = new RecordingDriver();
    private final SkBuffPool pool = new SkBuffPool(8, 2048);
    private final NetDevice device = device(OWN);
    private final List<PacketType> types = new ArrayList<>();

    private NetDevice device(long mac, PrivateFlag... flags) {
        return NetHost.standalone(new NetDevice(
                new NetDeviceSetup(LinkType.ETHERNET, "eth0", 3, 1500, mac, List.of(), Set.of())
                        .withPrivateFlags(flags),
                driver));
    }

    @BeforeEach
    void up() {
        device.up();
        device.protocols().addHandler(EXPERIMENTAL, skb -> {
            types.add(skb.meta().packetType());
            skb.free();
        });
    }

    @AfterEach
    void close() {
        driver.arriving.purge();
        device.unregister();
        pool.close();
        assertThat(pool.leaked()).isZero();
    }

    @Test
    @Covers({"NDEV-154", "NDEV-155", "NDEV-160", "NDEV-162", "NDEV-164"})
    void anEthernetDeviceHasAHeaderAndAddressesOfSixBytes() {
        assertThat(device.linkType()).isEqualTo(LinkType.ETHERNET);
        assertThat(device.linkType().code()).isEqualTo(1);
        assertThat(device.linkType().headerBytes()).isEqualTo(14);
        assertThat(device.linkType().addressBytes()).isEqualTo(6);
        assertThat(LinkType.IP.code()).isEqualTo(0xFFFE);
        assertThat(device.macAddress()).isEqualTo(OWN);
        assertThat(device.link().broadcast()).isEqualTo(0xFFFF_FFFF_FFFFL);
        assertThat(device.maxFrameBytes()).isEqualTo(1500 + 14 + 4);
    }

    @Test
    @Covers({"SKB-27", "SKB-47", "SKB-48", "SKB-53", "SKB-55", "SKB-82"})
    void aReceivedFrameBeginsBehindItsHeaderWhosePlaceIsKnown() {
        byte[] payload = Packets.random(50, 1);
        List<byte[]> received = new ArrayList<>();
        device.protocols().removeHandler(EXPERIMENTAL);
        device.protocols().addHandler(EXPERIMENTAL, skb -> {
            assertThat(skb.meta().protocol()).isEqualTo(EXPERIMENTAL);
            assertThat(skb.meta().packetType()).isEqualTo(PacketType.HOST);
            assertThat(skb.meta().macLen()).isEqualTo(Ethernet.BYTES);
            assertThat(skb.meta().iif()).isEqualTo(device.ifindex());
            assertThat(Ethernet.source(skb.memory(), skb.macHeader())).isEqualTo(OTHER);
            assertThat(skb.networkHeader()).isEqualTo(skb.macHeader() + 14).isEqualTo(skb.data());
            received.add(Packets.bytes(skb));
            skb.free();
        });
        arrives(Frames.frame(pool, OWN, OTHER, EXPERIMENTAL, payload));
        assertThat(received).containsExactly(payload);
        assertThat(device.stats().rxPackets()).isEqualTo(1);
        assertThat(device.stats().rxBytes()).isEqualTo(64);
    }

    @ParameterizedTest
    @CsvSource({
        "52:54:00:77:00:01, HOST",
        "ff:ff:ff:ff:ff:ff, BROADCAST",
        "01:00:5e:00:00:09, MULTICAST",
        "52:54:00:77:00:02, OTHERHOST"
    })
    @Covers({"SKB-47", "SKB-48", "NDEV-135", "NDEV-173", "NDEV-178"})
    void theDestinationSaysWhomAFrameIsForAndAListenerToAllGetsIt(String destination, PacketType type) {
        device.link().setPromiscuity(1);
        arrives(to(MacAddress.parse(destination)));
        assertThat(types).containsExactly(type);
    }

    @Test
    @Covers({"NDEV-178", "NDEV-179"})
    void framesOfOthersAreKeptOutUntilSomebodyListensToAll() {
        arrives(to(OTHER));
        assertThat(types).isEmpty();
        assertThat(device.stats().rxOtherHost()).isEqualTo(1);
        device.link().setPromiscuity(2);
        device.link().setPromiscuity(-1);
        arrives(to(OTHER));
        assertThat(types).hasSize(1);
        device.link().setPromiscuity(-1);
        assertThat(device.link().isPromiscuous()).isFalse();
        arrives(to(OTHER));
        assertThat(types).hasSize(1);
        device.link().setPromiscuity(Integer.MAX_VALUE);
        refused(Errno.EOVERFLOW, () -> device.link().setPromiscuity(1));
        assertThat(device.link().promiscuity()).isEqualTo(Integer.MAX_VALUE);
        refused(Errno.EOVERFLOW, () -> device.link().setPromiscuity(Integer.MIN_VALUE));
    }

    @Test
    @Covers({"NDEV-163", "NDEV-165", "NDEV-166", "NDEV-167", "NDEV-168"})
    void moreAddressesOfItsOwnMayBeAddedAndAreCounted() {
        assertThat(device.link().unicast()).isEmpty();
        device.link().addUnicast(OTHER);
        device.link().addUnicast(OTHER);
        device.link().addUnicast(OTHER + 1);
        assertThat(device.link().unicast()).containsExactly(OTHER, OTHER + 1);
        device.link().removeUnicast(OTHER);
        arrives(to(OTHER));
        device.link().removeUnicast(OTHER);
        arrives(to(OTHER));
        assertThat(types).containsExactly(PacketType.HOST);
        assertThat(device.link().unicast()).containsExactly(OTHER + 1);
        device.link().flushUnicast();
        assertThat(device.link().unicast()).isEmpty();
        refused(Errno.ENOENT, () -> device.link().removeUnicast(OTHER));
        refused(Errno.EINVAL, () -> device.link().addUnicast(GROUP));
    }

    @Test
    @Covers({"NDEV-169", "NDEV-170", "NDEV-171", "NDEV-172"})
    void framesToAGroupArriveWhileItIsInTheList() {
        assertThat(device.link().multicast()).isEmpty();
        arrives(to(GROUP));
        assertThat(types).isEmpty();
        device.link().addMulticast(GROUP);
        arrives(to(GROUP));
        arrives(to(GROUP + 1));
        assertThat(types).containsExactly(PacketType.MULTICAST);
        assertThat(device.link().multicast()).containsExactly(GROUP);
        device.link().flushMulticast();
        arrives(to(GROUP));
        assertThat(types).hasSize(1);
        refused(Errno.ENOENT, () -> device.link().removeMulticast(GROUP));
        refused(Errno.EINVAL, () -> device.link().addMulticast(OTHER));
    }

    @Test
    @Covers({"NDEV-136", "NDEV-180", "NDEV-181"})
    void framesToAnyGroupArriveWhileSomebodyListensToAllGroups() {
        device.link().setAllMulticast(1);
        arrives(to(GROUP));
        arrives(to(OTHER));
        assertThat(types).containsExactly(PacketType.MULTICAST);
        assertThat(device.link().isAllMulticast()).isTrue();
        device.link().setAllMulticast(-1);
        arrives(to(GROUP));
        assertThat(types).hasSize(1);
        refused(Errno.EOVERFLOW, () -> device.link().setAllMulticast(-1));
    }

    @Test
    void whoJoinsAnIpGroupGetsTheFramesThatCarryIt() {
        Gid group = Gid.parse("224.0.0.9");
        device.ip().join(group);
        arrives(to(GROUP));
        assertThat(types).containsExactly(PacketType.MULTICAST);
        device.ip().leave(group);
        assertThat(device.link().multicast()).isEmpty();
    }

    @Test
    void aFrameTooShortForItsHeaderIsAnError() {
        SkBuff skb = Packets.allocate(pool);
        skb.put(13);
        arrives(skb);
        assertThat(device.stats().rxErrors()).isEqualTo(1);
    }

    @Test
    void aFrameThatGivesItsLengthHasNoType() {
        List<Integer> protocols = new ArrayList<>();
        device.protocols().addTap(EtherType.ALL, skb -> protocols.add(skb.meta().protocol()));
        arrives(Frames.frame(pool, OWN, OTHER, 0x05FF, new byte[46]));
        arrives(Frames.frame(pool, OWN, OTHER, 0x0600, new byte[46]));
        assertThat(protocols).containsExactly(EtherType.LLC, 0x0600);
    }

    @Test
    @Covers("NDEV-193")
    void everyTapOfTheProtocolSeesAPacketBeforeItsHandlerHasIt() {
        List<String> order = new ArrayList<>();
        PacketTap all = skb -> order.add("all " + skb.len());
        device.protocols().addTap(EtherType.ALL, all);
        device.protocols().addTap(EXPERIMENTAL, skb -> order.add("one"));
        device.protocols().addTap(EXPERIMENTAL, skb -> order.add("another"));
        device.protocols().addTap(EtherType.IPV4, skb -> order.add("never"));
        arrives(to(OWN));
        assertThat(order).containsExactly("all 46", "one", "another");
        assertThat(types).hasSize(1);
        device.protocols().removeTap(all);
        refused(Errno.EBUSY, () -> device.protocols().addHandler(EXPERIMENTAL, SkBuff::free));
        device.protocols().removeHandler(EXPERIMENTAL);
        arrives(to(OWN));
        assertThat(order).hasSize(5);
        assertThat(device.stats().rxPackets()).as("a tap is somebody").isEqualTo(2);
        arrives(Frames.frame(pool, OWN, OTHER, 0x88B6, new byte[46]));
        assertThat(device.stats().rxDropped()).isEqualTo(1);
    }

    @Test
    @Covers({"NDEV-112", "NDEV-156", "NDEV-157", "NDEV-159"})
    void anAddressThatIsSetIsNoLongerThePermanentOne() {
        List<NetDeviceEvent> events = new ArrayList<>();
        assertThat(device.link().assignment()).isEqualTo(AddressAssignment.PERMANENT);
        refused(Errno.EBUSY, () -> device.setMacAddress(OTHER));
        device.down();
        device.addListener((_, event) -> events.add(event));
        device.setMacAddress(OTHER);
        assertThat(events).containsExactly(NetDeviceEvent.MAC_CHANGE);
        assertThat(device.macAddress()).isEqualTo(OTHER);
        assertThat(device.link().permanent()).isEqualTo(OWN);
        assertThat(device.link().assignment()).isEqualTo(AddressAssignment.SET);
        device.up();
        arrives(to(OTHER));
        arrives(to(OWN));
        assertThat(types).containsExactly(PacketType.HOST);
    }

    @Test
    @Covers({"NDEV-112", "NDEV-141"})
    void aCapableDriverLetsTheAddressChangeWhileTheDeviceIsUp() {
        NetDevice capable = device(OWN, PrivateFlag.LIVE_ADDR_CHANGE);
        capable.up();
        capable.setMacAddress(OTHER);
        assertThat(capable.macAddress()).isEqualTo(OTHER);
        capable.unregister();
    }

    @Test
    @Covers({"NDEV-157", "NDEV-158"})
    void aDeviceWithoutAnAddressDrawsOneByLot() {
        NetDevice random = device(0);
        assertThat(MacAddress.isValid(random.macAddress())).isTrue();
        assertThat(random.macAddress()).isNotEqualTo(device(0).macAddress());
        assertThat(random.link().assignment()).isEqualTo(AddressAssignment.RANDOM);
        assertThat(random.link().permanent()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"00:00:00:00:00:00", "01:00:5e:00:00:09", "ff:ff:ff:ff:ff:ff"})
    @Covers("NDEV-110")
    void noDeviceHasTheAddressOfAGroupOrOfNobody(String mac) {
        device.down();
        refused(Errno.EADDRNOTAVAIL, () -> device.setMacAddress(MacAddress.parse(mac)));
    }

    @Test
    @Covers("NDEV-110")
    void aDeviceWithTheAddressOfAGroupDoesNotGoUp() {
        NetDevice wrong = device(GROUP);
        refused(Errno.EADDRNOTAVAIL, wrong::up);
        assertThat(wrong.isUp()).isFalse();
    }

    @Test
    void anIpDeviceHasNoAddressToSet() {
        NetDevice ip =
                NetHost.standalone(new NetDevice(new NetDeviceSetup("ip0", 1, 1500, 0, List.of(), Set.of()), driver));
        assertThat(ip.macAddress()).isZero();
        refused(Errno.EOPNOTSUPP, () -> ip.setMacAddress(OTHER));
    }

    @Test
    @Covers("NDEV-133")
    void theHeaderIsPutInFrontOfAPacket() {
        SkBuff skb = Packets.allocate(pool);
        skb.reserve(64);
        skb.put(46);
        device.pushLinkHeader(skb, EXPERIMENTAL, OTHER);
        int at = skb.macHeader();
        assertThat(at).isEqualTo(skb.data());
        assertThat(skb.len()).isEqualTo(60);
        assertThat(Ethernet.destination(skb.memory(), at)).isEqualTo(OTHER);
        assertThat(Ethernet.source(skb.memory(), at)).isEqualTo(OWN);
        assertThat(Ethernet.etherType(skb.memory(), at)).isEqualTo(EXPERIMENTAL);
        assertThat(skb.networkHeader()).isEqualTo(at + 14);
        assertThat(device.header().ops().parse(skb)).as("who it is from").isEqualTo(OWN);
        device.header().ops().rebuild(skb, GROUP);
        assertThat(Ethernet.destination(skb.memory(), at)).isEqualTo(GROUP);
        assertThat(Ethernet.source(skb.memory(), at)).isEqualTo(OWN);
        assertThat(Ethernet.etherType(skb.memory(), at)).isEqualTo(EXPERIMENTAL);
        skb.free();
    }

    @Test
    @Covers("NDEV-133")
    void aDriverMayHaveAHeaderOfItsOwnAndAnIpLinkHasNone() {
        SkBuff skb = Packets.allocate(pool);
        skb.reserve(64);
        skb.put(46);
        device.header().replace(HeaderOps.NONE);
        device.pushLinkHeader(skb, EXPERIMENTAL, OTHER);
        assertThat(skb.len()).isEqualTo(46);
        assertThat(device.header().ops().parse(skb)).isZero();
        device.header().ops().rebuild(skb, OTHER);
        assertThat(skb.len()).isEqualTo(46);
        skb.free();
    }

    private SkBuff to(long destination) {
        return Frames.frame(pool, destination, OTHER, EXPERIMENTAL, new byte[46]);
    }

    private void arrives(SkBuff skb) {
        driver.arriving.enqueue(skb);
        assertThat(device.napi().poll(8)).isEqualTo(1);
    }

    private static void refused(Errno errno, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }
}
