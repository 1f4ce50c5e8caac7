// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PkeyTableTest {
    /** Two limited members of a partition cannot communicate; partition 0 is invalid. */
    @ParameterizedTest
    @CsvSource({
        "0xffff,0xffff,true",
        "0xffff,0x7fff,true",
        "0x7fff,0xffff,true",
        "0x7fff,0x7fff,false",
        "0x8001,0x8002,false",
        "0x8000,0x8000,false",
        "0x0001,0x8001,true",
    })
    void samePartitionAndOneFullMember(String a, String b, boolean matches) {
        assertThat(PkeyTable.matches(Integer.decode(a), Integer.decode(b))).isEqualTo(matches);
    }

    @Test
    void aPortAcceptsWhatAnyOfItsEntriesMatches() {
        PkeyTable table = new PkeyTable(List.of(0xFFFF, 0x0005));
        assertThat(table.size()).isEqualTo(2);
        assertThat(table.at(1)).isEqualTo(5);
        assertThat(table.at(2)).isZero();
        assertThat(table.at(-1)).isZero();
        assertThat(table.accepts(0x8005)).isTrue();
        assertThat(table.accepts(0x0005)).isFalse();
        assertThat(table.accepts(0x7FFF)).isTrue();
        assertThat(table.accepts(0x8006)).isFalse();
        assertThat(table.accepts(0)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 0x8000, 0x10000, -1})
    void whatIsNoKeyIsRefused(int key) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> new PkeyTable(List.of(0xFFFF, key)))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        assertThatExceptionOfType(RdmaException.class).isThrownBy(() -> new PkeyTable(List.of()));
    }
}
