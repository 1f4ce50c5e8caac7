package io.rdma4j.testing.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.BadWorkRequestException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Asserts that a call is refused, and with which number. */
final class Refusals {
    private Refusals() {}

    static void assertRefused(Errno errno, ThrowingCallable call) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(call)
                .satisfies(e -> assertThat(e.errno()).as(e.getMessage()).isEqualTo(errno));
    }

    /** @param index what {@code bad_wr} points at */
    static void assertBadRequest(Errno errno, int index, ThrowingCallable call) {
        assertThatExceptionOfType(BadWorkRequestException.class)
                .isThrownBy(call)
                .satisfies(e -> {
                    assertThat(e.errno()).as(e.getMessage()).isEqualTo(errno);
                    assertThat(e.index()).as(e.getMessage()).isEqualTo(index);
                });
    }
}
