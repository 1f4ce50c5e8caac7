// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import java.time.Duration;

/**
 * Limits of a server's sessions.
 *
 * @param sessions maximum number of open sessions
 * @param greeting time limit from the connection to the context; a slower client is disconnected
 */
record SessionLimits(int sessions, Duration greeting) {
    static final SessionLimits DEFAULT = new SessionLimits(1024, Duration.ofSeconds(30));
}
