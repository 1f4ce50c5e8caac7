package io.rdma4j.tools;

import io.rdma4j.verbs.Host;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * {@code ibv_rc_pingpong}: the ping-pong over a reliable connection of rdma-core. Each of the two ends may be the original.
 *
 * <p>Exit code 1 for every failure, as the original; also for wrong data, where the original ends with 0.
 */
final class IbvRcPingPongCommand extends GetoptCommand {
    private static final int FAILED = 1;

    /** Without a completion for so long, plus the time that a slow path takes for a message, the peer is suspected dead. */
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(5);

    private static final long SLOW_BYTES_PER_SECOND = 16 << 20;

    private final Supplier<Host> host;

    IbvRcPingPongCommand(Supplier<Host> host) {
        super("ibv_rc_pingpong", FAILED, PingPongOptions.table());
        this.host = host;
    }

    @Override
    String synopsis() {
        return """
                Usage: ibv_rc_pingpong [OPTION...]         start a server and wait for connection
                       ibv_rc_pingpong [OPTION...] <host>  connect to server at <host>""";
    }

    @Override
    int run(Options given, PrintWriter out, PrintWriter err) throws InterruptedException {
        atMostOperands(given, 1);
        PingPongOptions options = PingPongOptions.of(given);
        try (PingPongContext context = PingPongContext.open(DeviceChoice.find(host, options.device()), options)) {
            return play(context, options, out);
        } catch (PingPongFailure e) {
            err.println(e.getMessage());
            if (e.getCause() != null) {
                err.println(name() + ": " + e.getCause().getMessage());
            }
            return FAILED;
        }
    }

    private static int play(PingPongContext context, PingPongOptions options, PrintWriter out)
            throws PingPongFailure, InterruptedException {
        RcPingPong pingPong = new RcPingPong(context, options, stallNs(options));
        pingPong.prepare();
        PingPongAddress local = context.localAddress();
        PrintWriter lines = options.json() ? new PrintWriter(Writer.nullWriter()) : out;
        PingPongAddress remote = meet(context, options, local, lines);
        lines.println(remote.line("remote address"));
        boolean client = options.server() != null;
        if (client) {
            context.connect(remote);
        }
        PingPongResult result = pingPong.run(client);
        result.lines().forEach(lines::println);
        if (options.json()) {
            out.println(json(local, remote, result));
        }
        return result.valid() ? 0 : FAILED;
    }

    /** Exchanges addresses. The local one is printed when a client may come, so that scripts can wait for the line. */
    private static PingPongAddress meet(
            PingPongContext context, PingPongOptions options, PingPongAddress local, PrintWriter out)
            throws PingPongFailure {
        String server = options.server();
        if (server != null) {
            out.println(local.line("local address"));
            return OutOfBand.askServer(server, options.tcpPort(), local);
        }
        try (OutOfBand.Listener listener = OutOfBand.listen(options.tcpPort())) {
            out.println(local.line("local address"));
            return listener.answerClient(local, context::connect);
        }
    }

    private static long stallNs(PingPongOptions options) {
        return STALL_NS + TimeUnit.SECONDS.toNanos(options.sizeBytes()) / SLOW_BYTES_PER_SECOND;
    }

    private static String json(PingPongAddress local, PingPongAddress remote, PingPongResult result) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("local", local.json());
        members.put("remote", remote.json());
        members.putAll(result.json());
        return Json.text(members);
    }
}
