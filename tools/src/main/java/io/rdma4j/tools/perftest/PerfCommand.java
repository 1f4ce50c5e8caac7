// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.peer.DeviceChoice;
import io.rdma4j.tools.peer.DeviceChoice.Choice;
import io.rdma4j.tools.peer.Rendezvous;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.tools.rdmacm.CmTool;
import io.rdma4j.tools.report.RunInfo;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs one of the performance tests. Exit code 1 for every failure, as perftest. */
public final class PerfCommand extends GetoptCommand {
    private static final int FAILED = 1;

    private final PerfTest test;
    private final PerfOptionTable table;
    private final Supplier<Host> host;
    /** @param host with named devices; called when the tool runs */
    public PerfCommand(PerfTest test, Supplier<Host> host) {
        super(test.name(), FAILED, new PerfOptionTable(test).options());
        this.test = test;
        this.table = new PerfOptionTable(test);
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
    protected int run(Options given, PrintWriter out, PrintWriter err) throws InterruptedException, IOException {
        atMostOperands(given, 1);
        if (given.has("version")) {
            out.println("Version: " + PerfExchange.VERSION);
            return 0;
        }
        PerfOptions options = table.of(given);
        DeviceChoice choice =
                new DeviceChoice(host, options.device(), options.connection().gidIndex());
        try {
            if (options.cm().carriesExchange()) {
                return overCm(choice, options, out, err);
            }
            String server = options.server();
            Optional<Choice> chosen =
                    server == null ? choice.beforePeer() : Optional.of(choice.to(server, options.tcpPort()));
            return chosen.isPresent() ? open(chosen.get(), options, out, err) : serve(choice, options, out, err);
        } catch (ToolFailure e) {
            e.print(name(), err);
            return FAILED;
        } catch (InterruptedException e) {
            err.println(name() + ": interrupted");
            return FAILED;
        }
    }

    private PerfPrinter printer(PerfOptions options, PrintWriter out) {
        return new PerfPrinter(test, options, options.reporting().json() ? new PrintWriter(Writer.nullWriter()) : out);
    }

    /** Runs a test with a device that does not depend on the peer. */
    private int open(Choice choice, PerfOptions options, PrintWriter out, PrintWriter err)
            throws ToolFailure, IOException, InterruptedException {
        PerfPrinter printer = printer(options, out);
        try (PerfContext context = PerfContext.open(choice.device(), choice.gidIndex(), options);
                PeerLink peer = connect(options, printer)) {
            return run(options, context, peer, null, out, err);
        }
    }

    /** Runs a test whose exchange goes over rdma_cm: the address determines the device. */
    private int overCm(DeviceChoice choices, PerfOptions options, PrintWriter out, PrintWriter err)
            throws ToolFailure, IOException, InterruptedException {
        if (!options.isClient()) {
            printer(options, out).waiting();
        }
        try (CmTool.Service service = CmTool.open(host);
                PeerLink peer = options.isClient()
                        ? CmPeerLink.connect(service.cm(), options)
                        : CmPeerLink.accept(service.cm(), options)) {
            Choice choice = choices.at(peer.localAddress());
            checkName(options, choice.device(), peer);
            try (PerfContext context = PerfContext.open(choice.device(), choice.gidIndex(), options)) {
                CmQueuePairs connector = null;
                if (options.cm().connects()) {
                    connector = new CmQueuePairs(service.cm(), test, options);
                    context.closeWith(connector);
                }
                return run(options, context, peer, connector, out, err);
            }
        }
    }

    private static void checkName(PerfOptions options, Device device, PeerLink peer) throws ToolFailure {
        String wanted = options.device();
        if (wanted != null && !wanted.equals(device.name())) {
            throw new ToolFailure("rdma_cm connects from " + peer.localAddress().getHostAddress()
                    + ", which belongs to " + device.name() + ", not to " + wanted + ": leave out -d");
        }
    }

    /** Runs a server on all devices: it uses the device that received the client's connection. */
    private int serve(DeviceChoice choices, PerfOptions options, PrintWriter out, PrintWriter err)
            throws ToolFailure, IOException, InterruptedException {
        try (PeerLink peer = connect(options, printer(options, out))) {
            Choice choice = choices.at(peer.localAddress());
            try (PerfContext context = PerfContext.open(choice.device(), choice.gidIndex(), options)) {
                return run(options, context, peer, null, out, err);
            }
        }
    }

    private int run(
            PerfOptions options,
            PerfContext context,
            PeerLink peer,
            @Nullable CmQueuePairs connector,
            PrintWriter out,
            PrintWriter err)
            throws ToolFailure, IOException, InterruptedException {
        PerfPrinter printer = printer(options, out);
        try (PerfExchange exchange = new PerfExchange(peer)) {
            PerfSession session = new PerfSession(test, options, exchange, context, connector, printer);
            session.run(context.device().name());
            report(session, options, context.device(), printer, out);
            if (options.waitDestroyS() > 0) {
                printer.waitsBeforeDestroying(options.waitDestroyS());
                // The latch is never counted down: the wait ends by timeout or interrupt.
                boolean _ = new CountDownLatch(1).await(options.waitDestroyS(), TimeUnit.SECONDS);
            }
            return verdict(session.bandwidths(), options, err);
        }
    }

    private void report(PerfSession session, PerfOptions options, Device device, PerfPrinter printer, PrintWriter out)
            throws IOException {
        PerfOptions.Reporting reporting = options.reporting();
        if (reporting.json() || reporting.jsonFile() != null) {
            String document = Json.text(json(session, options, device, printer));
            if (reporting.json()) {
                out.println(document);
            }
            if (reporting.jsonFile() != null) {
                Files.writeString(Path.of(reporting.jsonFile()), document + System.lineSeparator());
            }
        }
        if (reporting.page() != null) {
            PerfReport.of(printer.title(), session, options, device).write(Path.of(reporting.page()));
        }
    }

    private static PeerLink connect(PerfOptions options, PerfPrinter printer) throws ToolFailure, IOException {
        if (options.server() != null) {
            return new TcpPeerLink(
                    Rendezvous.connect(options.server(), options.tcpPort(), options.sourceAddress()), true);
        }
        try (Rendezvous.Listener listener = Rendezvous.listen(options.tcpPort(), options.sourceAddress())) {
            printer.waiting();
            return new TcpPeerLink(listener.accept(), false);
        }
    }

    private static int verdict(List<BandwidthResult> results, PerfOptions options, PrintWriter err) {
        int exitCode = 0;
        if (results.stream().anyMatch(result -> result.average() < options.limitBandwidth())) {
            err.println("Error: BW result is below bw limit");
            exitCode = FAILED;
        }
        if (results.stream().anyMatch(result -> result.messageRate() < options.limitMessageRate())) {
            err.println("Error: Msg rate  is below msg_rate limit");
            exitCode = FAILED;
        }
        return exitCode;
    }

    /** Name of the driver, which only a device of this process provides. */
    private static String driver(Device device) {
        return device.driverId() == 0 ? "uverbs" : "rxe";
    }

    private Map<String, Object> json(PerfSession session, PerfOptions options, Device device, PerfPrinter printer) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("test", printer.title());
        members.put("device", device.name());
        members.put("run", RunInfo.ofThisProcess().put("driver", driver(device)).facts());
        members.put("mtu", session.mtu().bytes());
        members.put("connection", Verb.name(options.connection().service()));
        members.put("qps", options.load().queuePairs());
        members.put("local", session.local().stream().map(PerfAddress::json).toList());
        members.put("remote", session.remote().stream().map(PerfAddress::json).toList());
        if (!test.isLatency()) {
            members.put("unit", options.gigabits() ? "Gb/sec" : "MiB/sec");
        }
        members.put(
                "results",
                test.isLatency()
                        ? session.latencies().stream().map(LatencyResult::json).toList()
                        : session.bandwidths().stream()
                                .map(BandwidthResult::json)
                                .toList());
        return members;
    }
}
