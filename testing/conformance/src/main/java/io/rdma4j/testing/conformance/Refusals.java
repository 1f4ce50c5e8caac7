package io.rdma4j.testing.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.BadWorkRequestException;
import java.util.regex.Pattern;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Asserts that a call is refused, with which number, and what the message names: the value that was given and the limit. */
final class Refusals {
    private Refusals() {}

    /** @param named words or numbers that the message must have in it, whole ones */
    static void assertRefused(Errno errno, ThrowingCallable call, Object... named) {
        assertThatExceptionOfType(RdmaException.class).isThrownBy(call).satisfies(e -> assertSays(e, errno, named));
    }

    /** @param index what {@code bad_wr} points at */
    static void assertBadRequest(Errno errno, int index, ThrowingCallable call, Object... named) {
        assertThatExceptionOfType(BadWorkRequestException.class)
                .isThrownBy(call)
                .satisfies(e -> {
                    assertSays(e, errno, named);
                    assertThat(e.index()).as(e.getMessage()).isEqualTo(index);
                });
    }

    /** Asserts that a refusal has this number, and names these. */
    static void assertSays(RdmaException refusal, Errno errno, Object... named) {
        assertThat(refusal.errno()).as(refusal.getMessage()).isEqualTo(errno);
        for (Object one : named) {
            assertThat(refusal.getMessage()).containsPattern("(?<![\\w-])" + Pattern.quote(one.toString()) + "(?!\\w)");
        }
    }
}
