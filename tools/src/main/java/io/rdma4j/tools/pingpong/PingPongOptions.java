// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.tools.peer.Rendezvous;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Options of a ping-pong.
 *
 * @param tcpPort of the address exchange
 * @param device name or specification; null: the connection to the peer determines it
 * @param port of the device, from 1
 * @param sizeBytes of a message
 * @param pathMtu {@code path_mtu} of the queue pair
 * @param queuePairs connections to the peer
 * @param rxDepth receives posted at a time
 * @param iterations messages that each side sends, over all queue pairs
 * @param serviceLevel 4 bits
 * @param events sleep on the completion channel instead of polling
 * @param gidIndex slot of the port's GID table; {@link #DEFAULT_GID} if not given
 * @param timestamps print statistics of the times between receive completions
 * @param check check every byte of every received message
 * @param onDemand register memory whose pages are faulted in when they are used
 * @param deviceMemory put messages in memory of the device
 * @param newSend post with the allocation-free {@code ibv_wr_*} API
 * @param json print one JSON document
 * @param report file for the page with plots; null for none
 * @param server name or address of the server; null to be the server
 */
record PingPongOptions(
        int tcpPort,
        @Nullable String device,
        int port,
        int sizeBytes,
        Mtu pathMtu,
        int queuePairs,
        int rxDepth,
        int iterations,
        int serviceLevel,
        boolean events,
        int gidIndex,
        boolean timestamps,
        boolean check,
        boolean onDemand,
        boolean deviceMemory,
        boolean newSend,
        boolean json,
        @Nullable String report,
        @Nullable String server) {

    /** Value for a GID index that was not given: slot 0 on Ethernet, no global route on InfiniBand. */
    static final int DEFAULT_GID = -1;

    static final String TIMESTAMPS = "ts";
    static final String NEW_SEND = "new_send";
    static final String REPORT = "report";
    static final String QUEUE_PAIRS = "num-qp";

    /** Option of the programs whose messages may be longer than a packet. */
    static final Option MTU = Option.value('m', "mtu", "size", "path MTU (default 1024)");

    static final Option ODP = Option.flag('o', "odp", "use on demand paging");

    static final String DEVICE_MEMORY = "dm";

    static final int MAX_PORT = 255;
    static final int MAX_SERVICE_LEVEL = 15;

    /** Returns a copy for a warm-up: fewer messages, polling, no peer. */
    PingPongOptions warmingUp(int messages) {
        return new PingPongOptions(
                tcpPort,
                device,
                port,
                sizeBytes,
                pathMtu,
                queuePairs,
                rxDepth,
                messages,
                serviceLevel,
                false,
                DEFAULT_GID,
                timestamps,
                check,
                onDemand,
                deviceMemory,
                newSend,
                false,
                null,
                null);
    }

    /** Returns a copy with a slot of the GID table, unless the user has given one. */
    PingPongOptions withDefaultGid(int index) {
        return gidIndex >= 0
                ? this
                : new PingPongOptions(
                        tcpPort,
                        device,
                        port,
                        sizeBytes,
                        pathMtu,
                        queuePairs,
                        rxDepth,
                        iterations,
                        serviceLevel,
                        events,
                        index,
                        timestamps,
                        check,
                        onDemand,
                        deviceMemory,
                        newSend,
                        json,
                        report,
                        server);
    }

    /** The options of all programs, {@code more}, and those of this project: {@code --device}, {@code --json}. */
    static List<Option> with(PingPongProgram program, Option... more) {
        Option report = Option.value(
                Option.NO_LETTER, REPORT, "file", "write a page with the distribution of the round trips (HTML)");
        return common(
                program.defaultSizeBytes(),
                Stream.concat(Stream.of(report), Stream.of(more)).toList());
    }

    /** The options of all programs, with a default message size, and {@code more}. */
    static List<Option> common(int defaultSizeBytes, List<Option> more) {
        Stream<Option> common = Stream.of(
                Option.value(
                        'p',
                        "port",
                        "port",
                        "listen on/connect to port <port> (default " + Rendezvous.DEFAULT_PORT + ")"),
                Option.value('d', "ib-dev", "dev", "use IB device <dev> (default: that of the route to the peer)"),
                Option.value(
                        Option.NO_LETTER,
                        "device",
                        "dev",
                        "the same, or <name>=udp:<address>[:<port>] (tap:, packet:) to make a device"),
                Option.value('i', "ib-port", "port", "use port <port> of IB device (default 1)"),
                Option.value('s', "size", "size", "size of message to exchange (default " + defaultSizeBytes + ")"),
                Option.value('r', "rx-depth", "dep", "number of receives to post at a time (default 500)"),
                Option.value('n', "iters", "iters", "number of exchanges (default 1000)"),
                Option.value('l', "sl", "sl", "service level value"),
                Option.flag('e', "events", "sleep on CQ events (default poll)"),
                Option.value(
                        'g',
                        "gid-idx",
                        "gid index",
                        "local port gid index (default on Ethernet: of the address that the peer is reached from)"),
                Option.flag('c', "chk", "validate received buffer: every byte of every message"),
                Option.JSON);
        return Stream.concat(common, more.stream()).toList();
    }

    /** @throws UsageException for options that are out of range or have no effect here */
    static PingPongOptions of(PingPongProgram program, Options given) {
        refuseImpossible(given);
        if (given.has(ODP.name()) && given.has(DEVICE_MEMORY)) {
            throw new UsageException("DM memory region can't be on demand: leave out --odp or --dm");
        }
        String device = given.text("device");
        return new PingPongOptions(
                given.number("port", Rendezvous.DEFAULT_PORT, 1, Rendezvous.MAX_PORT),
                device == null ? given.text("ib-dev") : device,
                given.number("ib-port", 1, 1, MAX_PORT),
                given.number("size", program.defaultSizeBytes(), 1, Integer.MAX_VALUE),
                mtu(given),
                queuePairs(program, given),
                given.number("rx-depth", 500, 1, Integer.MAX_VALUE - 1),
                given.number("iters", 1000, 1, Integer.MAX_VALUE),
                given.number("sl", 0, 0, MAX_SERVICE_LEVEL),
                given.has("events"),
                given.number("gid-idx", DEFAULT_GID, DEFAULT_GID, Integer.MAX_VALUE),
                given.has(TIMESTAMPS),
                given.has("chk"),
                given.has(ODP.name()),
                given.has(DEVICE_MEMORY),
                given.has(NEW_SEND),
                given.has(Option.JSON.name()),
                given.text(REPORT),
                given.operands().isEmpty() ? null : given.operands().getFirst());
    }

    private static int queuePairs(PingPongProgram program, Options given) {
        if (!program.sharesReceives()) {
            return 1;
        }
        int count = given.number(QUEUE_PAIRS, SrqPingPong.DEFAULT_QUEUE_PAIRS, 1, SrqPingPong.MAX_QUEUE_PAIRS);
        int rxDepth = given.number("rx-depth", SrqPingPong.MAX_QUEUE_PAIRS, 1, Integer.MAX_VALUE - 1);
        if (count > rxDepth) {
            throw new UsageException("rx_depth " + rxDepth + " is too small for " + count
                    + " QPs -- must have at least one receive per QP.");
        }
        return count;
    }

    /** {@code -m}: 1024 bytes if not given. */
    static Mtu mtu(Options given) {
        int bytes = given.number("mtu", Mtu.MTU_1024.bytes(), 0, Integer.MAX_VALUE);
        try {
            return Mtu.ofBytes(bytes);
        } catch (RdmaException e) {
            throw new UsageException("--mtu=" + bytes + ": " + e.getMessage());
        }
    }

    /**
     * Rejects options without a counterpart in the verbs here. Ignoring them would measure something else than the user
     * requested.
     */
    private static void refuseImpossible(Options given) {
        if (given.has("iodp")) {
            throw new UsageException("The device doesn't support implicit ODP: a Java program cannot give it the whole"
                    + " address space; --odp registers the buffer on demand");
        }
        if (given.has("prefetch")) {
            throw new UsageException("--prefetch: these verbs have no ibv_advise_mr; leave it out, and --odp pages the"
                    + " buffer in at the first message");
        }
        if (given.has("allow-cc-unprotected")) {
            throw new UsageException(
                    "--allow-cc-unprotected: the device runs in this process and reads protected memory"
                            + " of a confidential guest as it is; leave it out");
        }
    }
}
