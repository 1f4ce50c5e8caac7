// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import static io.rdma4j.ip.WireTap.ip;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.packet.PacketType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.wire.ip.Icmp;
import io.rdma4j.wire.ip.Icmpv6;
import io.rdma4j.wire.ip.InternetChecksum;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cases in which a host sends ICMP errors, and in which it must not. */
class IcmpRulesTest {
    private static final int PORT = 4791;
    private static final int BUFFERS = 4;

    private final SkBuffPool pool = new SkBuffPool(BUFFERS, 4096);
    private final WireTap wire = new WireTap("eth0", 2, 1500, "10.0.0.1/24", "fd00::1/64");
    private long nowNs;
    private final IpStack stack = new IpStack(IpSettings.DEFAULT, () -> nowNs);
    private final IpInterface in = stack.add(wire.device);

    @AfterEach
    void close() {
        stack.close();
        assertThat(stack.buffersInUse()).isZero();
        assertThat(pool.available()).isEqualTo(BUFFERS);
        pool.close();
    }

    private void arrive(SkBuff skb) {
        skb.meta().device(wire.device);
        stack.input().receive(skb, in);
    }

    private SkBuff datagram(String from, String to, int length) {
        return Packets.udp(pool, ip(from), 7, ip(to), PORT, Packets.random(length, 1));
    }

