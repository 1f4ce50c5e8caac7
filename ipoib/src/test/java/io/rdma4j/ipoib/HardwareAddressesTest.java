// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ipoib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.base.MacAddress;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Addresses of 20 bytes and their numbers within a host. */
class HardwareAddressesTest {
    private static final int PKEY = 0xFFFF;
    private static final HexFormat HEX = HexFormat.ofDelimiter(":");
    private static final String STATION = "80:00:00:48:fe:80:00:00:00:00:00:00:00:02:c9:03:00:00:10:11";

    private final HardwareAddresses addresses = new HardwareAddresses(PKEY, 4);

    private long read(String text) {
        return addresses.read(MemorySegment.ofArray(HEX.parseHex(text)), 0);
    }

    private static String station(int qpn) {
        return STATION.replace("00:48", String.format("%02x:%02x", qpn >>> 8, qpn & 0xFF));
    }

    @Test
    void aStationHasANumberWithTheRulesOfEthernet() {
        long number = read(STATION);
        assertThat(MacAddress.isValid(number)).isTrue();
        assertThat(read(STATION)).isEqualTo(number);
        assertThat(addresses.toString(number)).isEqualTo("00" + STATION.substring(2)); // the first byte is reserved
        MemorySegment written = MemorySegment.ofArray(new byte[22]);
        addresses.write(written, 1, number);
        assertThat(HEX.formatHex((byte[]) written.heapBase().orElseThrow()))
                .isEqualTo("00:" + "00" + STATION.substring(2) + ":00");
        assertThat(read(station(0x49))).isNotEqualTo(number);
    }

    @Test
    void whatIsNoStationHasNoNumber() {
        assertThat(read(STATION.replace("00:00:48", "ff:ff:ff")))
                .as("QPN of groups")
                .isZero();
        assertThat(read(STATION.replace("00:00:48", "00:00:01")))
                .as("QPN of management")
                .isZero();
        assertThat(read(STATION.replace("fe:80", "ff:12"))).as("GID of a group").isZero();
        assertThat(read("00:00:00:48" + ":00".repeat(16))).as("no GID").isZero();
    }

    /** RFC 4391, 4. */
    @Test
    void groupsAreMappedByTheRfc() {
        assertThat(addresses.toString(addresses.ofGroup(Gid.parse("224.1.2.3"))))
                .isEqualTo("00:ff:ff:ff:ff:12:40:1b:ff:ff:00:00:00:00:00:00:00:01:02:03");
        assertThat(addresses.toString(addresses.ofGroup(Gid.parse("239.255.1.2"))))
                .as("28 bits of the group")
                .isEqualTo("00:ff:ff:ff:ff:12:40:1b:ff:ff:00:00:00:00:00:00:0f:ff:01:02");
        long group = addresses.ofGroup(Gid.parse("ff02::1:ff00:1011"));
        assertThat(addresses.toString(group)).isEqualTo("00:ff:ff:ff:ff:12:60:1b:ff:ff:00:00:00:00:00:01:ff:00:10:11");
        assertThat(MacAddress.isMulticast(group)).isTrue();
        assertThat(addresses.toString(MacAddress.BROADCAST))
                .isEqualTo("00:ff:ff:ff:ff:12:40:1b:ff:ff:00:00:00:00:00:00:ff:ff:ff:ff");
        assertThat(new HardwareAddresses(0x7001).broadcast().address)
                .as("the bit of full members is set")
                .hasToString("00:ff:ff:ff:ff:12:40:1b:f0:01:00:00:00:00:00:00:ff:ff:ff:ff");
    }

    @Test
    void aFullTableReplacesTheEntryThatWasUsedLongestAgo() {
        long own = addresses.own(HardwareAddress.read(MemorySegment.ofArray(HEX.parseHex(station(0x100))), 0));
        long first = read(station(0x101));
        long second = read(station(0x102));
        read(station(0x103));
        assertThat(addresses.find(first)).isNotNull();
        long fourth = read(station(0x104));
        assertThat(fourth).isNotIn(own, first, second);
        assertThat(addresses.find(second)).as("its number is not used again").isNull();
        assertThat(addresses.takeReplaced()).extracting(peer -> peer.number).containsExactly(second);
        assertThat(addresses.takeReplaced()).isEmpty();
        assertThat(addresses.find(own)).as("held").isNotNull();
        assertThat(addresses.find(first)).isNotNull();
        MemorySegment unknown = MemorySegment.ofArray(new byte[20]).fill((byte) 7);
        addresses.write(unknown, 0, second);
        assertThat((byte[]) unknown.heapBase().orElseThrow()).containsOnly(0);
    }

    @Test
    void aTableOfHeldEntriesTakesNoMore() {
        for (int i = 0; i < 4; i++) {
            addresses.own(HardwareAddress.read(MemorySegment.ofArray(HEX.parseHex(station(0x100 + i))), 0));
        }
        assertThat(read(station(0x104))).isZero();
        assertThat(addresses.ofGroup(Gid.parse("224.0.0.1"))).isZero();
    }
}
