// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import org.junit.jupiter.api.Test;

class NativeAccessTest {
    private final Module tests = NativeAccessTest.class.getModule();

    @Test
    void anotherSystemOrMachineIsNamed() {
        assertThat(NativeAccess.obstacle("Mac OS X", "aarch64", tests)).contains("Mac OS X");
        assertThat(NativeAccess.obstacle("Linux", "s390x", tests)).contains("aarch64, amd64", "s390x");
    }

    @Test
    void aModuleThatMayNotCallSaysHowToStartJava() {
        Module jupiter = Test.class.getModule();
        if (jupiter.isNamed()) {
            assertThat(NativeAccess.obstacle("Linux", "amd64", jupiter))
                    .endsWith("--enable-native-access=" + jupiter.getName());
        }
        assertThat(NativeAccess.obstacle("Linux", "amd64", tests)).isNull();
    }

    @Test
    void anErrorHasItsNumberTheCallAndTheAdvice() {
        assertThat(LinuxError.of(-1, "tap0", "TUNSETIFF", "ask root"))
                .hasMessage("EPERM: tap0: TUNSETIFF: Operation not permitted; ask root")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EPERM));
        assertThat(LinuxError.of(-77, "tap0", "read", "look"))
                .as("one that has no name here")
                .hasMessage("EIO: tap0: read: error number 77; look");
    }
}
