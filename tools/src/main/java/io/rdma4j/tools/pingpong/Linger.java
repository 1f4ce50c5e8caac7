// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.values.QpType;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Time that one end of a ping-pong keeps polling after its last message. The original ends immediately. If the last
 * acknowledgement was lost or late, the peer then retransmits to an ended process and fails.
 */
final class Linger {
    /** Environment variable, in milliseconds. */
    static final String VARIABLE = "RDMA4J_LINGER_MS";

    private static final long MOST_MS = Duration.ofMinutes(1).toMillis();

    private Linger() {}

    /** Polls for the configured time if the service retransmits; polling answers retransmissions immediately. */
    static void stay(PingPongProgram program, PingPongLoop loop) throws ToolFailure {
        long stayNs = duration(System.getenv(VARIABLE)).toNanos();
        long beganNs = System.nanoTime();
        while (program.type() == QpType.RC && System.nanoTime() - beganNs < stayNs) {
            loop.poll();
        }
    }

    /**
     * Parses the configured time.
     *
     * @param text of the variable; null if it is not set
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
            // reported below
        }
        throw new ToolFailure(VARIABLE + "=" + text + ": not a number from 0 to " + MOST_MS);
    }
}
