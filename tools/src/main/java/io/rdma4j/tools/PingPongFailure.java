package io.rdma4j.tools;

import org.jspecify.annotations.Nullable;

/** A ping-pong cannot go on. The message is the line that the program of rdma-core prints; the cause, if there is one, has the reason. */
final class PingPongFailure extends Exception {
    private static final long serialVersionUID = 1L;

    PingPongFailure(String message) {
        super(message);
    }

    PingPongFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
