// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the archive of the guest's initramfs. */
class CpioWriterTest {
    private static final int HEADER_BYTES = 110;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private String archive() {
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }

    private static long field(String entry, int index) {
        return Long.parseLong(entry.substring(6 + 8 * index, 14 + 8 * index), 16);
    }

    @Test
    void aFileIsAHeaderANameAndItsBytesEachPaddedToFour() throws IOException {
        try (CpioWriter cpio = new CpioWriter(bytes)) {
            cpio.add("init", 0755, "hello".getBytes(StandardCharsets.UTF_8));
        }
        assertThat(archive()).startsWith("070701");
        assertThat(field(archive(), 1)).as("mode").isEqualTo(0100755);
        assertThat(field(archive(), 6)).as("size").isEqualTo(5);
        assertThat(field(archive(), 11)).as("length of the name").isEqualTo(5);
        assertThat(archive().substring(HEADER_BYTES, HEADER_BYTES + 6)).isEqualTo("init\0\0".substring(0, 6));
        assertThat(archive().substring(116, 124)).isEqualTo("hello\0\0\0");
        assertThat(archive().substring(124)).startsWith("070701").contains("TRAILER!!!");
        assertThat(bytes.size() % 4).isZero();
    }

    @Test
    void whatIsOnDiskKeepsItsKindAndMode(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "x");
        Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("file"));
        try (CpioWriter cpio = new CpioWriter(bytes)) {
            cpio.add("d", directory);
            cpio.add("l", link);
            cpio.add("f", file);
        }
        String second = archive().substring(archive().indexOf("070701", 1));
        assertThat(field(archive(), 1) & 0170000).isEqualTo(0040000);
        assertThat(field(second, 1) & 0170000).isEqualTo(0120000);
        assertThat(second.substring(112, 116)).isEqualTo("file");
    }
}
