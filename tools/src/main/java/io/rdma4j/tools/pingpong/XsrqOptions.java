// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import io.rdma4j.base.Mtu;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.tools.peer.Rendezvous;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Options of {@code ibv_xsrq_pingpong}.
 *
 * @param tcpPort of the address exchange
 * @param device name or specification; null: the connection to the peer determines it
 * @param port of the device, from 1
 * @param sizeBytes of a message
 * @param pathMtu {@code path_mtu} of the queue pairs
 * @param tests messages that each side sends
 * @param serviceLevel 4 bits
 * @param events sleep on the completion channel instead of polling
 * @param gidIndex slot of the port's GID table
 * @param onDemand register memory whose pages are faulted in when they are used
 * @param json print one JSON document
 * @param server name or address of the server; null to be the server
 */
record XsrqOptions(
        int tcpPort,
        @Nullable String device,
        int port,
        int sizeBytes,
        Mtu pathMtu,
        int tests,
        int serviceLevel,
        boolean events,
        int gidIndex,
        boolean onDemand,
        boolean json,
        @Nullable String server) {
    private static final int DEFAULT_SIZE = 4096;
    private static final int DEFAULT_TESTS = 5;

    /** Options that have another meaning in this program. */
    private static final Set<String> OF_THE_OTHERS = Set.of("rx-depth", "iters", "chk");

    /** All options of the program, and {@code --device} of this project. */
    static Option[] table() {
        List<Option> own = List.of(
                PingPongOptions.MTU,
                Option.value('c', "clients", "n", "number of clients (default 1, and no more: see below)"),
                Option.value('n', "num_tests", "n", "number of tests (default " + DEFAULT_TESTS + ")"),
                PingPongOptions.ODP);
        return PingPongOptions.common(DEFAULT_SIZE, own).stream()
                .filter(option -> !OF_THE_OTHERS.contains(option.name()))
                .toArray(Option[]::new);
    }

    /** @throws UsageException for options that are out of range or have no effect here */
    static XsrqOptions of(Options given) {
        if (given.number("clients", 1, 1, Integer.MAX_VALUE) > 1) {
            throw new UsageException(
                    "--clients: more than one share an XRC domain between their processes, and a domain lives in"
                            + " one process here; start a server for each client");
        }
        String device = given.text("device");
        return new XsrqOptions(
                given.number("port", Rendezvous.DEFAULT_PORT, 1, Rendezvous.MAX_PORT),
                device == null ? given.text("ib-dev") : device,
                given.number("ib-port", 1, 1, PingPongOptions.MAX_PORT),
                given.number("size", DEFAULT_SIZE, 1, Integer.MAX_VALUE),
                PingPongOptions.mtu(given),
                given.number("num_tests", DEFAULT_TESTS, 1, Integer.MAX_VALUE),
                given.number("sl", 0, 0, PingPongOptions.MAX_SERVICE_LEVEL),
                given.has("events"),
                given.number("gid-idx", 0, 0, Integer.MAX_VALUE),
                given.has(PingPongOptions.ODP.name()),
                given.has(Option.JSON.name()),
                given.operands().isEmpty() ? null : given.operands().getFirst());
    }
}
