// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Records the stack trace of an allocation or a {@code free}. It is used as the cause of exceptions and never thrown.
 */
final class BufferSite extends Throwable {
    private static final long serialVersionUID = 1L;

    /** Maximum number of stack frames in {@link #line}. */
    private static final int FRAMES = 4;

    BufferSite(String what) {
        super(what + " by " + Thread.currentThread().getName());
    }

    /**
     * Returns the innermost frames as one line of text.
     *
     * @param own classes whose frames are left out at the start
     */
    String line(Class<?>... own) {
        Set<String> names = Arrays.stream(own).map(Class::getName).collect(Collectors.toSet());
        return Arrays.stream(getStackTrace())
                .dropWhile(frame -> names.contains(frame.getClassName()))
                .limit(FRAMES)
                .map(StackTraceElement::toString)
                .collect(Collectors.joining(" < ", getMessage() + " at ", ""));
    }
}
