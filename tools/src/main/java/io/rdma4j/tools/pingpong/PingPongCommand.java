// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import io.rdma4j.base.RdmaException;
import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.peer.DeviceChoice;
import io.rdma4j.tools.peer.DeviceChoice.Choice;
import io.rdma4j.tools.peer.Rendezvous;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.device.LinkLayer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs one of the ping-pongs of rdma-core. Each of the two ends may be the original.
 *
 * <p>Exit code 1 for every failure, as the originals; also for wrong data, for which the originals return 0.
 */
public final class PingPongCommand extends GetoptCommand {
    private static final int FAILED = 1;

    /** Base of the stall limit; the time that a slow path needs for a message is added. */
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(5);

    private static final long SLOW_BYTES_PER_SECOND = 16 << 20;

    private final PingPongProgram program;
    private final Supplier<Host> host;

    /** @param host with named devices; called when the tool runs */
    public PingPongCommand(PingPongProgram program, Supplier<Host> host) {
        super(program.name(), FAILED, program.options().toArray(Option[]::new));
        this.program = program;
        this.host = host;
    }

    @Override
    protected String synopsis() {
        return """
            Usage: %1$s [OPTION...]         start a server and wait for connection
                   %1$s [OPTION...] <host>  connect to server at <host>\
            """.formatted(name());
    }

    @Override
    protected int run(Options given, PrintWriter out, PrintWriter err) throws InterruptedException {
        atMostOperands(given, 1);
        PingPongOptions options = PingPongOptions.of(program, given);
        DeviceChoice choice = new DeviceChoice(host, options.device(), options.gidIndex());
        try {
            String server = options.server();
            Optional<Choice> chosen =
                    server == null ? choice.beforePeer() : Optional.of(choice.to(server, options.tcpPort()));
            return chosen.isPresent() ? open(chosen.get(), options, null, out, err) : serve(choice, options, out, err);
        } catch (ToolFailure e) {
            e.print(name(), err);
            return FAILED;
        }
    }

    /** Runs a server on all devices: it uses the device that received the client's connection. */
    private int serve(DeviceChoice choice, PingPongOptions options, PrintWriter out, PrintWriter err)
            throws ToolFailure, InterruptedException {
        if (Warmup.isWanted()) {
            warmUp(LinkLayer.ETHERNET, options, err);
        }
        Socket client;
        try (Rendezvous.Listener listener = Rendezvous.listen(options.tcpPort())) {
            err.println(name() + ": waiting on TCP port " + options.tcpPort()
                    + "; the client's connection decides on the device");
            client = listener.accept();
        }
        try (client) {
            return open(choice.at(client.getLocalAddress()), options, client, out, err);
        } catch (IOException e) {
            throw new ToolFailure("Couldn't send/recv local address", e);
        }
    }

    /** @param peer the connection of the client; null if there is none yet, or this is the client */
    private int open(Choice choice, PingPongOptions options, @Nullable Socket peer, PrintWriter out, PrintWriter err)
            throws ToolFailure, InterruptedException {
        PingPongOptions complete = choice.gidIndex() > 0 ? options.withDefaultGid(choice.gidIndex()) : options;
        try (PingPongContext context = PingPongContext.open(choice.device(), program, complete)) {
            if (Warmup.isWanted() && peer == null) {
                warmUp(context.linkLayer(), complete, err);
            }
            return play(context, complete, peer, out);
        }
    }

    /** Runs the warm-up. If it fails, the ping-pong still runs, but is slower at first. */
    private void warmUp(LinkLayer layer, PingPongOptions options, PrintWriter err) throws InterruptedException {
        try {
            new Warmup(layer, program, options, stallNs(options)).run();
        } catch (ToolFailure | RdmaException e) {
            err.println(name() + ": no warm-up, so the first messages take longer: " + e.getMessage());
        }
    }

    private int play(PingPongContext context, PingPongOptions options, @Nullable Socket peer, PrintWriter out)
            throws ToolFailure, InterruptedException {
        PingPongLoop loop = new PingPongLoop(context, program, options, stallNs(options));
        loop.prepare();
        List<PingPongAddress> local = context.localAddresses();
        PrintWriter lines = options.json() ? new PrintWriter(Writer.nullWriter()) : out;
        List<PingPongAddress> remote =
                meet(context, options, local, peer, lines).subList(0, local.size());
        remote.forEach(address -> lines.println(address.line("remote address", ",")));
        boolean client = options.server() != null;
        if (client) {
            context.connect(remote);
        }
        PingPongResult result = loop.run(client);
        result.lines().forEach(lines::println);
        if (options.json()) {
            out.println(json(local, remote, result));
        }
        writeReport(context, options, local.getFirst(), remote.getFirst(), result, loop.intervals());
        Linger.stay(program, loop);
        return result.valid() ? 0 : FAILED;
    }

    private void writeReport(
            PingPongContext context,
            PingPongOptions options,
            PingPongAddress local,
            PingPongAddress remote,
            PingPongResult result,
            @Nullable Intervals intervals)
            throws ToolFailure {
        if (options.report() == null || intervals == null) {
            return;
        }
        try {
            PingPongReport.of(name(), context.deviceName(), options, local, remote, result, intervals.times())
                    .write(Path.of(options.report()));
        } catch (IOException e) {
            throw new ToolFailure("Couldn't write the report " + options.report(), e);
        }
    }

    /**
     * Exchanges addresses. The server prints its addresses when it accepts clients, so that scripts can wait for the
     * line.
     */
    private List<PingPongAddress> meet(
            PingPongContext context,
            PingPongOptions options,
            List<PingPongAddress> local,
            @Nullable Socket peer,
            PrintWriter out)
            throws ToolFailure {
        List<PingPongAddress> told = new ArrayList<>(local);
        while (told.size() < program.addresses()) {
            told.add(PingPongAddress.NONE);
        }
        String server = options.server();
        if (server != null) {
            printLocal(local, out);
            return OutOfBand.askServer(server, options.tcpPort(), told);
        }
        if (peer != null) {
            printLocal(local, out);
            return OutOfBand.answerClient(peer, told, context::connect);
        }
        try (Rendezvous.Listener listener = Rendezvous.listen(options.tcpPort())) {
            printLocal(local, out);
            return OutOfBand.answerClient(listener, told, context::connect);
        }
    }

    private void printLocal(List<PingPongAddress> local, PrintWriter out) {
        local.forEach(address -> out.println(program.localLine(address)));
    }

    private static long stallNs(PingPongOptions options) {
        long bytes = (long) options.sizeBytes() * options.queuePairs();
        return STALL_NS + TimeUnit.SECONDS.toNanos(bytes) / SLOW_BYTES_PER_SECOND;
    }

    private static String json(List<PingPongAddress> local, List<PingPongAddress> remote, PingPongResult result) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("local", json(local));
        members.put("remote", json(remote));
        members.putAll(result.json());
        return Json.text(members);
    }

    private static Object json(List<PingPongAddress> addresses) {
        return addresses.size() == 1
                ? addresses.getFirst().json()
                : addresses.stream().map(PingPongAddress::json).toList();
    }
}
