// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PerfAddressTest {
    private static final String MESSAGE = "0000:0010:000011:7a8d13:2fd5a001:00007f3598291000:"
            + "00:00:00:00:00:00:00:00:00:00:ff:ff:0a:4d:00:01:00000000:\0";
    private static final PerfAddress ADDRESS =
            new PerfAddress(0, 0x10, 0x11, 0x7a8d13, 0x2fd5a001, 0x7f3598291000L, Gid.parse("10.77.0.1"), 0);

    @Test
    void theMessageIsThatOfTheOriginal() {
        assertThat(new String(ADDRESS.encode(), StandardCharsets.US_ASCII)).isEqualTo(MESSAGE);
        assertThat(ADDRESS.encode()).hasSize(PerfAddress.MESSAGE_BYTES).hasSize(108);
    }

    @Test
    void whatIsEncodedIsDecoded() {
        PerfAddress address = new PerfAddress(
                0xBEEF, 128, 0xFFFFFF, 1, 0xFFFFFFFF, 0xFFFF_8000_0000_0008L, Gid.parse("fe80::1:2"), 7);
        assertThat(PerfAddress.decode(address.encode())).contains(address);
        assertThat(PerfAddress.decode(bytes(MESSAGE))).contains(ADDRESS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0000:0010:000011:7a8d13:2fd5a001:00007f3598291000:00000000\0", "GET / HTTP/1.1\r\n"})
    void malformedTextIsNoAddress(String text) {
        assertThat(PerfAddress.decode(bytes(text))).isEmpty();
        assertThat(PerfAddress.decode(bytes(MESSAGE.replace("7a8d13", "7a8d1x"))))
                .isEmpty();
    }

    /** Captured from perftest: C's alternate form counts the prefix, and 0 has none. */
    @Test
    void theLinesAreThoseOfTheOriginal() {
        assertThat(ADDRESS.lines("local", Verb.SEND).lines())
                .containsExactly(
                        " local address: LID 0000 QPN 0x0011 PSN 0x7a8d13",
                        " GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:77:00:01");
        assertThat(ADDRESS.lines("remote", Verb.READ).lines())
                .first()
                .isEqualTo(" remote address: LID 0000 QPN 0x0011 PSN 0x7a8d13 OUT 0x10 RKey 0x2fd5a001"
                        + " VAddr 0x007f3598291000");
        assertThat(ADDRESS.lines("local", Verb.WRITE)).doesNotContain("OUT").contains("RKey 0x2fd5a001");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
