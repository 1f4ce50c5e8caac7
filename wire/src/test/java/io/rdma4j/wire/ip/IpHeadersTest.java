// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** IPv4, IPv6 and UDP against bytes written by hand. */
class IpHeadersTest {
    private final MemorySegment buffer = Arena.ofAuto().allocate(64).fill((byte) 0xA5);

    @Test
    void ipv4IsWrittenWithDontFragmentAndChecksum() {
        Ipv4.write(buffer, 3, 64, 0x0478, 1, 64, Ipv4.PROTOCOL_UDP, 0xC0A8_0007, 0xC0A8_0008);
        assertThat(hex(3, Ipv4.BYTES)).isEqualTo("45010040047840004011b4d4c0a80007c0a80008");
        assertThat(Ipv4.version(buffer, 3)).isEqualTo(4);
        assertThat(Ipv4.headerBytes(buffer, 3)).isEqualTo(20);
        assertThat(Ipv4.typeOfService(buffer, 3)).isEqualTo(1);
        assertThat(Ipv4.totalLength(buffer, 3)).isEqualTo(64);
        assertThat(Ipv4.identification(buffer, 3)).isEqualTo(0x0478);
        assertThat(Ipv4.dontFragment(buffer, 3)).isTrue();
        assertThat(Ipv4.isFragment(buffer, 3)).isFalse();
        assertThat(Ipv4.timeToLive(buffer, 3)).isEqualTo(64);
        assertThat(Ipv4.protocol(buffer, 3)).isEqualTo(17);
        assertThat(Ipv4.source(buffer, 3)).isEqualTo(0xC0A8_0007);
        assertThat(Ipv4.destination(buffer, 3)).isEqualTo(0xC0A8_0008);
        assertThat(Ipv4.format(buffer, 3)).startsWith("IPv4 192.168.0.7 > 192.168.0.8 len 64 id 1144");
    }

    @Test
    void whatDoesNotFitIntoAFieldOfIpv4LeavesItsNeighboursAlone() {
        Ipv4.write(buffer, 0, 0xFFFF_0040, 0xFFFF_0478, 0xFFFF_FF01, 0xFFFF_FF40, 0xFFFF_FF11, -1, -2);
        assertThat(hex(0, 10)).isEqualTo("45010040047840004011");
        assertThat(hex(12, 8)).isEqualTo("fffffffffffffffe");
        assertThat(Ipv4.isIntact(buffer, 0)).isTrue();
        Udp.write(buffer, 0, 0xFFFF_C000, 0xFFFF_12B7, 0xFFFF_0040);
        assertThat(hex(0, Udp.BYTES)).isEqualTo("c00012b700400000");
    }

    @Test
    void whereAnIpv4PacketGoesIsToldByBothAddresses() {
        Ipv4.write(buffer, 1, 64, 0, 0, 64, Ipv4.PROTOCOL_UDP, 0xC0A8_0007, 0xFFFF_FFFE);
        assertThat(Ipv4.isBetween(buffer, 1, 0xC0A8_0007, 0xFFFF_FFFE)).isTrue();
        assertThat(Ipv4.isBetween(buffer, 1, 0xC0A8_0006, 0xFFFF_FFFE)).isFalse();
        assertThat(Ipv4.isBetween(buffer, 1, 0xC0A8_0007, 0xFFFF_FFFF)).isFalse();
        assertThat(Ipv4.isBetween(buffer, 1, 0xFFFF_FFFE, 0xC0A8_0007)).isFalse();
    }

    @Test
    void anIpv4HeaderWithOptionsIsNotPlain() {
        Ipv4.write(buffer, 0, 64, 0, 0, 64, Ipv4.PROTOCOL_UDP, 1, 2);
        assertThat(Ipv4.isPlain(buffer, 0)).isTrue();
        Ipv4.alertRouters(buffer, 0);
        assertThat(Ipv4.isPlain(buffer, 0)).isFalse();
        BigEndian.put8(buffer, 0, Ipv6.VERSION << 4 | Ipv4.BYTES / 4);
        assertThat(Ipv4.isPlain(buffer, 0)).isFalse();
    }

