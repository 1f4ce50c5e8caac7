// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the messages about missing programs. */
class PartsTest {
    @TempDir
    private Path directory;

    private Path file(String name) throws IOException {
        Path file = Files.createFile(directory.resolve(name));
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return file;
    }

    @Test
    void allThatIsMissingIsNamedWithTheWayToGetIt() {
        Path tun = directory.resolve("tun");
        assertThat(Parts.missing("Linux amd64", "user", List.of(directory.toString()), tun))
                .hasSize(6)
                .anyMatch(line -> line.contains("sudo"))
                .anyMatch(line -> line.contains("apt-get install qemu-system-x86"))
                .anyMatch(line -> line.contains("apt-get install iproute2"))
                .anyMatch(line -> line.contains("modprobe tun"));
    }

    @Test
    void nothingIsMissingWhereAllIsThere() throws IOException {
        for (String program : List.of("qemu-system-x86_64", "ip", "ldconfig", "apt-get", "dpkg-deb")) {
            file(program);
        }
        assertThat(Parts.missing("Linux amd64", "root", List.of("/nowhere", directory.toString()), file("tun")))
                .isEmpty();
    }

    @Test
    void anOrdinaryUserIsToldThatRootIsNeededAndNotWhatOnlyRootMayWrite() throws IOException {
        for (String program : List.of("qemu-system-x86_64", "ip", "ldconfig", "apt-get", "dpkg-deb")) {
            file(program);
        }
        Path tun = file("tun");
        assertThat(tun.toFile().setWritable(false)).isTrue();
        assertThat(Parts.missing("Linux amd64", "user", List.of(directory.toString()), tun))
                .singleElement()
                .asString()
                .contains("sudo");
    }

    @Test
    void elsewhereItIsNotTried() {
        assertThat(Parts.missing("Mac OS X aarch64", "root", List.of(), directory))
                .singleElement()
                .asString()
                .startsWith("Linux");
    }
}
