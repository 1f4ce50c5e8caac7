package io.rdma4j.uverbs.server;

import java.time.Duration;

/**
 * How much clients may have of a server.
 *
 * @param sessions open at the same time
 * @param greeting time from the connection to a context; a client that has none after that time is disconnected
 */
record SessionLimits(int sessions, Duration greeting) {
    static final SessionLimits DEFAULT = new SessionLimits(1024, Duration.ofSeconds(30));
}