    @Test
    void ipv4ChecksumFollowsAChangedField() {
        Ipv4.write(buffer, 0, 64, 0x0478, 1, 64, Ipv4.PROTOCOL_UDP, 0xC0A8_0007, 0xC0A8_0008);
        Ipv4.identification(buffer, 0, 0x0479);
        Ipv4.totalLength(buffer, 0, 65);
        assertThat(Ipv4.storedChecksum(buffer, 0)).isNotEqualTo(Ipv4.checksum(buffer, 0));
        Ipv4.updateChecksum(buffer, 0);
        assertThat(Ipv4.storedChecksum(buffer, 0)).isEqualTo(0xB4D4 - 2);
    }

    @Test
    void ipv4ChecksumFoldsItsCarriesTwice() {
        // The words add up to 0x4FFFC; one fold gives 0x10000, the second 1.
        buffer.asSlice(0, 20)
                .copyFrom(MemorySegment.ofArray(HexFormat.of().parseHex("4500ffffffffbb0000000000ffffffff00000000")));
        assertThat(Ipv4.checksum(buffer, 0)).isEqualTo(0xFFFE);
    }

    @Test
    void aPieceOfAnIpv4DatagramIsSeenByEitherSign() {
        Ipv4.write(buffer, 0, 120, 0, 0, 64, Ipv4.PROTOCOL_UDP, 1, 2);
        BigEndian.put16(buffer, Ipv4.FRAGMENT, Ipv4.MORE_FRAGMENTS);
        assertThat(Ipv4.isFragment(buffer, 0)).isTrue();
        BigEndian.put16(buffer, Ipv4.FRAGMENT, 1);
        assertThat(Ipv4.isFragment(buffer, 0)).isTrue();
        assertThat(Ipv4.dontFragment(buffer, 0)).isFalse();
    }

    @Test
    void ipv6IsWrittenFieldByField() {
        Gid from = Gid.parse("2022::1023");
        Gid to = Gid.parse("2023::1024");
        Ipv6.write(
                buffer,
                1,
                0xE2,
                0x1FACE,
                44,
                Ipv6.NEXT_HEADER_UDP,
                255,
                from.prefix(),
                from.interfaceId(),
                to.prefix(),
                to.interfaceId());
        assertThat(hex(1, Ipv6.BYTES))
                .isEqualTo(
                        "6e21face002c11ff" + "20220000000000000000000000001023" + "20230000000000000000000000001024");
        assertThat(Ipv6.version(buffer, 1)).isEqualTo(6);
        assertThat(Ipv6.trafficClass(buffer, 1)).isEqualTo(0xE2);
        assertThat(Ipv6.flowLabel(buffer, 1)).isEqualTo(0x1FACE);
        assertThat(Ipv6.payloadLength(buffer, 1)).isEqualTo(44);
        assertThat(Ipv6.nextHeader(buffer, 1)).isEqualTo(17);
        assertThat(Ipv6.hopLimit(buffer, 1)).isEqualTo(255);
        assertThat(Ipv6.source(buffer, 1)).isEqualTo(from);
        assertThat(Ipv6.destination(buffer, 1)).isEqualTo(to);
        assertThat(Ipv6.format(buffer, 1)).startsWith("IPv6 2022::1023 > 2023::1024 len 44");
        Ipv6.payloadLength(buffer, 1, 45);
        assertThat(hex(5, 2)).isEqualTo("002d");
    }

    @Test
    void udpIsWrittenWithoutChecksum() {
        Udp.write(buffer, 7, 0xC000, Udp.ROCE_V2_PORT, 44);
        assertThat(hex(7, Udp.BYTES)).isEqualTo("c00012b7002c0000");
        assertThat(Udp.sourcePort(buffer, 7)).isEqualTo(0xC000);
        assertThat(Udp.destinationPort(buffer, 7)).isEqualTo(4791);
        assertThat(Udp.length(buffer, 7)).isEqualTo(44);
        Udp.length(buffer, 7, 45);
        Udp.checksum(buffer, 7, 0xACA2);
        assertThat(hex(7, Udp.BYTES)).isEqualTo("c00012b7002daca2");
        assertThat(Udp.checksum(buffer, 7)).isEqualTo(0xACA2);
        assertThat(Udp.format(buffer, 7)).isEqualTo("UDP 49152 > 4791 len 45");
    }

    private String hex(long offset, long bytes) {
        return HexFormat.of().formatHex(buffer.asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE));
    }
}
