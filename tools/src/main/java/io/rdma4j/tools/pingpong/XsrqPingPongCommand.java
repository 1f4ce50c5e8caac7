// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.peer.DeviceChoice;
import io.rdma4j.tools.peer.DeviceChoice.Choice;
import io.rdma4j.tools.peer.LoopbackCheck;
import io.rdma4j.tools.peer.Rendezvous;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.Host;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * {@code ibv_xsrq_pingpong}: ping-pong over extended reliable connections, whose messages name the destination shared
 * receive queue. Unlike the other programs it measures nothing, and the server sends first. A server serves one client.
 */
public final class XsrqPingPongCommand extends GetoptCommand {
    private static final int FAILED = 1;
    private static final byte[] END = "END\0".getBytes(StandardCharsets.US_ASCII);

    private final Supplier<Host> host;

    /** @param host with named devices; called when the tool runs */
    public XsrqPingPongCommand(Supplier<Host> host) {
        super("ibv_xsrq_pingpong", FAILED, XsrqOptions.table());
        this.host = host;
    }

    @Override
    protected String synopsis() {
        return """
            Usage: ibv_xsrq_pingpong [OPTION...]         start a server and wait for connection
                   ibv_xsrq_pingpong [OPTION...] <host>  connect to server at <host>

            Several clients of one server would share an XRC domain between their processes, which is not possible here.\
            """;
    }

    @Override
    protected int run(Options given, PrintWriter out, PrintWriter err) throws InterruptedException {
        atMostOperands(given, 1);
        XsrqOptions options = XsrqOptions.of(given);
        DeviceChoice choice = new DeviceChoice(host, options.device(), options.gidIndex());
        try {
            String server = options.server();
            Optional<Choice> chosen =
                    server == null ? choice.beforePeer() : Optional.of(choice.to(server, options.tcpPort()));
            if (chosen.isPresent()) {
                run(chosen.get(), options, null, out);
            } else {
                serve(choice, options, out, err);
            }
            return 0;
        } catch (ToolFailure e) {
            e.print(name(), err);
            return FAILED;
        } catch (IOException e) {
            new ToolFailure("Couldn't read/write remote address", e).print(name(), err);
            return FAILED;
        }
    }

    private static String json(XsrqAddress local, XsrqAddress remote, XsrqOptions options) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("local", local.json());
        members.put("remote", remote.json());
        members.put("size", options.sizeBytes());
        members.put("tests", options.tests());
        members.put("success", true);
        return Json.text(members);
    }

    /** Runs a server on all devices: it uses the device that received the client's connection. */
    private void serve(DeviceChoice choice, XsrqOptions options, PrintWriter out, PrintWriter err)
            throws ToolFailure, IOException, InterruptedException {
        Socket client;
        try (Rendezvous.Listener listener = Rendezvous.listen(options.tcpPort())) {
            err.println(name() + ": waiting on TCP port " + options.tcpPort()
                    + "; the client's connection decides on the device");
            client = listener.accept();
        }
        try (client) {
            run(choice.at(client.getLocalAddress()), options, client, out);
        }
    }

    /** @param peer the connection of the client; null if there is none yet, or this is the client */
    private static void run(Choice choice, XsrqOptions options, @Nullable Socket peer, PrintWriter out)
            throws ToolFailure, IOException, InterruptedException {
        try (XsrqContext context = XsrqContext.open(choice.device(), options)) {
            context.postReceive();
            if (context.channel() != null) {
                context.receiveCq().requestNotification(false);
            }
            PrintWriter lines = options.json() ? new PrintWriter(Writer.nullWriter()) : out;
            XsrqAddress remote = play(context, options, peer, lines);
            lines.println("success");
            if (options.json()) {
                out.println(json(context.localAddress(), remote, options));
            }
        }
    }

    /** Runs the ping-pong and returns the peer's address. */
    private static XsrqAddress play(XsrqContext context, XsrqOptions options, @Nullable Socket early, PrintWriter out)
            throws ToolFailure, IOException, InterruptedException {
        XsrqAddress local = context.localAddress();
        boolean client = options.server() != null;
        try (Socket peer = connect(options, local, early, out)) {
            if (client) {
                peer.getOutputStream().write(local.encode());
            }
            XsrqAddress remote = readAddress(peer);
            out.println(remote.line("remote"));
            try {
                LoopbackCheck.check(peer.getInetAddress(), local.gid(), remote.gid());
            } catch (ToolFailure e) {
                if (!client) {
                    // The client receives the address, so that it rejects it too and reports the reason to its user.
                    peer.getOutputStream().write(local.encode());
                }
                throw e;
            }
            context.connect(remote);
            XsrqLoop loop = new XsrqLoop(context, options.tests(), remote.srqn());
            if (!client) {
                peer.getOutputStream().write(local.encode());
                loop.send();
            }
            loop.run();
            end(peer);
            return remote;
        }
    }

    private static Socket connect(XsrqOptions options, XsrqAddress local, @Nullable Socket early, PrintWriter out)
            throws ToolFailure {
        if (early != null) {
            out.println(local.line("local"));
            return early;
        }
        String server = options.server();
        if (server != null) {
            out.println(local.line("local"));
            return Rendezvous.connect(server, options.tcpPort());
        }
        try (Rendezvous.Listener listener = Rendezvous.listen(options.tcpPort())) {
            out.println(local.line("local"));
            return listener.accept();
        }
    }

    private static XsrqAddress readAddress(Socket peer) throws IOException, ToolFailure {
        byte[] message = peer.getInputStream().readNBytes(XsrqAddress.MESSAGE_BYTES);
        return XsrqAddress.decode(message)
                .orElseThrow(() -> new ToolFailure(
                        message.length + "/" + XsrqAddress.MESSAGE_BYTES + ": Couldn't read remote address [0]"));
    }

    /** Waits until both ends are done, because the peer may still need an acknowledgement of this end. */
    private static void end(Socket peer) throws IOException, ToolFailure {
        peer.getOutputStream().write(END);
        if (!Arrays.equals(peer.getInputStream().readNBytes(END.length), END)) {
            throw new ToolFailure("Invalid termination ack was accepted");
        }
    }
}
