// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.testing.ledger.Covers;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MtuTest {
    @ParameterizedTest
    @Covers("ENUM-1")
    @CsvSource({"1, 256", "2, 512", "3, 1024", "4, 2048", "5, 4096"})
    void codesAndBytesBelongTogether(int code, int bytes) {
        assertThat(Mtu.ofCode(code).bytes()).isEqualTo(bytes);
        assertThat(Mtu.ofBytes(bytes).code()).isEqualTo(code);
    }

    @ParameterizedTest
    @Covers("ENUM-1")
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 6, Integer.MAX_VALUE})
    void otherCodesAreRefused(int code) {
        assertThatThrownBy(() -> Mtu.ofCode(code))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                .hasMessageContaining(Integer.toString(code))
                .hasMessageContaining("1..5");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 255, 1500, 8192})
    void otherSizesAreRefused(int bytes) {
        assertThatThrownBy(() -> Mtu.ofBytes(bytes))
                .isInstanceOf(RdmaException.class)
                .hasMessageContaining(Integer.toString(bytes));
    }

    @ParameterizedTest
    @CsvSource({"0, 256", "256, 256", "511, 256", "512, 512", "1420, 1024", "4095, 2048", "4096, 4096", "65455, 4096"})
    void theLargestThatFitsIsTaken(int room, int bytes) {
        assertThat(Mtu.largestWithin(room).bytes()).isEqualTo(bytes);
    }
}
