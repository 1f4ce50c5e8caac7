// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A program that does the work of a row: one process, or a server and a client.
 *
 * @param name name in the tables
 * @param server command line; {@link #PORT} represents a free TCP port on which it listens when it is ready; empty for
 *     none
 * @param client command line of the process that prints the result
 * @param environment of both, in addition to that of this process
 * @param reading finds the result in the output
 * @param missing reason why it cannot run on this machine; null if it can
 */
record Contender(
        String name,
        List<String> server,
        List<String> client,
        Map<String, String> environment,
        Reading reading,
        @Nullable String missing) {
    /** Placeholder of a free port in command lines. */
    static final String PORT = "{port}";

    /** A single process. */
    static Contender alone(String name, Reading reading, List<String> command) {
        return new Contender(name, List.of(), command, Map.of(), reading, null);
    }

    /** Two processes. */
    static Contender pair(String name, Reading reading, List<String> server, List<String> client) {
        return new Contender(name, server, client, Map.of(), reading, null);
    }

    /** Returns a copy with another name. */
    Contender named(String other) {
        return new Contender(other, server, client, environment, reading, missing);
    }

    /** Returns a copy with more environment variables. */
    Contender with(Map<String, String> variables) {
        Map<String, String> all = new HashMap<>(environment);
        all.putAll(variables);
        return new Contender(name, server, client, Map.copyOf(all), reading, missing);
    }

    /** Returns this contender if {@code reason} is null; otherwise one that cannot run. */
    Contender unless(@Nullable String reason) {
        return new Contender(name, server, client, environment, reading, reason);
    }
}
