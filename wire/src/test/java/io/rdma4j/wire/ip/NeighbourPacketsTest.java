// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.base.MacAddress;
import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** ARP and neighbour discovery against bytes written by hand. */
class NeighbourPacketsTest {
    private static final long LINK = MacAddress.parse("52:54:00:77:00:01");
    private static final Gid FROM = Gid.parse("fe80::1");
    private static final Gid TARGET = Gid.parse("fe80::2");
    private static final Gid GROUP = Gid.parse("ff02::1:ff00:2");

    /** Bytes of the whole solicitation: IPv6 header, message, link address. */
    private static final String SOLICITATION = "6000000000203afffe800000000000000000000000000001"
            + "ff0200000000000000000001ff000002"
            + "870029cc00000000fe800000000000000000000000000002"
            + "0101525400770001";

    private final MemorySegment buffer = Arena.ofAuto().allocate(128).fill((byte) 0xA5);

    @Test
    void arpIsWrittenForIpv4OverEthernet() {
        Arp.write(buffer, 3, Arp.REQUEST, LINK, 0x0A00_0001, 0, 0x0A00_0002);
        assertThat(hex(3, Arp.BYTES)).isEqualTo("00010800060400015254007700010a0000010000000000000a000002");
        assertThat(Arp.isIpv4OverEthernet(buffer, 3)).isTrue();
        assertThat(Arp.operation(buffer, 3)).isEqualTo(1);
        assertThat(Arp.senderLink(buffer, 3)).isEqualTo(LINK);
        assertThat(Arp.sender(buffer, 3, 6)).isEqualTo(0x0A00_0001);
        assertThat(Arp.targetLink(buffer, 3)).isZero();
        assertThat(Arp.target(buffer, 3, 6)).isEqualTo(0x0A00_0002);
        assertThat(Arp.format(buffer, 3)).isEqualTo("ARP who has 10.0.0.2? tell 10.0.0.1");
        Arp.write(buffer, 3, Arp.REPLY, LINK, 0x0A00_0001, LINK + 1, 0x0A00_0002);
        assertThat(Arp.targetLink(buffer, 3)).isEqualTo(LINK + 1);
        assertThat(Arp.format(buffer, 3)).isEqualTo("ARP 10.0.0.1 is at 52:54:00:77:00:01");
    }

    @Test
    void arpOfOtherLinksOrProtocolsIsTold() {
        for (int at : new int[] {0, 2, 4, 5}) {
            Arp.write(buffer, 0, Arp.REQUEST, LINK, 1, 0, 2);
            BigEndian.put8(buffer, at, 7);
            assertThat(Arp.isIpv4OverEthernet(buffer, 0)).isFalse();
        }
    }

    @Test
    void aSolicitationIsWrittenWithLinkAddressAndChecksum() {
        solicitation();
        assertThat(hex(0, 72)).isEqualTo(SOLICITATION);
        assertThat(Icmpv6.type(buffer, 40)).isEqualTo(135);
        assertThat(Icmpv6.code(buffer, 40)).isZero();
        assertThat(Icmpv6.isIntact(buffer, 0, 40, 32)).isTrue();
        assertThat(NeighbourMessage.targetPrefix(buffer, 40)).isEqualTo(TARGET.prefix());
        assertThat(NeighbourMessage.targetInterfaceId(buffer, 40)).isEqualTo(TARGET.interfaceId());
        assertThat(NeighbourMessage.isSolicited(buffer, 40)).isFalse();
        assertThat(NeighbourMessage.overrides(buffer, 40)).isFalse();
        assertThat(NeighbourMessage.format(buffer, 40)).isEqualTo("ND who has fe80::2");
        BigEndian.put8(buffer, 70, 0x5A);
        assertThat(Icmpv6.isIntact(buffer, 0, 40, 32)).isFalse();
    }

    @Test
    void anAdvertisementHasFlags() {
        NeighbourMessage.write(
                buffer,
                0,
                Icmpv6.NEIGHBOUR_ADVERTISEMENT,
                NeighbourMessage.SOLICITED | NeighbourMessage.OVERRIDE,
                TARGET.prefix(),
                TARGET.interfaceId(),
                NeighbourMessage.TARGET_LINK,
                LINK);
        assertThat(hex(0, 8)).isEqualTo("8800000060000000");
        assertThat(NeighbourMessage.isSolicited(buffer, 0)).isTrue();
        assertThat(NeighbourMessage.overrides(buffer, 0)).isTrue();
        assertThat(NeighbourMessage.format(buffer, 0)).isEqualTo("ND fe80::2 is here solicited override");
    }