    private SkBuff packet(byte[] bytes) {
        SkBuff skb = Packets.allocate(pool);
        skb.reserve(64);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, skb.memory(), skb.put(bytes.length), bytes.length);
        return skb;
    }

    @Test
    void anErrorQuotesThePacketThatItIsAbout() {
        SkBuff skb = datagram("10.0.0.2", "10.0.0.1", 1000);
        byte[] offender = Packets.bytes(skb);
        arrive(skb);
        byte[] error = wire.packets.getFirst();
        assertThat(error).hasSize(576);
        MemorySegment memory = wire.last();
        assertThat(Gid.ofIpv4(Ipv4.source(memory, 0))).isEqualTo(ip("10.0.0.1"));
        assertThat(Gid.ofIpv4(Ipv4.destination(memory, 0))).isEqualTo(ip("10.0.0.2"));
        assertThat(Icmp.type(memory, Ipv4.BYTES)).isEqualTo(Icmp.DESTINATION_UNREACHABLE);
        assertThat(Icmp.code(memory, Ipv4.BYTES)).isEqualTo(3);
        assertThat(Arrays.copyOfRange(error, 28, 576)).isEqualTo(Arrays.copyOf(offender, 548));
        int sum = InternetChecksum.add(0, memory, Ipv4.BYTES, 556, false);
        assertThat(InternetChecksum.of(sum)).isZero();
    }

    @Test
    void anErrorOfIpv6FitsEveryLink() {
        SkBuff skb = datagram("fd00::2", "fd00::1", 1400);
        // An endpoint's datagram needs a checksum. Without a UDP receiver, this one reaches none either way.
        stack.input().protocols(false).remove(Ipv6.NEXT_HEADER_UDP);
        arrive(skb);
        MemorySegment memory = wire.last();
        assertThat(memory.byteSize()).isEqualTo(1280);
        assertThat(Icmpv6.type(memory, Ipv6.BYTES)).isEqualTo(Icmpv6.PARAMETER_PROBLEM);
        assertThat(Icmpv6.code(memory, Ipv6.BYTES)).isEqualTo(1);
        assertThat(Icmp.rest(memory, Ipv6.BYTES))
                .as("where the next header is named")
                .isEqualTo(6);
        assertThat(Icmpv6.isIntact(memory, 0, Ipv6.BYTES, 1240)).isTrue();
    }

    @Test
    void aProtocolThatNobodyKnowsIsRefused() {
        SkBuff skb = datagram("10.0.0.2", "10.0.0.1", 10);
        skb.memory().set(ValueLayout.JAVA_BYTE, skb.data() + 9L, (byte) 132);
        Ipv4.updateChecksum(skb.memory(), skb.data());
        arrive(skb);
        assertThat(Icmp.code(wire.last(), Ipv4.BYTES)).isEqualTo(2);
        assertThat(stack.counters().get(true, SnmpCounter.IN_UNKNOWN_PROTOS)).isEqualTo(1);
    }

    private void assertSilent(String from, String to, Consumer<SkBuff> change) {
        SkBuff skb = datagram(from, to, 100);
        change.accept(skb);
        if (ip(to).isIpv4()) {
            Ipv4.updateChecksum(skb.memory(), skb.data());
        }
        arrive(skb);
        assertThat(wire.packets).isEmpty();
    }

    @Test
    void nobodyIsToldOfPacketsToManyFromNobodyOrInLaterPieces() {
        assertSilent("10.0.0.2", "10.0.0.1", skb -> skb.meta().packetType(PacketType.BROADCAST));
        assertSilent("10.0.0.2", "10.0.0.1", skb -> skb.meta().packetType(PacketType.MULTICAST));
        assertSilent("10.0.0.2", "224.0.0.5", skb -> {});
        assertSilent("10.0.0.2", "10.0.0.255", skb -> {});
        assertSilent("10.0.0.2", "255.255.255.255", skb -> {});
        assertSilent("0.0.0.0", "10.0.0.1", skb -> {});
        assertSilent("224.0.0.5", "10.0.0.1", skb -> {});
        assertSilent("255.255.255.255", "10.0.0.1", skb -> {});
        assertSilent("::", "fd00::1", skb -> {});
        assertSilent("ff02::5", "fd00::1", skb -> {});
        assertSilent("fd00::2", "ff02::1", skb -> {});
        stack.setForwarding(true);
        assertSilent("10.0.0.2", "192.0.2.1", skb -> Ipv4.fragment(skb.memory(), skb.data(), 100));
    }

    private byte[] icmp(boolean isIpv4, int type, int hops) {
        byte[] bytes = new byte[(isIpv4 ? Ipv4.BYTES : Ipv6.BYTES) + Icmp.BYTES + 40];
        MemorySegment memory = MemorySegment.ofArray(bytes);
        if (isIpv4) {
            int to = ip("192.0.2.1").ipv4();
            Ipv4.write(
                    memory,
                    0,
                    bytes.length,
                    0,
                    0,
                    hops,
                    Icmp.PROTOCOL,
                    ip("10.0.0.2").ipv4(),
                    to);
            Icmp.write(memory, Ipv4.BYTES, type, 0, 0);
        } else {
            Gid from = ip("fd00::2");
            Gid to = ip("fd09::1");
            Ipv6.write(
                    memory,
                    0,
                    0,
                    0,
                    bytes.length - Ipv6.BYTES,
                    Icmpv6.NEXT_HEADER,
                    hops,
                    from.prefix(),
                    from.interfaceId(),
                    to.prefix(),
                    to.interfaceId());
            Icmp.write(memory, Ipv6.BYTES, type, 0, 0);
        }
        return bytes;
    }

    /** The host is a router without a route for the packet. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nobodyIsToldOfErrorsInErrors(boolean isIpv4) {
        stack.setForwarding(true);
        int[] errors = isIpv4 ? new int[] {3, 4, 5, 11, 12} : new int[] {1, 2, 3, 4, 100, 127};
        for (int type : errors) {
            arrive(packet(icmp(isIpv4, type, 64)));
        }
        assertThat(wire.packets).isEmpty();
        arrive(packet(icmp(isIpv4, PingEndpoint.requestType(isIpv4), 64)));
        assertThat(wire.packets).hasSize(1);
    }

    @Test
    void errorsAreLimitedButThoseThatTellTheMtu() {
        WireTap far = new WireTap("eth1", 3, 600, "10.1.0.1/24");
        stack.add(far.device);
        stack.setForwarding(true);
        for (int i = 0; i < 100; i++) {
            arrive(datagram("10.0.0.2", "10.0.0.1", 10));
        }
        int burst = IpSettings.DEFAULT.errorBurst();
        assertThat(wire.packets).hasSize(burst);
        assertThat(stack.counters().get(SnmpCounter.ICMP_OUT_ERRORS)).isEqualTo(100L - burst);
        arrive(datagram("10.0.0.2", "10.1.0.2", 1000));
        assertThat(Icmp.code(wire.last(), Ipv4.BYTES)).isEqualTo(4);
        assertThat(Icmp.rest(wire.last(), Ipv4.BYTES)).isEqualTo(600);
        nowNs += TimeUnit.MILLISECONDS.toNanos(5);
        for (int i = 0; i < 100; i++) {
            arrive(datagram("10.0.0.2", "10.0.0.1", 10));
        }
        assertThat(wire.packets).hasSize(burst + 1 + 5);
    }

    @Test
    void aQuestionToAllIsAnsweredInIpv6Only() {
        byte[] request = icmp(true, Icmp.ECHO_REQUEST, 64);
        MemorySegment memory = MemorySegment.ofArray(request);
        Ipv4.write(
                memory,
                0,
                request.length,
                0,
                0,
                1,
                Icmp.PROTOCOL,
                ip("10.0.0.2").ipv4(),
                ip("224.0.0.1").ipv4());
        Icmp.checksum(memory, Ipv4.BYTES, InternetChecksum.of(InternetChecksum.add(0, memory, 20, 48, false)));
        arrive(packet(request));
        assertThat(wire.packets).isEmpty();
        assertThat(stack.counters().get(true, SnmpCounter.ICMP_IN_ECHOS)).isEqualTo(1);

        byte[] request6 = icmp(false, Icmpv6.ECHO_REQUEST, 64);
        MemorySegment memory6 = MemorySegment.ofArray(request6);
        memory6.set(ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), 24, 0xFF02L << 48);
        Icmpv6.updateChecksum(memory6, 0, Ipv6.BYTES, 48);
        arrive(packet(request6));
        assertThat(wire.packets).hasSize(1);
        assertThat(Ipv6.source(wire.last(), 0)).isEqualTo(ip("fd00::1"));
    }

    @Test
    void aWrongChecksumIsCounted() {
        byte[] request = icmp(true, Icmp.ECHO_REQUEST, 64);
        MemorySegment memory = MemorySegment.ofArray(request);
        Ipv4.write(
                memory,
                0,
                request.length,
                0,
                0,
                1,
                Icmp.PROTOCOL,
                ip("10.0.0.2").ipv4(),
                ip("10.0.0.1").ipv4());
        arrive(packet(request));
        assertThat(wire.packets).isEmpty();
        assertThat(stack.counters().get(SnmpCounter.ICMP_IN_CSUM_ERRORS)).isEqualTo(1);
    }

    /** An attacker that guesses a destination must not be able to reduce its path MTU, or to fail its endpoint. */
    @Test
    void anErrorAboutAPacketThatWeCannotHaveSentChangesNothing() {
        SkBuff never = datagram("10.0.0.9", "10.0.0.2", 20);
        byte[] quoted = Packets.bytes(never);
        never.free();
        byte[] error = new byte[28 + quoted.length];
        MemorySegment memory = MemorySegment.ofArray(error);
        Ipv4.write(
                memory,
                0,
                error.length,
                0,
                0,
                9,
                Icmp.PROTOCOL,
                ip("10.0.0.3").ipv4(),
                ip("10.0.0.1").ipv4());
        Icmp.write(memory, 20, Icmp.DESTINATION_UNREACHABLE, 4, 600);
        System.arraycopy(quoted, 0, error, 28, quoted.length);
        int sum = InternetChecksum.add(0, memory, 20, error.length - 20, false);
        Icmp.checksum(memory, 20, InternetChecksum.of(sum));
        arrive(packet(error));
        assertThat(stack.destinations().find(ip("10.0.0.2")).mtu(nowNs)).isEqualTo(1500);
        assertThat(stack.counters().get(SnmpCounter.ICMP_IN_ERRORS)).isEqualTo(1);
    }
}
