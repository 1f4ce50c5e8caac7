// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The options of {@code ucmatose} and {@code udaddy}.
 *
 * @param server address of the server; null at the server
 * @param bind own address; null for all addresses of the server, or that of the client's route
 * @param family of both addresses
 * @param space of the port
 * @param port of the server
 * @param connections number of connections
 * @param messages number of messages of each connection in each direction
 * @param bytes of a message
 * @param typeOfService of the packets; negative for the default
 * @param ackTimeout exponent of 4.096 µs; negative for the default
 * @param migrates whether the ids change their event channel once they are connected
 */
record TransferOptions(
        @Nullable String server,
        @Nullable String bind,
        CmTool.Family family,
        PortSpace space,
        int port,
        int connections,
        int messages,
        int bytes,
        int typeOfService,
        int ackTimeout,
        boolean migrates) {
    private static final int MAX_CONNECTIONS = 10_000;
    private static final int MAX_MESSAGES = 16_000;
    private static final int MAX_BYTES = 1 << 30;

    static final Option SERVER = Option.value('s', "server", "addr", "address of the server; the server has none");
    static final Option BIND = Option.value('b', "bind", "addr", "own address (default all, or by the route)");
    static final Option FAMILY = Option.value('f', "format", "form", "of addresses: name, ip, ipv6 (default name)");
    static final Option CONNECTIONS = Option.value('c', "connections", "count", "number of connections (default 1)");
    static final Option MESSAGES = Option.value('C', "messages", "count", "in each direction (default 10)");
    static final Option BYTES = Option.value('S', "size", "bytes", "of a message (default 100)");
    static final Option TOS = Option.value('t', "tos", "tos", "type of service of the packets");

    /**
     * @param space the only port space, whose name {@code -P} may give
     * @param port default
     */
    static TransferOptions parse(Options options, PortSpace space, int port) {
        String wanted = options.text("port-space");
        if (wanted != null && !wanted.equals(space.name().toLowerCase(Locale.ROOT))) {
            throw new UsageException("port space " + wanted + ": RoCE devices have "
                    + space.name().toLowerCase(Locale.ROOT) + " only");
        }
        return new TransferOptions(
                options.text("server"),
                options.text("bind"),
                family(options.text("format")),
                space,
                options.number("port", port, 0, 65_535),
                options.number("connections", 1, 1, MAX_CONNECTIONS),
                options.number("messages", 10, 0, MAX_MESSAGES),
                options.number("size", 100, 0, MAX_BYTES),
                options.number("tos", -1, 0, 255),
                options.number("ack-timeout", -1, 0, 31),
                options.has("migrate"));
    }

    private static CmTool.Family family(@Nullable String format) {
        return switch (format == null ? "name" : format) {
            case "name" -> CmTool.Family.ANY;
            case "ip" -> CmTool.Family.IPV4;
            case "ipv6" -> CmTool.Family.IPV6;
            default -> throw new UsageException("address format " + format + " is none of name, ip, ipv6");
        };
    }
}
