// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import static io.rdma4j.ip.WireTap.ip;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.packet.ChecksumState;
import io.rdma4j.packet.PacketType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.wire.ip.Icmp;
import io.rdma4j.wire.ip.Icmpv6;
import io.rdma4j.wire.ip.Igmp;
import io.rdma4j.wire.ip.InternetChecksum;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Ipv6Fragment;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sends packets of all kinds with random errors: no exception, no lost buffer, and each packet is counted. */
class IpFuzzTest {
    private static final int PORT = 4791;
    private static final int BUFFERS = 8;
    private static final int ROUNDS = 100_000;
    private static final String[] IPV4 = {"10.0.0.1", "10.0.0.2", "10.1.0.7", "10.0.0.255", "224.0.0.1", "192.0.2.1"};
    private static final String[] IPV6 = {"fd00::1", "fd00::2", "fd01::7", "ff02::1", "ff02::1:ff00:1", "fd09::1"};
    private static final int[] PROTOCOLS = {
        Icmp.PROTOCOL,
        Igmp.PROTOCOL,
        Ipv4.PROTOCOL_UDP,
        Icmpv6.NEXT_HEADER,
        Ipv6Fragment.NEXT_HEADER,
        0,
        43,
        59,
        60,
        132
    };

    private final SkBuffPool pool = new SkBuffPool(BUFFERS, 2048);
    private final WireTap wire = new WireTap("eth0", 2, 1500, "10.0.0.1/24", "fd00::1/64");
    private final WireTap other = new WireTap("eth1", 3, 600, "10.1.0.1/24", "fd01::1/64");
    private long nowNs;
    private final IpStack stack = new IpStack(IpSettings.DEFAULT, () -> nowNs);
    private final IpInterface in = stack.add(wire.device);

    /** Uses a new seed for each run, and prints it if the test fails. */
    @Test
    void anything() {
        run(System.nanoTime());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void theSameAsBefore(long seed) {
        run(seed);
    }

    private void run(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        stack.add(other.device);
        stack.setForwarding(true);
        UdpEndpoint endpoint = stack.ports().bind(PORT);
        endpoint.connect(ip("10.0.0.2"), PORT);
        PingEndpoint ping = stack.openPing();
        try {
            for (int i = 0; i < ROUNDS; i++) {
                step(random);
                for (SkBuff skb = endpoint.receive(); skb != null; skb = endpoint.receive()) {
                    skb.free();
                }
                for (SkBuff skb = ping.receive(); skb != null; skb = ping.receive()) {
                    skb.free();
                }
                wire.packets.clear();
                other.packets.clear();
            }
            assertEachIsCounted();
        } catch (Throwable e) {
            throw new AssertionError("seed " + seed, e);
        } finally {
            stack.close();
        }
        assertThat(stack.buffersInUse()).isZero();
        assertThat(pool.available()).as("seed " + seed).isEqualTo(BUFFERS);
        pool.close();
    }

    private void assertEachIsCounted() {
        assertThat(count(SnmpCounter.IN_RECEIVES)).isEqualTo(ROUNDS);
        long ends = count(SnmpCounter.IN_HDR_ERRORS)
                + count(SnmpCounter.IN_ADDR_ERRORS)
                + count(SnmpCounter.IN_UNKNOWN_PROTOS)
                + count(SnmpCounter.IN_DISCARDS)
                + count(SnmpCounter.IN_NO_ROUTES)
                + count(SnmpCounter.IN_DELIVERS)
                + count(SnmpCounter.FORW_DATAGRAMS)
                + count(SnmpCounter.REASM_REQDS)
                + tooBig;
        // A reassembled packet is also delivered or dropped.
        assertThat(ends - ROUNDS).isBetween(0L, count(SnmpCounter.REASM_OKS));
        assertThat(count(SnmpCounter.IN_DELIVERS)).isGreaterThan(ROUNDS / 20);
        assertThat(count(SnmpCounter.FORW_DATAGRAMS)).isGreaterThan(ROUNDS / 100);
        assertThat(count(SnmpCounter.REASM_OKS)).isPositive();
    }

    private long tooBig;

    private long count(SnmpCounter counter) {
        return stack.counters().get(counter);
    }

    private void step(SplittableRandom random) {
        nowNs += random.nextLong(50_000_000);
        if (stack.nextDeadlineNs() - nowNs <= 0) {
            stack.onTimeout(nowNs);
        }
        SkBuff skb = Packets.allocate(pool);
        skb.reserve(random.nextBoolean() ? 64 : 0);
        byte[] bytes = packet(random);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, skb.memory(), skb.put(bytes.length), bytes.length);
        skb.meta().device(wire.device);
        skb.meta().packetType(random.nextInt(10) == 0 ? PacketType.values()[random.nextInt(4)] : PacketType.HOST);
        skb.meta().ipSummed(random.nextInt(4) == 0 ? ChecksumState.UNNECESSARY : ChecksumState.NONE);
        long failsBefore = count(SnmpCounter.FRAG_FAILS);
        stack.input().receive(skb, in);
        tooBig += count(SnmpCounter.FRAG_FAILS) - failsBefore;
    }

