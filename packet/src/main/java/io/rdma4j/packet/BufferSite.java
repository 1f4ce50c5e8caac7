package io.rdma4j.packet;

import java.util.Arrays;
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

    /** Returns the innermost frames outside {@link SkBuff} and {@link SkBuffPool} as one line of text. */
    String line() {
        return Arrays.stream(getStackTrace())
                .dropWhile(frame -> isOwn(frame.getClassName()))
                .limit(FRAMES)
                .map(StackTraceElement::toString)
                .collect(Collectors.joining(" < ", getMessage() + " at ", ""));
    }

    private static boolean isOwn(String className) {
        return className.equals(SkBuff.class.getName()) || className.equals(SkBuffPool.class.getName());
    }
}
