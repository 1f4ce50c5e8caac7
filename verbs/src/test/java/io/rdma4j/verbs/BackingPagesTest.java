// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdma4j.verbs.core.BackingPages;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class BackingPagesTest {
    private static final String SMAPS = """
            00100000-00200000 rw-p 00000000 00:00 0
            Size:               1024 kB
            KernelPageSize:        4 kB
            MMUPageSize:           4 kB
            VmFlags: rd wr mr mw me ac sd
            00200000-00800000 rw-s 00000000 00:0f 1        /dev/hugepages/one
            KernelPageSize:     2048 kB
            MMUPageSize:        2048 kB
            """;

    @SuppressWarnings("restricted") // addresses only, the memory is not accessed
    private static MemorySegment memory(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    private static OptionalLong smallest(MemorySegment... pieces) throws IOException {
        return BackingPages.smallest(new BufferedReader(new StringReader(SMAPS)), List.of(pieces));
    }

    @Test
    void theSmallestPageUnderTheMemoryCounts() throws IOException {
        assertThat(smallest(memory(0x100000, 1))).hasValue(4096);
        assertThat(smallest(memory(0x200000, 0x600000))).hasValue(2 << 20);
        assertThat(smallest(memory(0x1FFFFF, 2))).hasValue(4096);
        assertThat(smallest(memory(0x200000, 8), memory(0x100008, 8))).hasValue(4096);
        assertThat(smallest(memory(0x800000, 8))).isEmpty();
        assertThat(smallest()).isEmpty();
    }

    @Test
    void aRegionTellsItsPageSizeWhereTheSystemDoes() {
        assumeThat(Files.isReadable(Path.of("/proc/self/smaps"))).isTrue();
        Fixture fixture = new Fixture();

        long bytes = fixture.memory(8192).backingPageBytes().orElseThrow();

        assertThat(bytes).isGreaterThanOrEqualTo(4096);
        assertThat(Long.bitCount(bytes)).isOne();
    }
}
