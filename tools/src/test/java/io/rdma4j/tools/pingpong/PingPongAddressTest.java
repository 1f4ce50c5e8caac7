// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.testing.ledger.Covers;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PingPongAddressTest {
    private static final String MESSAGE = "0000:00001e:73a317:00000000000000000000ffffc0a8021e\0";
    private static final PingPongAddress ADDRESS =
            new PingPongAddress(0, 0x1e, 0x73a317, Gid.parse("::ffff:192.168.2.30"));

    @Test
    void theMessageIsThatOfTheOriginal() {
        assertThat(ADDRESS.encode()).isEqualTo(bytes(MESSAGE)).hasSize(PingPongAddress.MESSAGE_BYTES);
    }

    @Test
    void whatIsEncodedIsDecoded() {
        PingPongAddress address = new PingPongAddress(0xBEEF, 0xFFFFFF, 0x000001, Gid.parse("fe80::1:2"));
        assertThat(PingPongAddress.decode(address.encode())).contains(address);
        assertThat(PingPongAddress.decode(bytes(MESSAGE))).contains(ADDRESS);
    }

    @Test
    void capitalDigitsAreDigits() {
        assertThat(PingPongAddress.decode(bytes(MESSAGE.replace("73a317", "73A317"))))
                .contains(ADDRESS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0000:00001e:73a317:00000000000000000000ffffc0a8021e",
                "0000:00001e:73a317:00000000000000000000ffffc0a8021e\n",
                "0000:00001e:73a317:00000000000000000000ffffc0a8021e\0\0",
                "0000:00001e:73a317:0000000000000000000ffffc0a8021e\0\0",
                "0000 00001e:73a317:00000000000000000000ffffc0a8021e\0",
                "000x:00001e:73a317:00000000000000000000ffffc0a8021e\0",
                "0000:00001e:+3a317:00000000000000000000ffffc0a8021e\0",
                "0000:00001e:73a317:00000000000000000000ffffc0a8021g\0",
                "00000:0001e:73a317:00000000000000000000ffffc0a8021e\0",
                "GET / HTTP/1.1\r\nHost: localhost:18515\r\nAccept: */*\r\n"
            })
    void malformedTextIsNoAddress(String text) {
        assertThat(PingPongAddress.decode(bytes(text))).isEmpty();
    }

    @Test
    void bytesBeyondAsciiAreNoAddress() {
        byte[] message = ADDRESS.encode();
        message[7] = (byte) 0xB2;
        assertThat(PingPongAddress.decode(message)).isEmpty();
    }

    @Test
    @Covers("TOOL-11")
    void theLinesAreThoseOfTheOriginal() {
        assertThat(ADDRESS.line("local address", ","))
                .isEqualTo("  local address:  LID 0x0000, QPN 0x00001e, PSN 0x73a317, GID ::ffff:192.168.2.30");
        assertThat(ADDRESS.line("remote address", ","))
                .isEqualTo("  remote address: LID 0x0000, QPN 0x00001e, PSN 0x73a317, GID ::ffff:192.168.2.30");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
