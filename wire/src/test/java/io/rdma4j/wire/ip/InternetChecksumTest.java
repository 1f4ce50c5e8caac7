// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class InternetChecksumTest {
    private static MemorySegment bytes(String hex) {
        return MemorySegment.ofArray(HexFormat.of().parseHex(hex));
    }

    private static int of(MemorySegment segment) {
        return InternetChecksum.of(InternetChecksum.add(0, segment, 0, (int) segment.byteSize(), false));
    }

    /** The numbers of RFC 1071, 3. */
    @Test
    void theExampleOfTheSpecification() {
        assertThat(of(bytes("0001f203f4f5f6f7"))).isEqualTo(0xFFFF & ~0xDDF2);
    }

    @Test
    void anOddByteIsFollowedByZero() {
        assertThat(of(bytes("010203"))).isEqualTo(of(bytes("01020300")));
        assertThat(of(bytes(""))).isEqualTo(0xFFFF);
    }

    @Test
    void itIsThatOfTheIpHeader() {
        MemorySegment header = Arena.ofAuto().allocate(Ipv4.BYTES);
        Ipv4.write(header, 0, 1500, 0x1234, 0x56, 64, 17, 0x0A000001, 0xC0A80001);
        assertThat(of(header)).isZero();
        BigEndian.put16(header, Ipv4.CHECKSUM, 0);
        assertThat(of(header)).isEqualTo(Ipv4.checksum(header, 0));
    }

    @Test
    void numbersCountAsTheWordsThatTheyAreOnTheWire() {
        assertThat(InternetChecksum.of(InternetChecksum.add(0, 0xF203_F4F5))).isEqualTo(of(bytes("f203f4f5")));
    }

    @Test
    void piecesOfAnyLengthsAddUpToTheWhole() {
        SplittableRandom random = new SplittableRandom(1071);
        byte[] content = new byte[3000];
        random.nextBytes(content);
        MemorySegment whole = MemorySegment.ofArray(content);
        for (int round = 0; round < 500; round++) {
            int sum = 0;
            int done = 0;
            while (done < content.length) {
                int part = Math.min(content.length - done, random.nextInt(40));
                sum = InternetChecksum.add(sum, whole, done, part, (done & 1) != 0);
                done += part;
            }
            assertThat(InternetChecksum.of(sum)).isEqualTo(of(whole));
        }
    }
}
