// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** ICMP, IGMP, MLD and fragment headers against bytes written by hand. */
class InternetControlTest {
    private final byte[] bytes = new byte[64];
    private final MemorySegment memory = MemorySegment.ofArray(bytes);

    private String hex(int from, int to) {
        return HexFormat.of().formatHex(Arrays.copyOfRange(bytes, from, to));
    }

    @Test
    void icmpEcho() {
        Icmp.write(memory, 1, Icmp.ECHO_REQUEST, 0, 0x1234_0007);
        Icmp.checksum(memory, 1, InternetChecksum.of(InternetChecksum.add(0, memory, 1, Icmp.BYTES, false)));
        assertThat(hex(1, 9)).isEqualTo("0800e5c412340007");
        assertThat(Icmp.type(memory, 1)).isEqualTo(8);
        assertThat(Icmp.code(memory, 1)).isZero();
        assertThat(Icmp.identifier(memory, 1)).isEqualTo(0x1234);
        assertThat(Icmp.sequence(memory, 1)).isEqualTo(7);
        assertThat(Icmp.rest(memory, 1)).isEqualTo(0x1234_0007);
        assertThat(Icmp.format(memory, 1)).isEqualTo("ICMP type 8 code 0 id 4660 seq 7");
    }

    @Test
    void errorsAreKnown() {
        assertThat(IntStream.of(3, 4, 5, 11, 12)).allMatch(Icmp::isError);
        assertThat(IntStream.of(0, 8, 9, 10, 13, 14)).noneMatch(Icmp::isError);
        assertThat(IntStream.of(1, 2, 3, 4, 127)).allMatch(Icmpv6::isError);
        assertThat(IntStream.of(128, 129, 135, 255)).noneMatch(Icmpv6::isError);
    }

    @Test
    void fragmentHeader() {
        Ipv6Fragment.write(memory, 1, 17, 0x1FFF, true, 0x89AB_CDEF);
        assertThat(hex(1, 9)).isEqualTo("1100fff989abcdef");
        assertThat(Ipv6Fragment.nextHeader(memory, 1)).isEqualTo(17);
        assertThat(Ipv6Fragment.fragmentOffset(memory, 1)).isEqualTo(0x1FFF);
        assertThat(Ipv6Fragment.isMore(memory, 1)).isTrue();
        assertThat(Ipv6Fragment.identification(memory, 1)).isEqualTo(0x89AB_CDEF);
        Ipv6Fragment.write(memory, 1, 17, 2, false, 1);
        assertThat(hex(1, 9)).isEqualTo("1100001000000001");
        assertThat(Ipv6Fragment.isMore(memory, 1)).isFalse();
    }

    @Test
    void fragmentWordOfIpv4() {
        Ipv4.write(memory, 0, 20, 0, 0, 64, 17, 1, 2);
        assertThat(hex(6, 8)).isEqualTo("4000");
        Ipv4.fragment(memory, 0, Ipv4.MORE_FRAGMENTS | 185);
        assertThat(hex(6, 8)).isEqualTo("20b9");
        assertThat(Ipv4.fragmentOffset(memory, 0)).isEqualTo(185);
        assertThat(Ipv4.isFragment(memory, 0)).isTrue();
        assertThat(Ipv4.dontFragment(memory, 0)).isFalse();
        assertThat(Ipv4.isIntact(memory, 0)).isFalse();
        Ipv4.updateChecksum(memory, 0);
        assertThat(Ipv4.isIntact(memory, 0)).isTrue();
        assertThat(Ipv4.CONGESTION | Ipv4.DONT_FRAGMENT | Ipv4.MORE_FRAGMENTS | Ipv4.FRAGMENT_OFFSET_MASK)
                .isEqualTo(0xFFFF);
    }

    @Test
    void routersAreAlerted() {
        Ipv4.write(memory, 0, 32, 0, 0, 1, 2, 1, 2);
        Ipv4.alertRouters(memory, 0);
        assertThat(hex(0, 1)).isEqualTo("46");
        assertThat(hex(20, 24)).isEqualTo("94040000");
        assertThat(Ipv4.isIntact(memory, 0)).isTrue();
        Ipv6.writeRouterAlert(memory, 40, Icmpv6.NEXT_HEADER);
        assertThat(hex(40, 48)).isEqualTo("3a00050200000100");
    }

    @Test
    void igmp() {
        int group = 0xEF01_0203;
        Igmp.write(memory, 0, Igmp.REPORT_V2, group);
        assertThat(hex(0, 8)).isEqualTo("1600f8faef010203");
        assertThat(Igmp.type(memory, 0)).isEqualTo(Igmp.REPORT_V2);
        assertThat(Igmp.group(memory, 0)).isEqualTo(group);
        Igmp.writeReport(memory, 0, GroupRecord.JOINS, group);
        assertThat(hex(0, 16)).isEqualTo("2200e8f90000000104000000ef010203");
        assertThat(Igmp.recordType(memory, 0)).isEqualTo(GroupRecord.JOINS);
        assertThat(Igmp.recordGroup(memory, 0)).isEqualTo(group);
    }

    @Test
    void mld() {
        Gid group = Gid.parse("ff05::1:3");
        Mld.write(memory, 0, Mld.DONE, group.prefix(), group.interfaceId());
        assertThat(hex(0, 24)).isEqualTo("8400000000000000ff050000000000000000000000010003");
        assertThat(Mld.groupPrefix(memory, 0)).isEqualTo(group.prefix());
        assertThat(Mld.groupInterfaceId(memory, 0)).isEqualTo(group.interfaceId());
        Mld.writeReport(memory, 0, GroupRecord.LEAVES, group.prefix(), group.interfaceId());
        assertThat(hex(0, 28)).isEqualTo("8f0000000000000103000000ff050000000000000000000000010003");
        assertThat(Mld.recordType(memory, 0)).isEqualTo(GroupRecord.LEAVES);
        assertThat(Mld.recordInterfaceId(memory, 0)).isEqualTo(group.interfaceId());
    }

    /** Large times have an exponent, in queries of the newer versions only (RFC 3376, 4.1.1; RFC 3810, 5.1.3). */
    @ParameterizedTest
    @CsvSource({"0x7F, 12, 127", "0x80, 12, 128", "0xFF, 12, 31744", "0xFF, 8, 255"})
    void timesOfIgmp(String code, int length, int tenths) {
        bytes[1] = (byte) (int) Integer.decode(code);
        assertThat(Igmp.responseTenths(memory, 0, length)).isEqualTo(tenths);
    }

    @ParameterizedTest
    @CsvSource({"0x7FFF, 28, 32767", "0x8000, 28, 32768", "0xFFFF, 28, 8387584", "0xFFFF, 24, 65535"})
    void timesOfMld(String code, int length, int milliseconds) {
        int value = Integer.decode(code);
        bytes[4] = (byte) (value >>> 8);
        bytes[5] = (byte) value;
        assertThat(Mld.responseMs(memory, 0, length)).isEqualTo(milliseconds);
    }
}
