// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import static io.rdma4j.ip.Network.ip;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.OffloadGroup;
import io.rdma4j.net.receive.Napi;
import io.rdma4j.net.receive.PacketTap;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.skb.PacketChecksum;
import io.rdma4j.net.skb.PacketFilter;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Datagrams that arrive in one poll are merged for an endpoint with {@code UDP_GRO}, and for no other. */
class UdpGroTest {
    private static final int FROM = 5000;
    private static final int TO = 6000;

    private static final int BUFFERS = 80;

    private final SkBuffPool pool = new SkBuffPool(BUFFERS, 9216);
    private final Network network = new Network();
    private final Network.Host far = network.host("a");
    private final Network.Host host = network.host("b");
    private final NetDevice device = link();
    private final UdpEndpoint receiver = host.stack.ports().bind(null, TO, 1 << 20);
    private final Napi napi = device.napis().add(this::poll, Napi.POLL_WEIGHT);

    private final ArrayDeque<SkBuff> frames = new ArrayDeque<>();
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    private int waitingInPoll;

    private NetDevice link() {
        network.link(far, "10.0.0.1/24 fd00::1/64", host, "10.0.0.2/24 fd00::2/64", 9000);
        return host.device(0);
    }

    @AfterEach
    void close() {
        frames.forEach(SkBuff::free);
        network.close();
        assertThat(pool.available()).isEqualTo(BUFFERS);
        pool.close();
    }

    /** Driver poll that delivers the frames which the test has queued. */
    private int poll(int budget) {
        int done = 0;
        for (; done < budget && !frames.isEmpty(); done++) {
            napi.groReceive(frames.remove());
        }
        waitingInPoll = receiver.waiting();
        return done;
    }

    private void changed(String from, int fromPort, int length, Consumer<SkBuff> change) {
        byte[] payload = Packets.random(length, frames.size() + 1);
        sent.writeBytes(payload);
        boolean isIpv4 = ip(from).isIpv4();
        SkBuff skb = Packets.udp(pool, ip(from), fromPort, ip(isIpv4 ? "10.0.0.2" : "fd00::2"), TO, payload);
        skb.setNetworkHeader(0);
        skb.setTransportHeader(isIpv4 ? Ipv4.BYTES : Ipv6.BYTES);
        PacketChecksum.leave(skb, Ipv4.PROTOCOL_UDP, Udp.CHECKSUM);
        PacketChecksum.finish(skb);
        change.accept(skb);
        if (isIpv4) {
            Ipv4.updateChecksum(skb.memory(), skb.data());
        }
        device.pushLinkHeader(skb, isIpv4 ? EtherType.IPV4 : EtherType.IPV6, device.macAddress());
        frames.add(skb);
    }

    private void datagram(int length) {
        changed("10.0.0.1", FROM, length, _ -> {});
    }

    private void datagrams(int... lengths) {
        Arrays.stream(lengths).forEach(this::datagram);
    }

