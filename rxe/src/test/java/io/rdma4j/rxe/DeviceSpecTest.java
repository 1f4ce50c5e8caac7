// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.address.InterfaceAddress;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceSpecTest {
    @ParameterizedTest
    @CsvSource({
        "rxe0=udp:127.0.0.2,rxe0,127.0.0.2,4791",
        "a=udp:10.0.0.1:4792,a,10.0.0.1,4792",
        "a=udp:10.0.0.1:65535,a,10.0.0.1,65535",
        "v6=udp:[fd00::1],v6,fd00::1,4791",
        "v6=udp:[fd00::1]:1,v6,fd00::1,1",
        "v6=udp:fd00::1,v6,fd00::1,4791",
        "v6=udp:::1,v6,::1,4791"
    })
    void aDeviceIsReadFromItsText(String text, String name, String address, int port) throws Exception {
        DeviceSpec spec = DeviceSpec.parse(text);
        assertThat(spec.name()).isEqualTo(name);
        assertThat(spec.addresses()).containsExactly(InetAddress.getByName(address));
        assertThat(spec.port()).isEqualTo(port);
    }

    @ParameterizedTest
    @CsvSource({"rxe_lo=udp:lo,4791", "rxe_lo=udp:lo:5000,5000"})
    void theFirstFreeLoopbackAddressHasAWord(String text, int port) {
        assertThat(DeviceSpec.parse(text)).isEqualTo(new DeviceSpec("rxe_lo", List.of(), port));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "rxe0",
                "=udp:127.0.0.1",
                "rxe0=",
                "rxe0=tcp:127.0.0.1",
                "rxe0=udp:",
                "rxe0=udp:localhost",
                "rxe0=udp:127.0.0.256",
                "rxe0=udp:127.0.0.1:",
                "rxe0=udp:127.0.0.1:0",
                "rxe0=udp:127.0.0.1:65536",
                "rxe0=udp:127.0.0.1:-1",
                "rxe0=udp:127.0.0.1:x",
                "rxe0=udp:127.0.0.1:47911111111111",
                "rxe0=udp:[fd00::1",
                "rxe0=udp:[fd00::1]4791",
                "rxe0=udp:[fd00::1]:",
                "rxe0=udp:[]",
                "rxe0=udp:[lo]",
            })
    void otherTextIsRefusedWithTheSyntax(String text) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> DeviceSpec.parse(text))
                .withMessageContaining("\"" + text + "\"")
                .withMessageContaining("NAME=udp:ADDR[:PORT]")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    void aListIsSeparatedByCommas() {
        assertThat(DeviceSpec.parseList("a=udp:127.0.0.1, b=udp:[::1]:5000 ,c=udp:lo"))
                .extracting(DeviceSpec::name)
                .containsExactly("a", "b", "c");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a=udp:127.0.0.1,", ",", "a=udp:127.0.0.1,b"})
    void aListWithAMistakeIsRefusedWhole(String text) {
        assertThatExceptionOfType(RdmaException.class).isThrownBy(() -> DeviceSpec.parseList(text));
    }

    /** Two devices with the same name could not be distinguished. */
    @Test
    void aListWithOneNameTwiceIsRefused() {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> DeviceSpec.parseList("a=udp:127.0.0.1,a=udp:127.0.0.2"))
                .withMessageContaining("\"a\"");
    }

    @Test
    void anIpv4AddressInIpv6FormIsAnIpv4Address() throws Exception {
        assertThat(DeviceSpec.parse("a=udp:::ffff:127.0.0.2").addresses())
                .containsExactly(InetAddress.getByName("127.0.0.2"));
    }

    @Test
    void aTapDeviceHasAddressesOfItsOwn() throws Exception {
        DeviceSpec spec = DeviceSpec.parse("rxe0=tap:tap0,10.0.0.2/24,fd00::2/64,mac=02:00:00:00:00:07,mtu=9000");
        assertThat(spec.name()).isEqualTo("rxe0");
        assertThat(spec.addresses())
                .containsExactly(InetAddress.getByName("10.0.0.2"), InetAddress.getByName("fd00::2"));
        assertThat(spec.port()).isEqualTo(4791);
        assertThat(spec.link())
                .isEqualTo(new EthernetLink(
                        EthernetLink.Kind.TAP,
                        "tap0",
                        0x02_0000_0000_07L,
                        9000,
                        List.of(InterfaceAddress.parse("10.0.0.2/24"), InterfaceAddress.parse("fd00::2/64"))));
    }

    @Test
    void aStationHasAddressesOfItsOwn() {
        assertThat(DeviceSpec.parse("a=packet:eth0,10.0.0.2/8").link())
                .isEqualTo(new EthernetLink(
                        EthernetLink.Kind.PACKET, "eth0", 0, 0, List.of(InterfaceAddress.parse("10.0.0.2/8"))));
    }

    @Test
    void inAListTheAddressesGoWithTheirDevice() {
        assertThat(DeviceSpec.parseList(
                        "a=tap:t,10.0.0.2/24,fd00::1/64,mac=fe:00:00:00:00:01, b=packet:e,10.0.0.3/24,c=udp:lo"))
                .extracting(spec -> spec.name() + spec.addresses().size())
                .containsExactly("a2", "b1", "c0");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a=tap:",
                "a=tap:tap0",
                "a=tap:,10.0.0.2/24",
                "a=tap:tap0,",
                "a=tap:tap0,10.0.0.2",
                "a=tap:tap0,10.0.0.2/33",
                "a=tap:tap0,224.0.0.1/4",
                "a=tap:tap0,fd00::1/129",
                "a=tap:tap0,10.0.0.0.2/24",
                "a=tap:tap0,10.0.0.2/24,mac=1",
                "a=tap:tap0,10.0.0.2/24,mac=ff:ff:ff:ff:ff:ff",
                "a=tap:tap0,10.0.0.2/24,mtu=100",
                "a=tap:tap0,10.0.0.2/24,mtu=x",
                "a=tap:tap0,10.0.0.2/24,speed=1",
                "a=packet:eth0",
                "a=packet:eth0,10.0.0.2/24,mtu=9000"
            })
    void anEthernetLinkWithAMistakeIsRefusedWithTheSyntax(String text) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> DeviceSpec.parse(text))
                .withMessageContaining("\"" + text + "\"")
                .withMessageContaining("NAME=tap:INTERFACE,ADDR/PREFIX")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }
}
