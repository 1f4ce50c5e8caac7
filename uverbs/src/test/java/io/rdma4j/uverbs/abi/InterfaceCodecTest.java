// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.abi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.InterfaceCodec.Entry;
import io.rdma4j.verbs.spi.PortInterface;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Network interfaces as bytes. */
class InterfaceCodecTest {
    private static final Gid GID = Gid.parse("fe80::10:1");

    /** An interface that reaches nothing. */
    private record Fixed(int interfaceIndex, List<Gid> addresses) implements PortInterface {
        @Override
        public Gid gid() {
            return GID;
        }

        @Override
        public int pkey() {
            return 0xFFFF;
        }

        @Override
        public boolean hasRoute(Gid destination) {
            return false;
        }

        @Override
        public boolean resolve(Gid destination) {
            return false;
        }

        @Override
        public Gid gidOf(Gid destination) {
            return GID;
        }
    }

    private static byte[] encode(PortInterface... interfaces) {
        return InterfaceCodec.encode(List.of(interfaces));
    }

    @Test
    void whatIsWrittenIsRead() {
        List<Gid> addresses = List.of(Gid.ofIpv4(0x0A00_0001), Gid.parse("fd00::1"));
        assertThat(InterfaceCodec.decode(encode(new Fixed(2, addresses), new Fixed(3, List.of()))))
                .containsExactly(new Entry(2, 0xFFFF, GID, addresses), new Entry(3, 0xFFFF, GID, List.of()));
        assertThat(InterfaceCodec.decode(encode())).isEmpty();
    }

    @Test
    void ofManyAddressesTheFirstOnesAreWritten() {
        List<Gid> many = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            many.add(Gid.ofIpv4(i));
        }
        assertThat(InterfaceCodec.decode(encode(new Fixed(1, many))).getFirst().addresses())
                .isEqualTo(many.subList(0, 64));
    }

    @Test
    void bytesThatAreCutOffAreNoInterfaces() {
        byte[] good = encode(new Fixed(1, List.of(GID)));
        for (int length = 1; length < good.length; length++) {
            byte[] cut = Arrays.copyOf(good, length);
            assertThatExceptionOfType(RdmaException.class)
                    .isThrownBy(() -> InterfaceCodec.decode(cut))
                    .withMessageContaining("cut off");
        }
    }
}
