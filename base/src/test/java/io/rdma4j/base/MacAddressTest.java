// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.testing.ledger.Covers;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MacAddressTest {
    @ParameterizedTest
    @CsvSource({
        "00:00:00:00:00:00, true, false, false, false",
        "52:54:00:77:00:01, false, false, false, true",
        "01:00:5e:00:00:01, false, true, false, false",
        "ff:ff:ff:ff:ff:ff, false, true, true, false",
        "fe:ff:ff:ff:ff:ff, false, false, false, true"
    })
    @Covers({"NDEV-174", "NDEV-175", "NDEV-176"})
    void oneBitMakesAGroupAndABroadcastIsAGroupToo(
            String text, boolean zero, boolean multicast, boolean broadcast, boolean valid) {
        long mac = MacAddress.parse(text);
        assertThat(MacAddress.toString(mac)).isEqualTo(text);
        assertThat(MacAddress.isZero(mac)).isEqualTo(zero);
        assertThat(MacAddress.isMulticast(mac)).isEqualTo(multicast);
        assertThat(MacAddress.isBroadcast(mac)).isEqualTo(broadcast);
        assertThat(MacAddress.isValid(mac)).isEqualTo(valid);
    }

    @Test
    void moreThan48BitsAreNoAddress() {
        assertThat(MacAddress.isValid(1L << 48 | 2)).isFalse();
    }

    @Test
    void randomAddressesAreValidAndLocallyAdministered() {
        Random random = new Random(4);
        for (int i = 0; i < 1000; i++) {
            long mac = MacAddress.random(random);
            assertThat(MacAddress.isValid(mac)).isTrue();
            assertThat(mac >>> 40 & 2)
                    .as("the bit of locally administered addresses")
                    .isEqualTo(2);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "224.0.0.1, 01:00:5e:00:00:01",
        "239.255.1.2, 01:00:5e:7f:01:02",
        "ff02::1:ff77:1, 33:33:ff:77:00:01",
        "ff1e::8000:1, 33:33:80:00:00:01"
    })
    void groupsOfIpAddressesShareTheLowBits(String group, String mac) {
        assertThat(MacAddress.toString(MacAddress.ofGroup(Gid.parse(group)))).isEqualTo(mac);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "52:54:00:77:00", "52-54-00-77-00-01", "52:54:00:77:00:01:02", "52:54:00:77:0g:01"})
    void otherTextIsRefused(String text) {
        assertThatThrownBy(() -> MacAddress.parse(text))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }
}
