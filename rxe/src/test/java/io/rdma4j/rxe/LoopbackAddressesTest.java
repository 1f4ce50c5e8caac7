// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoopbackAddressesTest {
    private final List<String> tried = new ArrayList<>();

    /** Addresses below {@code 127.0.0.<free>} are in use; those from {@code 127.0.0.<absent>} on do not exist. */
    private String bind(InetAddress address, int free, int absent) {
        String text = address.getHostAddress();
        tried.add(text);
        int last = Byte.toUnsignedInt(address.getAddress()[3]);
        if (last >= absent) {
            throw new RdmaException(Errno.EADDRNOTAVAIL, "not an address of this host");
        }
        if (last < free) {
            throw new RdmaException(Errno.EADDRINUSE, "in use");
        }
        return text;
    }

    @Test
    void theFirstFreeAddressIsTaken() {
        assertThat(LoopbackAddresses.<String>firstFree(a -> bind(a, 3, 255))).isEqualTo("127.0.0.3");
        assertThat(tried).containsExactly("127.0.0.1", "127.0.0.2", "127.0.0.3");
    }

    /** Systems other than Linux have only 127.0.0.1. */
    @Test
    void aSecondProcessOnASystemWithOneAddressIsToldHowToGoOn() {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> LoopbackAddresses.<String>firstFree(a -> bind(a, 2, 2)))
                .withMessageContaining("127.0.0.1 is taken")
                .withMessageContaining("127.0.0.2")
                .withMessageContaining("RDMA4J_DEVICES=NAME=udp:ADDR[:PORT]")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE));
    }

    @Test
    void theSearchEndsWithTheLastAddress() {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> LoopbackAddresses.<String>firstFree(a -> bind(a, 256, 256)))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE));
        assertThat(tried).hasSize(254).last().isEqualTo("127.0.0.254");
    }

    @Test
    void anyOtherErrorEndsTheSearchAtOnce() {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> LoopbackAddresses.<String>firstFree(a -> bind(a, 1, 1)))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EADDRNOTAVAIL));
        assertThat(tried).containsExactly("127.0.0.1");
    }
}
