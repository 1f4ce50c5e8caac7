// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Asserts the errno and the message of exceptions. */
final class Refusals {
    private Refusals() {}

    static void assertRefused(Errno errno, String message, ThrowingCallable call) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(call)
                .withMessageContaining(message)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(errno));
    }
}