    /** Received buffers as "length/segment length"; also checks that every byte is present and in its place. */
    private List<String> received() {
        while (!frames.isEmpty()) {
            napi.poll(Napi.POLL_WEIGHT);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        List<String> list = new ArrayList<>();
        for (SkBuff skb = receiver.receive(); skb != null; skb = receiver.receive()) {
            assertThat(UdpEndpoint.sourcePort(skb)).isBetween(FROM, FROM + 100);
            list.add(skb.len() + "/" + UdpEndpoint.segmentBytes(skb));
            bytes.writeBytes(Packets.bytes(skb));
            skb.free();
        }
        assertThat(bytes.toByteArray()).isEqualTo(sent.toByteArray());
        sent.reset();
        return list;
    }

    @Test
    @Covers({"NDEV-93", "NDEV-94"})
    void theDeviceMergesUnlessEthtoolSwitchesItOff() {
        receiver.gro(true);
        OffloadGroup gro = OffloadGroup.of("gro").orElseThrow();
        assertThat(gro.isOn(device)).isTrue();
        datagrams(100, 100, 100, 50);
        assertThat(received()).containsExactly("350/100");
        gro.set(device, false);
        datagrams(100, 100, 100, 50);
        assertThat(received()).containsExactly("100/100", "100/100", "100/100", "50/50");
        gro.set(device, true);
        datagrams(100, 100);
        assertThat(received()).containsExactly("200/100");
    }

    @Test
    @Covers("NDEV-95")
    void aDriverHandsPacketsOverWhichAreHeldBackUntilItsPollIsOver() {
        receiver.gro(true);
        datagrams(100, 100, 100);
        assertThat(napi.poll(2)).isEqualTo(2);
        assertThat(waitingInPoll).isZero();
        assertThat(receiver.waiting()).isEqualTo(1);
        assertThat(received()).containsExactly("200/100", "100/100");
    }

    @Test
    @Covers("NDEV-95")
    void soDoesTheDriverOfALink() {
        receiver.gro(true);
        UdpEndpoint sender = far.stack.ports().bind(FROM);
        sender.sendTo(network.payload(new byte[0]), ip("10.0.0.2"), TO);
        network.settle();
        for (int i = 0; i < 5; i++) {
            byte[] payload = Packets.random(1000, i);
            sent.writeBytes(payload);
            sender.sendTo(network.payload(payload), ip("10.0.0.2"), TO);
        }
        network.settle();
        assertThat(received()).containsExactly("0/0", "5000/1000");
    }

    @Test
    void whoDidNotAskGetsSingleDatagrams() {
        datagrams(100, 100);
        assertThat(received()).containsExactly("100/100", "100/100");
        receiver.gro(true);
        UdpEndpoint other = host.stack.ports().bind(TO + 1);
        assertThat(other.gro()).isFalse();
        receiver.gro(false);
        other.gro(true);
        datagrams(100, 100);
        assertThat(received()).containsExactly("100/100", "100/100");
        other.close();
        receiver.gro(true);
        datagrams(100, 100);
        assertThat(received()).containsExactly("200/100");
    }

    @Test
    void aTrainForSomebodyWhoIsGoneIsDropped() {
        receiver.gro(true);
        datagrams(100, 100);
        Napi closing = device.napis()
                .add(
                        budget -> {
                            int done = poll(budget);
                            receiver.gro(false);
                            return done;
                        },
                        Napi.POLL_WEIGHT);
        closing.poll(Napi.POLL_WEIGHT);
        assertThat(receiver.waiting()).isZero();
        assertThat(host.count(SnmpCounter.UDP_IN_ERRORS)).isEqualTo(1);
        sent.reset();
    }

    @Test
    void itIsTheSameWithIpv6() {
        receiver.gro(true);
        for (int i = 0; i < 3; i++) {
            changed("fd00::1", FROM, 100, _ -> {});
        }
        changed("fd00::1", FROM, 100, skb -> Ipv6.hopLimit(skb.memory(), skb.data(), 9));
        assertThat(received()).containsExactly("300/100", "100/100");
    }

    @Test
    void aTrainEndsWithADatagramThatIsShorterOrLonger() {
        receiver.gro(true);
        datagrams(100, 40, 40, 100, 100, 101);
        assertThat(received()).containsExactly("140/100", "40/40", "200/100", "101/101");
    }

    @Test
    void aTrainEndsWithAnotherHeader() {
        receiver.gro(true);
        datagram(100);
        changed("10.0.0.1", FROM, 100, skb -> Ipv4.timeToLive(skb.memory(), skb.data(), 9));
        datagram(100);
        changed("10.0.0.1", FROM, 100, skb -> Ipv4.typeOfService(skb.memory(), skb.data(), 2));
        datagram(100);
        changed("10.0.0.1", FROM, 100, skb -> Ipv4.fragment(skb.memory(), skb.data(), 0));
        assertThat(received()).containsOnly("100/100").hasSize(6);
    }

    @Test
    void aTrainIsBounded() {
        receiver.gro(true);
        for (int i = 0; i < 10; i++) {
            datagram(8000);
        }
        assertThat(received()).containsExactly("64000/8000", "16000/8000");
        for (int i = 0; i < 66; i++) {
            datagram(10);
        }
        napi.poll(66);
        assertThat(received()).containsExactly("640/10", "20/10");
        for (int i = 0; i < 10; i++) {
            changed("10.0.0.1", FROM + i, 100, _ -> {});
        }
        datagram(100);
        assertThat(received()).as("the oldest of more than eight flows").hasSize(11);
    }

    @Test
    void flowsAreKeptApart() {
        receiver.gro(true);
        int[] ports = {FROM, FROM + 1, FROM, FROM + 1};
        Arrays.stream(ports).forEach(port -> changed("10.0.0.1", port, 100, _ -> {}));
        napi.poll(Napi.POLL_WEIGHT);
        for (int port = FROM; port <= FROM + 1; port++) {
            SkBuff skb = Objects.requireNonNull(receiver.receive());
            assertThat(UdpEndpoint.sourcePort(skb)).isEqualTo(port);
            assertThat(skb.shinfo().gsoSegs()).isEqualTo(2);
            skb.free();
        }
    }

    @Test
    void whatHasNoRightChecksumIsNotMerged() {
        receiver.gro(true);
        datagram(100);
        changed("10.0.0.1", FROM, 100, skb -> Udp.checksum(skb.memory(), skb.data() + Ipv4.BYTES, 0));
        datagrams(100, 100);
        assertThat(received()).containsExactly("100/100", "100/100", "200/100");
        datagrams(100);
        changed("10.0.0.1", FROM, 0, skb -> {
            skb.put(2);
            Udp.length(skb.memory(), skb.data() + Ipv4.BYTES, Udp.BYTES + 2);
            Ipv4.totalLength(skb.memory(), skb.data(), skb.len());
            Udp.checksum(skb.memory(), skb.data() + Ipv4.BYTES, 1);
        });
        datagrams(100);
        assertThat(received()).containsExactly("100/100", "100/100");
        assertThat(host.count(SnmpCounter.UDP_IN_CSUM_ERRORS)).isEqualTo(1);
    }

    @Test
    void nothingIsMergedWhileSomebodyLooksAtAllPackets() {
        receiver.gro(true);
        List<Integer> seen = new ArrayList<>();
        PacketTap tap = skb -> seen.add(skb.len());
        device.protocols().addTap(EtherType.ALL, tap);
        datagrams(100, 100);
        assertThat(received()).containsExactly("100/100", "100/100");
        assertThat(seen).containsExactly(128, 128);
        device.protocols().removeTap(tap);
        PacketFilter filter = (_, _, _, _) -> true;
        host.stack.hooks().register(HookPoint.INPUT, 0, filter);
        datagrams(100, 100);
        assertThat(received()).hasSize(2);
        host.stack.hooks().unregister(HookPoint.INPUT, filter);
        device.hooks().register(HookPoint.INGRESS, 0, filter);
        datagrams(100, 100);
        assertThat(received()).hasSize(2);
        device.hooks().unregister(HookPoint.INGRESS, filter);
        device.rxHandler().register(_ -> false);
        datagrams(100, 100);
        assertThat(received()).hasSize(2);
        device.rxHandler().unregister();
        datagrams(100, 100);
        assertThat(received()).containsExactly("200/100");
    }

    @Test
    void theDeviceCountsWhatTheLinkCarried() {
        receiver.gro(true);
        long packets = device.stats().rxPackets();
        long bytes = device.stats().rxBytes();
        datagrams(100, 100, 50);
        received();
        assertThat(device.stats().rxPackets() - packets).isEqualTo(3);
        assertThat(device.stats().rxBytes() - bytes).isEqualTo(250 + 3 * 42);
    }

    @Test
    void aReceiverIsChargedForAllBuffersOfATrain() {
        receiver.gro(true);
        UdpEndpoint small = host.stack.ports().bind(null, TO + 1, 15_000);
        small.gro(true);
        for (int i = 0; i < 2; i++) {
            changed("10.0.0.1", FROM, 10, skb -> {
                Udp.write(skb.memory(), skb.data() + Ipv4.BYTES, FROM, TO + 1, Udp.BYTES + 10);
                skb.setTransportHeader(Ipv4.BYTES);
                PacketChecksum.leave(skb, Ipv4.PROTOCOL_UDP, Udp.CHECKSUM);
                PacketChecksum.finish(skb);
            });
        }
        napi.poll(2);
        assertThat(small.drops()).as("two buffers of 9 KiB").isEqualTo(1);
    }

    @Test
    void aDriverThatFailsLosesWhatItHandedOverAndNoBuffer() {
        receiver.gro(true);
        Napi failing = device.napis()
                .add(
                        budget -> {
                            poll(budget);
                            throw new IllegalStateException("broken");
                        },
                        Napi.POLL_WEIGHT);
        datagrams(100, 100);
        assertThatIllegalStateException().isThrownBy(() -> failing.poll(1));
        device.down();
        assertThat(device.stats().rxDropped()).isEqualTo(1);
        device.up();
        sent.reset();
        assertThat(receiver.waiting()).isZero();
    }

    @Test
    void mergingAllocatesNothing() {
        receiver.gro(true);
        for (int i = 0; i < 60; i++) {
            datagram(100);
        }
        long bytes = AllocatedBytes.inSteadyState(() -> {
            napi.poll(10);
            SkBuff skb = receiver.receive();
            if (skb != null) {
                skb.free();
            }
        });
        assertThat(bytes).isZero();
        assertThat(frames).isEmpty();
    }
}
