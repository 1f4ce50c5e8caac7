// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.testing.ledger.Covers;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GidTest {
    @Test
    void anIpv4AddressIsMapped() {
        Gid gid = Gid.ofIpv4(0x0A4D_0002);
        assertThat(gid.toBytes()).containsExactly(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 77, 0, 2);
        assertThat(gid.isIpv4()).isTrue();
        assertThat(gid.ipv4()).isEqualTo(0x0A4D_0002);
        assertThat(gid).isEqualTo(Gid.parse("10.77.0.2")).isEqualTo(Gid.parse("::ffff:10.77.0.2"));
    }

    @Test
    void anAddressWithItsTopBitSetIsMappedWithoutSignExtension() {
        assertThat(Gid.parse("255.254.253.252")).isEqualTo(new Gid(0, 0x0000_FFFF_FFFE_FDFCL));
    }

    @Test
    void anIpv6AddressIsTheGid() throws Exception {
        Gid gid = Gid.parse("fe80::5054:ff:fe77:1");
        assertThat(gid.prefix()).isEqualTo(Gid.LINK_LOCAL_PREFIX);
        assertThat(gid.interfaceId()).isEqualTo(0x5054_00FF_FE77_0001L);
        assertThat(gid.isIpv4()).isFalse();
        assertThat(Gid.of(InetAddress.getByName("fe80::5054:ff:fe77:1"))).isEqualTo(gid);
        assertThat(gid.toInetAddress()).isEqualTo(InetAddress.getByAddress(gid.toBytes()));
        assertThat(Gid.ofIpv4(0x0102_0304).toInetAddress()).isEqualTo(InetAddress.getByName("1.2.3.4"));
    }

    @ParameterizedTest
    @Covers("ENUM-10")
    @CsvSource({
        "0000000000000000 0000000000000000, ::",
        "0000000000000000 0000000000000001, ::1",
        "0000000000000000 0000ffff0a4d0002, ::ffff:10.77.0.2",
        "fd77000000000000 0000000000000002, fd77::2",
        "fe80000000000000 505400fffe770001, fe80::5054:ff:fe77:1",
        "20010db800000001 0001000100010001, 2001:db8:0:1:1:1:1:1",
        "20010db800000000 0001000000000001, 2001:db8::1:0:0:1",
        "2001000000000001 0000000000000001, 2001:0:0:1::1",
        "fe80000000000000 0000000000000000, fe80::",
        "0001000200030004 0005000600070008, 1:2:3:4:5:6:7:8",
        "ff0e000000000000 0000ffffef010203, ff0e::ffff:ef01:203",
    })
    void isPrintedAsInetNtopDoes(String bytes, String text) {
        Gid gid = Gid.ofHex(bytes.replace(" ", ""));
        assertThat(gid).hasToString(text);
        assertThat(Gid.parse(text)).isEqualTo(gid);
        assertThat(gid.toHex()).isEqualTo(bytes.replace(" ", ""));
    }

    @Test
    void multicastIsKnownInBothFamilies() {
        assertThat(Gid.parse("ff02::1").isMulticast()).isTrue();
        assertThat(Gid.parse("224.0.0.1").isMulticast()).isTrue();
        assertThat(Gid.parse("239.255.255.255").isMulticast()).isTrue();
        assertThat(Gid.parse("223.255.255.255").isMulticast()).isFalse();
        assertThat(Gid.parse("240.0.0.1").isMulticast()).isFalse();
        assertThat(Gid.parse("fe80::1").isMulticast()).isFalse();
    }

    @Test
    void zeroIsNoGid() {
        assertThat(Gid.ZERO.isZero()).isTrue();
        assertThat(new Gid(0, 1).isZero()).isFalse();
        assertThat(new Gid(1, 0).isZero()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"''", "1234", "zz000000000000000000000000000000", "fe80::1", "٣٣٣٣٣٣٣٣٣٣٣٣٣٣٣٣٣٣٣٣٣٣٣٣٣٣٣٣٣٣٣٣"})
    void malformedDigitsAreRefusedWithTheText(String digits) {
        assertThatThrownBy(() -> Gid.ofHex(digits))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                .hasMessageContaining("\"" + digits + "\"");
    }

    @Test
    void namesAndWrongLengthsAreRefused() {
        assertThatThrownBy(() -> Gid.parse("localhost"))
                .isInstanceOf(RdmaException.class)
                .hasMessageContaining("localhost");
        assertThatThrownBy(() -> Gid.ofBytes(new byte[15]))
                .isInstanceOf(RdmaException.class)
                .hasMessageContaining("15");
    }
}
