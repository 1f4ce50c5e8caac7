// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Contents of messages: each byte depends on its position and on the message's number. */
public final class Bytes {
    private Bytes() {}

    private static byte at(long index, int number) {
        return (byte) (index * 31 + (index >> 8) * 7 + number * 53L + 1);
    }

    /** Fills {@code segment} with the contents of message {@code number}. */
    public static void fill(MemorySegment segment, int number) {
        for (long i = 0; i < segment.byteSize(); i++) {
            segment.set(ValueLayout.JAVA_BYTE, i, at(i, number));
        }
    }

    /** Asserts that {@code segment} holds the contents of message {@code number}. */
    public static void assertHolds(MemorySegment segment, int number) {
        for (long i = 0; i < segment.byteSize(); i++) {
            if (segment.get(ValueLayout.JAVA_BYTE, i) != at(i, number)) {
                assertThat(segment.get(ValueLayout.JAVA_BYTE, i))
                        .as("byte " + i + " of message " + number)
                        .isEqualTo(at(i, number));
            }
        }
    }

    /** Asserts that all bytes of {@code segment} are unchanged. */
    public static void assertUntouched(MemorySegment segment) {
        for (long i = 0; i < segment.byteSize(); i++) {
            if (segment.get(ValueLayout.JAVA_BYTE, i) != 0) {
                assertThat(i).as("an untouched byte").isEqualTo(-1);
            }
        }
    }
}
