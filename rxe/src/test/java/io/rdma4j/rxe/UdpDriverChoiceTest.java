// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.udp.LinuxUdpDevice;
import io.rdma4j.udp.UdpDriver;
import io.rdma4j.udp.UdpUnderlayDevice;
import io.rdma4j.udp.UdpUnderlaySettings;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class UdpDriverChoiceTest {
    @Test
    void aWordInsistsOnOne() {
        assertThat(UdpDriverChoice.parse(null)).isEqualTo(UdpDriverChoice.AUTO);
        assertThat(UdpDriverChoice.parse("")).isEqualTo(UdpDriverChoice.AUTO);
        assertThat(UdpDriverChoice.parse("portable")).isEqualTo(UdpDriverChoice.PORTABLE);
        assertThat(UdpDriverChoice.parse("linux")).isEqualTo(UdpDriverChoice.LINUX);
        assertThatThrownBy(() -> UdpDriverChoice.parse("fast")).hasMessageContaining("auto, portable, linux");
    }

    @Test
    void theFastOneIsTakenWhereItCanBeHad() {
        assertThat(opened(UdpDriverChoice.PORTABLE)).isEqualTo(UdpUnderlayDevice.class);
        assertThat(opened(UdpDriverChoice.AUTO))
                .isEqualTo(LinuxUdpDevice.isSupported() ? LinuxUdpDevice.class : UdpUnderlayDevice.class);
    }

    private static Class<?> opened(UdpDriverChoice choice) {
        UdpDriver driver = choice.open(UdpUnderlaySettings.of("u0", 1, InetAddress.ofLiteral("127.0.0.1"))
                .withPort(0));
        driver.netDevice().unregister();
        return driver.getClass();
    }
}
