// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.Resource;
import io.rdma4j.verbs.values.ResourceKind;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A served device with its client, for each test. */
abstract class ServerFixture {
    @TempDir
    Path folder;

    @TempDir
    Path memory;

    ServedDevice served;

    @BeforeEach
    final void serve() {
        served = new ServedDevice(folder, UverbsServer.ABI_VERSION);
    }

    @AfterEach
    final void close() {
        served.close();
    }

    static void assertRefused(Errno errno, String part, ThrowingCallable verb) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(verb)
                .withMessageContaining(part)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(errno));
    }

    final List<ResourceKind> kinds() {
        return served.device.resources().stream().map(Resource::kind).toList();
    }

    final void awaitResources(int count) {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (served.device.resources().size() != count && System.nanoTime() < endNs) {
            Thread.onSpinWait();
        }
        assertThat(served.device.resources()).hasSize(count);
    }
}
