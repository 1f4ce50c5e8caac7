package io.rdma4j.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.wire.Ethernet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NeighbourTableTest {
    private static final long OWN = MacAddress.parse("52:54:00:77:00:01");
    private static final long OTHER = MacAddress.parse("52:54:00:77:00:02");
    private static final Gid V4 = Gid.parse("::ffff:10.0.0.2");
    private static final Gid V6 = Gid.parse("fd00::2");

    private final SkBuffPool pool = new SkBuffPool(2, 256);
    private final SkBuff skb = Packets.allocate(pool);
    private final NetDevice device = device(LinkType.ETHERNET);

    private static NetDevice device(LinkType link) {
        return new NetDevice(
                new NetDeviceSetup(link, "eth0", 3, 1500, OWN, List.of(), Set.of()), new RecordingDriver());
    }

    @AfterEach
    void close() {
        skb.free();
        device.unregister();
        pool.close();
    }

    private void packet() {
        skb.reserve(64);
        skb.put(40);
    }

    private void assertHeader(long destination, int etherType) {
        assertThat(skb.len()).isEqualTo(54);
        assertThat(skb.networkHeader() - skb.data()).isEqualTo(14);
        assertThat(Ethernet.destination(skb.memory(), skb.data())).isEqualTo(destination);
        assertThat(Ethernet.source(skb.memory(), skb.data())).isEqualTo(OWN);
        assertThat(Ethernet.etherType(skb.memory(), skb.data())).isEqualTo(etherType);
        assertThat(skb.protocol()).isEqualTo(etherType);
    }

    @Test
    void aPacketGoesToTheStationThatAnswersToItsDestination() {
        device.neighbours().add(V4, OTHER + 1);
        device.neighbours().add(V4, OTHER);
        packet();
        assertThat(device.neighbours().resolve(skb, V4)).isTrue();
        assertHeader(OTHER, 0x0800);
    }

    @Test
    void aPacketToAGroupGoesToTheGroupOfStations() {
        packet();
        assertThat(device.neighbours().resolve(skb, Gid.parse("ff02::1:ff00:2")))
                .isTrue();
        assertHeader(MacAddress.parse("33:33:ff:00:00:02"), 0x86DD);
    }

    @Test
    void aPacketToAnAddressThatNobodyAnswersToStaysAsItIs() {
        device.neighbours().add(V6, OTHER);
        device.neighbours().add(V4, OTHER);
        device.neighbours().remove(V6);
        packet();
        assertThat(device.neighbours().resolve(skb, V6)).isFalse();
        assertThat(skb.len()).isEqualTo(40);
        assertThat(device.neighbours().unresolved()).isEqualTo(1);
        assertThat(device.neighbours().resolve(skb, V4)).isTrue();
    }

    @Test
    void anIpDeviceNeedsNoNeighbours() {
        NetDevice ip = device(LinkType.IP);
        packet();
        assertThat(ip.neighbours().resolve(skb, V6)).isTrue();
        assertThat(skb.len()).isEqualTo(40);
        ip.unregister();
    }

    @Test
    void onlyOneStationAnswersToOneAddress() {
        assertRefused(Gid.parse("ff02::1"), OTHER);
        assertRefused(V4, MacAddress.BROADCAST);
        assertRefused(V4, 0);
    }

    private void assertRefused(Gid address, long mac) {
        assertThatThrownBy(() -> device.neighbours().add(address, mac))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }
}
