// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QemuTest {
    @TempDir
    private Path directory;

    private void says(String console) throws IOException {
        Files.writeString(directory.resolve("console.log"), console);
    }

    @Test
    void aGuestThatHasNotBegunHasSaidNothing() throws IOException {
        assertThat(Qemu.console(directory)).isEmpty();
        assertThat(Qemu.hasPanicked(directory)).isFalse();
    }

    @Test
    void aGuestWhoseKernelGaveUpIsToldFromOneThatEndedOtherwise() throws IOException {
        says("[    5.3] Shutting down\n");
        assertThat(Qemu.hasPanicked(directory)).isFalse();
        says("[    3.4] Oops: int3: 0000 [#1]\n[    3.5] Kernel panic - not syncing: Fatal exception in interrupt\n");
        assertThat(Qemu.hasPanicked(directory)).isTrue();
    }
}
