package io.rdma4j.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.packet.PacketOffload;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Ipv6;
import io.rdma4j.wire.Udp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UdpInputTest {
    private static final int PORT = 4791;
    private static final int ICMPV6 = 58;
    private static final byte[] PAYLOAD = Packets.random(40, 3);

    private final SkBuffPool pool = new SkBuffPool(2, 512);
    private final UdpInput input = new UdpInput();
    private final List<byte[]> received = new ArrayList<>();

    @BeforeEach
    void listen() {
        input.register(PORT, skb -> {
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
        input.register(9, skb -> {
            int ipBytes = gid.isIpv4() ? Ipv4.BYTES : Ipv6.BYTES;
            assertThat(skb.transportHeader() - skb.networkHeader()).isEqualTo(ipBytes);
            assertThat(skb.data() - skb.transportHeader()).isEqualTo(Udp.BYTES);
            assertThat(sourceOf(skb)).isEqualTo(gid);
            assertThat(Udp.sourcePort(skb.memory(), skb.transportHeader())).isEqualTo(7);
            assertThat(skb.protocol()).isEqualTo(gid.isIpv4() ? 0x0800 : 0x86DD);
            received.add(Packets.bytes(skb));
            skb.free();
        });
        input.receive(Packets.udp(pool, gid, 7, gid, 9, PAYLOAD));
        assertThat(received).containsExactly(PAYLOAD);
        assertThat(input.delivered()).isEqualTo(1);
    }

    private static Gid sourceOf(SkBuff skb) {
        return skb.protocol() == EtherType.IPV4
                ? Gid.ofIpv4(Ipv4.source(skb.memory(), skb.networkHeader()))
                : Ipv6.source(skb.memory(), skb.networkHeader());
    }

    @Test
    void anotherProtocolHasItsOwnReceiver() {
        input.registerProtocol(ICMPV6, skb -> {
            assertThat(skb.data()).isEqualTo(skb.transportHeader());
            assertThat(skb.transportHeader() - skb.networkHeader()).isEqualTo(Ipv6.BYTES);
            received.add(Packets.bytes(skb));
            skb.free();
        });
        SkBuff skb = Packets.udp(pool, Gid.parse("fd00::1"), 7, Gid.parse("fd00::1"), PORT, PAYLOAD);
        skb.memory().set(ValueLayout.JAVA_BYTE, skb.data() + 6L, (byte) ICMPV6);
        input.receive(skb);
        assertThat(received).hasSize(1);
        assertThat(received.getFirst()).hasSize(Udp.BYTES + PAYLOAD.length).endsWith(PAYLOAD);
        assertThat(input.notUdp()).isZero();
        assertThat(input.delivered()).isZero();
    }

    @Test
    void aProtocolHasOneReceiver() {
        input.registerProtocol(ICMPV6, SkBuff::free);
        for (int protocol : new int[] {ICMPV6, Ipv4.PROTOCOL_UDP}) {
            assertThatThrownBy(() -> input.registerProtocol(protocol, SkBuff::free))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
        }
    }

    @Test
    void bytesBehindThePacketAreCutOff() {
        SkBuff skb = ipv4();
        skb.put(18);
        input.receive(skb);
        assertThat(received).containsExactly(PAYLOAD);
    }

    @Test
    void bytesBetweenUdpEndAndIpEndAreCutOff() {
        SkBuff skb = ipv4();
        Udp.length(skb.memory(), skb.data() + (long) Ipv4.BYTES, Udp.BYTES + 30);
        input.receive(skb);
        assertThat(received.getFirst()).hasSize(30);
    }

    @Test
    void datagramToAnotherPortOnlyCounts() {
        Gid gid = Gid.parse("10.0.0.1");
        input.receive(Packets.udp(pool, gid, 7, gid, PORT + 1, PAYLOAD));
        assertThat(input.noPort()).isEqualTo(1);
        assertThat(received).isEmpty();
    }

    @Test
    void otherProtocolOnlyCounts() {
        SkBuff skb = ipv4();
        skb.memory().set(ValueLayout.JAVA_BYTE, skb.data() + 9L, (byte) 6);
        input.receive(skb);
        assertThat(input.notUdp()).isEqualTo(1);
    }

    @Test
    void everyTruncationIsMalformed() {
        for (String address : List.of("10.0.0.1", "fd00::1")) {
            Gid gid = Gid.parse(address);
            int whole = (gid.isIpv4() ? Ipv4.BYTES : Ipv6.BYTES) + Udp.BYTES + PAYLOAD.length;
            for (int length = 0; length < whole; length++) {
                SkBuff skb = Packets.udp(pool, gid, 7, gid, PORT, PAYLOAD);
                skb.trim(length);
                long before = input.malformed();
                input.receive(skb);
                assertThat(input.malformed()).isEqualTo(before + 1);
            }
        }
        assertThat(received).isEmpty();
    }

    @Test
    void fragmentsOptionsAndUnknownVersionsAreMalformed() {
        SkBuff fragment = ipv4();
        fragment.memory().set(ValueLayout.JAVA_BYTE, fragment.data() + 6L, (byte) 0x20);
        input.receive(fragment);
        SkBuff options = ipv4();
        options.memory().set(ValueLayout.JAVA_BYTE, options.data(), (byte) 0x46);
        input.receive(options);
        SkBuff version = ipv4();
        version.memory().set(ValueLayout.JAVA_BYTE, version.data(), (byte) 0x55);
        input.receive(version);
        assertThat(input.malformed()).isEqualTo(3);
    }

    @Test
    void headersInFragmentsAreMalformed() {
        try (Arena arena = Arena.ofConfined()) {
            SkBuff skb = Packets.allocate(pool);
            skb.addFrag(arena.allocate(100), 0, 100);
            input.receive(skb);
            assertThat(input.malformed()).isEqualTo(1);
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
        skb.offload(trailer);
        input.receive(skb);
        assertThat(received).hasSize(1);
        assertThat(received.getFirst()).hasSize(20);

        SkBuff wrong = Packets.allocate(pool);
        wrong.reserve(64);
        wrong.put(20);
        Packets.pushHeaders(wrong, gid, 1, gid, PORT, 20);
        wrong.offload(trailer);
        input.receive(wrong);
        assertThat(input.malformed()).isEqualTo(1);
    }

    @Test
    void portsAreCheckedAndTakenOnce() {
        assertThatThrownBy(() -> input.register(0, SkBuff::free)).isInstanceOf(RdmaException.class);
        assertThatThrownBy(() -> input.register(65_536, SkBuff::free)).isInstanceOf(RdmaException.class);
        assertThatThrownBy(() -> input.register(PORT, SkBuff::free))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE));
    }

    /** Garbage, and good packets with a few bytes changed: no exception, no buffer lost, every packet counted once. */
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
            input.receive(skb);
        }
        assertThat(input.delivered() + input.malformed() + input.notUdp() + input.noPort())
                .isEqualTo(rounds);
        assertThat(input.delivered()).isGreaterThan(rounds / 4).isEqualTo(received.size());
        assertThat(input.malformed()).isGreaterThan(rounds / 8);
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
