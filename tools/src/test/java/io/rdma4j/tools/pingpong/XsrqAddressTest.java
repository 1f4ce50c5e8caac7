// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class XsrqAddressTest {
    private static final String MESSAGE = "0000:00001e:00001f:73a317:000005:00000000000000000000ffffc0a8021e\0";
    private static final XsrqAddress ADDRESS =
            new XsrqAddress(0, 0x1e, 0x1f, 0x73a317, 5, Gid.parse("::ffff:192.168.2.30"));

    @Test
    void theMessageIsThatOfTheOriginal() {
        assertThat(ADDRESS.encode())
                .isEqualTo(MESSAGE.getBytes(StandardCharsets.US_ASCII))
                .hasSize(66);
        assertThat(XsrqAddress.decode(ADDRESS.encode())).contains(ADDRESS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0000:00001e:73a317:00000000000000000000ffffc0a8021e\0",
                "0000:00001e:00001f:73a317:000005:x\0"
            })
    void malformedTextIsNoAddress(String text) {
        assertThat(XsrqAddress.decode(text.getBytes(StandardCharsets.US_ASCII))).isEmpty();
    }

    @Test
    void theLineIsThatOfTheOriginal() {
        assertThat(ADDRESS.line("local"))
                .isEqualTo(
                        "   local: LID 0000, QPN RECV 00001e SEND 00001f, PSN 73a317, SRQN 000005, GID ::ffff:192.168.2.30");
    }
}