    private static byte[] packet(SplittableRandom random) {
        boolean isIpv4 = random.nextBoolean();
        byte[] bytes =
                new byte[(isIpv4 ? Ipv4.BYTES : Ipv6.BYTES) + random.nextInt(random.nextInt(8) == 0 ? 1400 : 100)];
        random.nextBytes(bytes);
        MemorySegment packet = MemorySegment.ofArray(bytes);
        int protocol = random.nextInt(20) == 0 ? random.nextInt(256) : PROTOCOLS[random.nextInt(PROTOCOLS.length)];
        int hops = random.nextInt(8) == 0 ? random.nextInt(256) : 1 + random.nextInt(2) * 254;
        int behind = isIpv4 ? Ipv4.BYTES : Ipv6.BYTES;
        if (isIpv4) {
            int from = ip(IPV4[random.nextInt(3)]).ipv4();
            int to = ip(IPV4[random.nextInt(IPV4.length)]).ipv4();
            Ipv4.write(packet, 0, bytes.length, random.nextInt(4), 0, hops, protocol, from, to);
            if (random.nextInt(3) == 0) {
                Ipv4.fragment(packet, 0, random.nextInt(3) | (random.nextBoolean() ? Ipv4.MORE_FRAGMENTS : 0));
                Ipv4.updateChecksum(packet, 0);
            }
        } else {
            Gid from = ip(IPV6[random.nextInt(3)]);
            Gid to = ip(IPV6[random.nextInt(IPV6.length)]);
            int length = bytes.length - Ipv6.BYTES;
            long high = from.prefix();
            Ipv6.write(
                    packet, 0, 0, 0, length, protocol, hops, high, from.interfaceId(), to.prefix(), to.interfaceId());
            behind = extensions(random, bytes, protocol);
        }
        payload(random, packet, isIpv4, behind);
        if (random.nextInt(4) == 0 && bytes.length > 0) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            if (isIpv4 && random.nextBoolean()) {
                int header = Math.min(Ipv4.headerBytes(packet, 0), bytes.length & ~3);
                if (header == Ipv4.headerBytes(packet, 0)) {
                    Ipv4.updateChecksum(packet, 0);
                }
            }
        }
        int cut = random.nextInt(10) == 0 ? random.nextInt(bytes.length + 1) : bytes.length;
        return Arrays.copyOf(bytes, cut);
    }

    /** Changes the bytes into extension headers that are nearly correct; returns where they may end. */
    private static int extensions(SplittableRandom random, byte[] bytes, int first) {
        int at = Ipv6.BYTES;
        int protocol = first;
        while ((protocol == 0 || protocol == 43 || protocol == 60 || protocol == 44) && at + 8 <= bytes.length) {
            int next = PROTOCOLS[random.nextInt(PROTOCOLS.length)];
            bytes[at] = (byte) next;
            if (protocol == 44) {
                MemorySegment memory = MemorySegment.ofArray(bytes);
                Ipv6Fragment.write(memory, at, next, random.nextInt(3), random.nextBoolean(), random.nextInt(4));
            } else {
                bytes[at + 1] = (byte) (random.nextInt(8) == 0 ? random.nextInt() : 0);
                bytes[at + 2] = (byte) (random.nextInt(3) == 0 ? random.nextInt() : 1);
                bytes[at + 3] = (byte) (random.nextInt(3) == 0 ? random.nextInt() : 4);
            }
            at += 8;
            protocol = next;
        }
        return at;
    }

    /** Sometimes makes the payload behind the headers valid, for a randomly chosen protocol. */
    private static void payload(SplittableRandom random, MemorySegment packet, boolean isIpv4, int at) {
        int length = (int) packet.byteSize() - at;
        if (length < Udp.BYTES || random.nextInt(4) == 0) {
            return;
        }
        switch (random.nextInt(3)) {
            case 0 -> Udp.write(packet, at, random.nextInt(1 << 16), PORT + random.nextInt(2), length);
            case 1 -> {
                int[] types =
                        isIpv4 ? new int[] {0, 3, 8, 11, 12} : new int[] {1, 2, 3, 4, 128, 129, 130, 131, 135, 136};
                Icmp.write(packet, at, types[random.nextInt(types.length)], random.nextInt(6), 1 << 16 | 700);
                quote(random, packet, isIpv4, at + Icmp.BYTES);
                if (isIpv4) {
                    Icmp.checksum(packet, at, InternetChecksum.of(InternetChecksum.add(0, packet, at, length, false)));
                } else {
                    Icmpv6.updateChecksum(packet, 0, at, length);
                }
            }
            default -> packet.set(ValueLayout.JAVA_BYTE, at, (byte) Igmp.QUERY);
        }
    }

    /** Quotes a packet in an ICMP error that this host might have sent. */
    private static void quote(SplittableRandom random, MemorySegment packet, boolean isIpv4, int at) {
        int left = (int) packet.byteSize() - at;
        int protocol = PROTOCOLS[random.nextInt(PROTOCOLS.length)];
        if (isIpv4 && left >= Ipv4.BYTES) {
            Ipv4.write(
                    packet,
                    at,
                    100,
                    0,
                    0,
                    9,
                    protocol,
                    ip("10.0.0.1").ipv4(),
                    ip("10.0.0.2").ipv4());
        } else if (!isIpv4 && left >= Ipv6.BYTES) {
            Gid from = ip("fd00::1");
            Gid to = ip("fd00::2");
            long high = from.prefix();
            Ipv6.write(packet, at, 0, 0, 100, protocol, 9, high, from.interfaceId(), to.prefix(), to.interfaceId());
        }
    }
}
