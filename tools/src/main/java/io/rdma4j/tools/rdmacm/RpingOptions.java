// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import org.jspecify.annotations.Nullable;

/**
 * The options of {@code rping}.
 *
 * @param server whether this is the server
 * @param address server: own address; client: address of the server
 * @param source own address of the client; null for that of the route
 * @param port of the server
 * @param size bytes of a ping
 * @param count number of pings of the client; 0 for no limit
 * @param prints whether the pings are printed
 * @param validates whether the client compares what comes back
 * @param persistent whether the server serves connection after connection
 * @param ownQp whether this program modifies the queue pair, and not the id
 */
record RpingOptions(
        boolean server,
        @Nullable String address,
        @Nullable String source,
        int port,
        int size,
        int count,
        boolean prints,
        boolean validates,
        boolean persistent,
        boolean ownQp) {
    /** Shortest ping: the number of the ping, a letter and the last byte fit. */
    static final int MIN_BYTES = 26;

    private static final int MAX_BYTES = 65_535;
    private static final int DEFAULT_BYTES = 64;
    private static final int DEFAULT_PORT = 7174;

    static final Option[] TABLE = {
        Option.flag('c', "client", "connect to a server"),
        Option.flag('s', "server", "wait for clients"),
        Option.value('a', "address", "addr", "of the server (server: default all addresses; ::0 for IPv6)"),
        Option.value('I', "source", "addr", "own address of the client (default by the route)"),
        Option.value('p', "port", "port", "port of the server (default 7174)"),
        Option.flag('P', "persistent", "serve any number of connections, until interrupted"),
        Option.value('C', "count", "count", "number of pings (default without end)"),
        Option.value('S', "size", "bytes", "of a ping, 26 to 65535 (default 64)"),
        Option.flag('v', "verbose", "print the data of each ping"),
        Option.flag('V', "validate", "compare the data that comes back"),
        Option.flag('q', "own-qp", "create and modify the queue pair without rdma_cm"),
        Option.flag('d', "debug", "accepted, without effect"),
        Option.JSON
    };

    static RpingOptions parse(Options options) {
        if (options.has("server") == options.has("client")) {
            throw new UsageException("either -s or -c is needed");
        }
        if (options.has("client") && !options.has("address")) {
            throw new UsageException("the client needs -a, the address of the server");
        }
        int size = options.number("size", DEFAULT_BYTES, Integer.MIN_VALUE, Integer.MAX_VALUE);
        if (size < MIN_BYTES || size > MAX_BYTES) {
            throw new UsageException("Invalid size " + size + " (valid range is " + MIN_BYTES + " to 65536)");
        }
        return new RpingOptions(
                options.has("server"),
                options.text("address"),
                options.text("source"),
                options.number("port", DEFAULT_PORT, 0, 65_535),
                size,
                options.number("count", 0, 1, Integer.MAX_VALUE),
                options.has("verbose"),
                options.has("validate"),
                options.has("persistent"),
                options.has("own-qp"));
    }
}
