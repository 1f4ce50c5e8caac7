package io.rdma4j.packet;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Where in the program a buffer was allocated or freed; a cause for exceptions, never thrown itself. */
final class BufferSite extends Throwable {
    private static final long serialVersionUID = 1L;

    /** Enough to see which part of the program it is. */
    private static final int FRAMES = 4;

    BufferSite(String what) {
        super(what + " by " + Thread.currentThread().getName());
    }

    /** One line for people: the innermost frames outside of the buffer's own classes. */
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