    @Test
    void theFirstLinkAddressOfItsKindIsFoundAmongOptions() {
        solicitation();
        assertThat(NeighbourMessage.link(buffer, 40, 32, NeighbourMessage.SOURCE_LINK))
                .isEqualTo(LINK);
        assertThat(NeighbourMessage.link(buffer, 40, 32, NeighbourMessage.TARGET_LINK))
                .isEqualTo(NeighbourMessage.NO_LINK);
        // An unknown option of 16 bytes before the link address.
        MemorySegment.copy(buffer, 64, buffer, 80, 8);
        BigEndian.put16(buffer, 64, 0x0E02);
        assertThat(NeighbourMessage.link(buffer, 40, 48, NeighbourMessage.SOURCE_LINK))
                .isEqualTo(LINK);
    }

    @Test
    void optionsThatContradictTheirLengthsAreMalformed() {
        solicitation();
        assertThat(NeighbourMessage.link(buffer, 40, 31, NeighbourMessage.SOURCE_LINK))
                .isEqualTo(NeighbourMessage.MALFORMED);
        assertThat(NeighbourMessage.link(buffer, 40, 25, NeighbourMessage.SOURCE_LINK))
                .isEqualTo(NeighbourMessage.MALFORMED);
        BigEndian.put8(buffer, 65, 0);
        assertThat(NeighbourMessage.link(buffer, 40, 32, NeighbourMessage.SOURCE_LINK))
                .isEqualTo(NeighbourMessage.MALFORMED);
    }

    private void solicitation() {
        Ipv6.write(
                buffer,
                0,
                0,
                0,
                32,
                Icmpv6.NEXT_HEADER,
                255,
                FROM.prefix(),
                FROM.interfaceId(),
                GROUP.prefix(),
                GROUP.interfaceId());
        NeighbourMessage.write(
                buffer,
                40,
                Icmpv6.NEIGHBOUR_SOLICITATION,
                0,
                TARGET.prefix(),
                TARGET.interfaceId(),
                NeighbourMessage.SOURCE_LINK,
                LINK);
        Icmpv6.updateChecksum(buffer, 0, 40, 32);
    }

    private String hex(long offset, long bytes) {
        return HexFormat.of().formatHex(buffer.asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE));
    }

    /** RFC 4391, 9.2 and 9.3: type 32, addresses of 20 bytes, and options of 24 bytes. */
    @Test
    void linkAddressesOfInfinibandHaveTwentyBytes() {
        Gid gid = new Gid(0xFE80_0000_0000_0000L, 0x0002_C903_0000_1011L);
        Arp.write(buffer, 0, 32, 20, Arp.REPLY, 0x0A00_0001, 0x0A00_0002);
        LinkLayerAddress.writeInfiniband(buffer, Arp.SENDER_LINK, 0x48, gid);
        LinkLayerAddress.writeInfiniband(buffer, Arp.targetLinkOffset(20), 0x49, gid);
        assertThat(Arp.bytes(20)).isEqualTo(56);
        assertThat(hex(0, 56))
                .isEqualTo("0020080014040002" + "00000048fe800000000000000002c90300001011" + "0a000001"
                        + "00000049fe800000000000000002c90300001011" + "0a000002");
        assertThat(Arp.isIpv4Over(buffer, 0, 32, 20)).isTrue();
        assertThat(Arp.isIpv4OverEthernet(buffer, 0)).isFalse();
        assertThat(Arp.sender(buffer, 0, 20)).isEqualTo(0x0A00_0001);
        assertThat(Arp.target(buffer, 0, 20)).isEqualTo(0x0A00_0002);
        assertThat(LinkLayerAddress.qpn(buffer, Arp.SENDER_LINK)).isEqualTo(0x48);
        assertThat(LinkLayerAddress.gid(buffer, Arp.SENDER_LINK)).isEqualTo(gid);

        int option = NeighbourMessage.optionBytes(20);
        assertThat(option).isEqualTo(24);
        assertThat(NeighbourMessage.optionBytes(6)).isEqualTo(8);
        NeighbourMessage.writeOption(buffer, 0, NeighbourMessage.TARGET_LINK, option);
        assertThat(hex(NeighbourMessage.BYTES, 4)).isEqualTo("02030000");
        int length = NeighbourMessage.BYTES + option;
        assertThat(NeighbourMessage.linkOffset(buffer, 0, length, NeighbourMessage.TARGET_LINK, option))
                .isEqualTo(NeighbourMessage.BYTES);
        assertThat(NeighbourMessage.linkOffset(buffer, 0, length, NeighbourMessage.SOURCE_LINK, option))
                .isEqualTo((int) NeighbourMessage.NO_LINK);
        NeighbourMessage.writeOption(buffer, 0, NeighbourMessage.TARGET_LINK, 8);
        assertThat(NeighbourMessage.linkOffset(buffer, 0, 32, NeighbourMessage.TARGET_LINK, option))
                .as("the option is too short for the link")
                .isEqualTo((int) NeighbourMessage.MALFORMED);
    }
}
