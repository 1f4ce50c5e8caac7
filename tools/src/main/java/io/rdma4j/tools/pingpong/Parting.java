package io.rdma4j.tools.pingpong;

import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.QpType;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long the end of a ping-pong stays when it has got all it wanted. The original goes at once; a peer that has not heard the
 * acknowledgement of the last message, or not in time, then repeats that to nobody, and waits for ever.
 */
final class Parting {
    /** An environment variable: milliseconds. */
    static final String VARIABLE = "RDMA4J_STAY_MS";

    private static final long MOST_MS = Duration.ofMinutes(1).toMillis();

    private Parting() {}

    /** Stays as long as the user says, if the service repeats anything; who polls answers what is repeated at once. */
    static void stay(PingPongProgram program, PingPongLoop loop) throws ToolFailure {
        long stayNs = duration(System.getenv(VARIABLE)).toNanos();
        long beganNs = System.nanoTime();
        while (program.type() == QpType.RC && System.nanoTime() - beganNs < stayNs) {
            loop.poll();
        }
    }

    /**
     * What the user says.
     *
     * @param text of the variable; null if there is none
     */
    static Duration duration(@Nullable String text) throws ToolFailure {
        if (text == null) {
            return Duration.ZERO;
        }
        try {
            long ms = Long.parseLong(text);
            if (ms >= 0 && ms <= MOST_MS) {
                return Duration.ofMillis(ms);
            }
        } catch (NumberFormatException _) {
            // said below
        }
        throw new ToolFailure(VARIABLE + "=" + text + ": not a number from 0 to " + MOST_MS);
    }
}
