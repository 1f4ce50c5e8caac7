// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.BadWorkRequestException;
import java.util.regex.Pattern;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Asserts that a call is rejected with an errno, and that the message contains the value and the limit. */
public final class Refusals {
    private Refusals() {}

    /** @param named whole words or numbers that the message must contain */
    public static void assertRefused(Errno errno, ThrowingCallable call, Object... named) {
        assertThatExceptionOfType(RdmaException.class).isThrownBy(call).satisfies(e -> assertSays(e, errno, named));
    }

    /** @param index of the request that {@code bad_wr} returns */
    public static void assertBadRequest(Errno errno, int index, ThrowingCallable call, Object... named) {
        assertThatExceptionOfType(BadWorkRequestException.class)
                .isThrownBy(call)
                .satisfies(e -> {
                    assertSays(e, errno, named);
                    assertThat(e.index()).as(e.getMessage()).isEqualTo(index);
                });
    }

    /** Asserts that an exception has this errno and that its message contains these words. */
    public static void assertSays(RdmaException refusal, Errno errno, Object... named) {
        assertThat(refusal.errno()).as(refusal.getMessage()).isEqualTo(errno);
        for (Object one : named) {
            assertThat(refusal.getMessage()).containsPattern("(?<![\\w-])" + Pattern.quote(one.toString()) + "(?!\\w)");
        }
    }
}
