// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.LoopbackDevice;
import io.rdma4j.net.skb.EtherType;
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
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UdpInputTest {
    private static final int PORT = 4791;
    private static final int SCTP = 132;
    private static final byte[] PAYLOAD = Packets.random(40, 3);

    private final SkBuffPool pool = new SkBuffPool(2, 512);
    private final NetDevice device =
            LoopbackDevice.create("lo", 1, List.of(Gid.parse("10.0.0.1"), Gid.parse("fd00::1")), 1);
    private final IpStack stack = new IpStack(IpSettings.DEFAULT, () -> 0);
    private final IpInterface ip = stack.add(device);
    private final List<byte[]> received = new ArrayList<>();

    @BeforeEach
    void listen() {
        stack.udp().register(PORT, skb -> {
            received.add(Packets.bytes(skb));
            skb.free();
        });
    }

    @AfterEach
    void everyBufferIsFree() {
        assertThat(pool.available()).isEqualTo(2);
        pool.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.1", "fd00::1"})
    @Covers({"SKB-53", "SKB-85"})
    void datagramReachesTheHandlerOfItsPortWithHeadersMarked(String address) {
        Gid gid = Gid.parse(address);
        stack.udp().register(9, skb -> {
            int ipBytes = gid.isIpv4() ? Ipv4.BYTES : Ipv6.BYTES;
            assertThat(skb.transportHeader() - skb.networkHeader()).isEqualTo(ipBytes);
            assertThat(skb.data() - skb.transportHeader()).isEqualTo(Udp.BYTES);
            assertThat(sourceOf(skb)).isEqualTo(gid);
            assertThat(Udp.sourcePort(skb.memory(), skb.transportHeader())).isEqualTo(7);
            assertThat(skb.meta().protocol()).isEqualTo(gid.isIpv4() ? 0x0800 : 0x86DD);
            received.add(Packets.bytes(skb));
            skb.free();
        });
        receive(Packets.udp(pool, gid, 7, gid, 9, PAYLOAD));
        assertThat(received).containsExactly(PAYLOAD);
        assertThat(count(SnmpCounter.UDP_IN_DATAGRAMS)).isEqualTo(1);
    }

    private void receive(SkBuff skb) {
        if (skb.headLen() > 0) {
            boolean isIpv4 = Ipv4.version(skb.memory(), skb.data()) == Ipv4.VERSION;
            skb.meta().protocol(isIpv4 ? EtherType.IPV4 : EtherType.IPV6);
        }
        skb.meta().device(device);
        stack.input().receive(skb, ip);
    }

    private long count(SnmpCounter counter) {
        return stack.counters().get(counter);
    }

    private long malformed() {
        return count(SnmpCounter.IN_HDR_ERRORS) + count(SnmpCounter.UDP_IN_ERRORS);
    }

    private static Gid sourceOf(SkBuff skb) {
        return skb.meta().protocol() == EtherType.IPV4
                ? Gid.ofIpv4(Ipv4.source(skb.memory(), skb.networkHeader()))
                : Ipv6.source(skb.memory(), skb.networkHeader());
    }

    @Test
    void anotherProtocolHasItsOwnReceiver() {
        stack.input().protocols(false).add(SCTP, skb -> {
            assertThat(skb.data()).isEqualTo(skb.transportHeader());
            assertThat(skb.transportHeader() - skb.networkHeader()).isEqualTo(Ipv6.BYTES);
            received.add(Packets.bytes(skb));
            skb.free();
        });
        SkBuff skb = Packets.udp(pool, Gid.parse("fd00::1"), 7, Gid.parse("fd00::1"), PORT, PAYLOAD);
        skb.memory().set(ValueLayout.JAVA_BYTE, skb.data() + 6L, (byte) SCTP);
        receive(skb);
        assertThat(received).hasSize(1);
        assertThat(received.getFirst()).hasSize(Udp.BYTES + PAYLOAD.length).endsWith(PAYLOAD);
        assertThat(count(SnmpCounter.IN_UNKNOWN_PROTOS)).isZero();
        assertThat(count(SnmpCounter.UDP_IN_DATAGRAMS)).isZero();
    }

    @Test
    void aProtocolHasOneReceiver() {
        stack.input().protocols(false).add(SCTP, SkBuff::free);
        for (int protocol : new int[] {SCTP, Ipv4.PROTOCOL_UDP}) {
            assertThatThrownBy(() -> stack.input().protocols(false).add(protocol, SkBuff::free))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
        }
    }

    @Test
    void bytesBehindThePacketAreCutOff() {
        SkBuff skb = ipv4();
        skb.put(18);
        receive(skb);
        assertThat(received).containsExactly(PAYLOAD);
    }

    @Test
    void bytesBetweenUdpEndAndIpEndAreCutOff() {
        SkBuff skb = ipv4();
        Udp.length(skb.memory(), skb.data() + (long) Ipv4.BYTES, Udp.BYTES + 30);
        receive(skb);
        assertThat(received.getFirst()).hasSize(30);
    }

    @Test
    void datagramToAnotherPortOnlyCounts() {
        Gid gid = Gid.parse("10.0.0.1");
        receive(Packets.udp(pool, gid, 7, gid, PORT + 1, PAYLOAD));
        assertThat(count(SnmpCounter.UDP_NO_PORTS)).isEqualTo(1);
        assertThat(received).isEmpty();
    }

    @Test
    void otherProtocolOnlyCounts() {
        SkBuff skb = ipv4();
        skb.memory().set(ValueLayout.JAVA_BYTE, skb.data() + 9L, (byte) 6);
        Ipv4.updateChecksum(skb.memory(), skb.data());
        receive(skb);
        assertThat(count(SnmpCounter.IN_UNKNOWN_PROTOS)).isEqualTo(1);
    }

    @Test
    void everyTruncationIsMalformed() {
        for (String address : List.of("10.0.0.1", "fd00::1")) {
            Gid gid = Gid.parse(address);
            int whole = (gid.isIpv4() ? Ipv4.BYTES : Ipv6.BYTES) + Udp.BYTES + PAYLOAD.length;
            for (int length = 0; length < whole; length++) {
                SkBuff skb = Packets.udp(pool, gid, 7, gid, PORT, PAYLOAD);
                skb.trim(length);
                long before = malformed();
                receive(skb);
                assertThat(malformed()).isEqualTo(before + 1);
            }
        }
        assertThat(received).isEmpty();
    }

    @Test
    void fragmentsOptionsAndUnknownVersionsAreMalformed() {
        SkBuff fragment = ipv4();
        fragment.memory().set(ValueLayout.JAVA_BYTE, fragment.data() + 6L, (byte) 0x20);
        receive(fragment);
        SkBuff options = ipv4();
        options.memory().set(ValueLayout.JAVA_BYTE, options.data(), (byte) 0x46);
        receive(options);
        SkBuff version = ipv4();
        version.memory().set(ValueLayout.JAVA_BYTE, version.data(), (byte) 0x55);
        receive(version);
        assertThat(malformed()).isEqualTo(3);
    }

    @Test
    void headersInFragmentsAreMalformed() {
        try (Arena arena = Arena.ofConfined()) {
            SkBuff skb = Packets.allocate(pool);
            skb.addFrag(arena.allocate(100), 0, 100);
            receive(skb);
            assertThat(malformed()).isEqualTo(1);
        }
    }

    @Test
    void unfinishedPacketMustHaveTheLengthThatItsOffloadWillMake() {
        Gid gid = Gid.parse("10.0.0.1");
        PacketOffload trailer = new FourByteTrailer();
        SkBuff skb = Packets.allocate(pool);
        skb.reserve(64);
        skb.put(20);
        Packets.pushHeaders(skb, gid, 1, gid, PORT, 24);
        skb.shinfo().offload(trailer);
        receive(skb);
        assertThat(received).hasSize(1);
        assertThat(received.getFirst()).hasSize(20);

        SkBuff wrong = Packets.allocate(pool);
        wrong.reserve(64);
        wrong.put(20);
        Packets.pushHeaders(wrong, gid, 1, gid, PORT, 20);
        wrong.shinfo().offload(trailer);
        receive(wrong);
        assertThat(malformed()).isEqualTo(1);
    }

    @Test
    void portsAreCheckedAndTakenOnce() {
        assertThatThrownBy(() -> stack.udp().register(0, SkBuff::free)).isInstanceOf(RdmaException.class);
        assertThatThrownBy(() -> stack.udp().register(65_536, SkBuff::free)).isInstanceOf(RdmaException.class);
        assertThatThrownBy(() -> stack.udp().register(PORT, SkBuff::free))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE));
    }

    /**
     * Sends random bytes, and correct packets with a few changed bytes: no exception, no lost buffer, every packet
     * counted once.
     */
    @Test
    void arbitraryBytesOnlyCount() {
        SplittableRandom random = new SplittableRandom(11);
        Gid[] addresses = {Gid.parse("10.0.0.1"), Gid.parse("fd00::1")};
        int rounds = 200_000;
        for (int i = 0; i < rounds; i++) {
            SkBuff skb;
            if (random.nextInt(4) == 0) {
                skb = Packets.allocate(pool);
                skb.reserve(random.nextInt(64));
                int length = random.nextInt(200);
                int at = skb.put(length);
                byte[] garbage = new byte[length];
                random.nextBytes(garbage);
                MemorySegment.copy(garbage, 0, skb.memory(), ValueLayout.JAVA_BYTE, at, length);
            } else {
                Gid gid = addresses[random.nextInt(2)];
                skb = Packets.udp(pool, gid, 1, gid, PORT, PAYLOAD);
                for (int n = random.nextInt(4); n > 0; n--) {
                    long at = skb.data() + (long) random.nextInt(skb.len());
                    skb.memory().set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt());
                }
                skb.trim(random.nextInt(10) == 0 ? random.nextInt(skb.len()) : skb.len());
            }
            receive(skb);
        }
        long sum = Stream.of(
                        SnmpCounter.IN_HDR_ERRORS,
                        SnmpCounter.IN_ADDR_ERRORS,
                        SnmpCounter.IN_UNKNOWN_PROTOS,
                        SnmpCounter.IN_DELIVERS,
                        SnmpCounter.REASM_REQDS)
                .mapToLong(this::count)
                .sum();
        assertThat(sum).isEqualTo(rounds).isEqualTo(count(SnmpCounter.IN_RECEIVES));
        assertThat(count(SnmpCounter.UDP_IN_DATAGRAMS))
                .isGreaterThan(rounds / 4)
                .isEqualTo(received.size());
        assertThat(malformed()).isGreaterThan(rounds / 8);
    }

    private SkBuff ipv4() {
        Gid gid = Gid.parse("10.0.0.1");
        return Packets.udp(pool, gid, 7, gid, PORT, PAYLOAD);
    }

    private static final class FourByteTrailer implements PacketOffload {
        @Override
        public int segmentBytes(SkBuff train, int index) {
            return train.len() + 4;
        }

        @Override
        public boolean segment(SkBuff train, int index, SkBuff target) {
            throw new AssertionError("nobody builds this packet");
        }
    }
}
