// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.Host;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.function.Supplier;

/**
 * {@code rdma_client} and {@code rdma_server}: one message in each direction over synchronous ids, as the programs of
 * these names in rdma-core, with which they interoperate.
 *
 * <p>Exit code 0, or 1 for every failure.
 */
public final class HelloCommand extends GetoptCommand {
    private static final int FAILED = 1;
    private static final int DEFAULT_PORT = 7471;

    private final boolean isServer;
    private final Supplier<Host> host;

    private HelloCommand(String name, boolean isServer, Supplier<Host> host) {
        super(
                name,
                FAILED,
                Option.value(
                        's',
                        "server",
                        "addr",
                        isServer ? "own address (default all)" : "address of the server (default 127.0.0.1)"),
                Option.value('p', "port", "port", "of the server (default 7471)"));
        this.isServer = isServer;
        this.host = host;
    }

    /** {@return {@code rdma_client}} */
    public static HelloCommand client(Supplier<Host> host) {
        return new HelloCommand("rdma_client", false, host);
    }

    /** {@return {@code rdma_server}} */
    public static HelloCommand server(Supplier<Host> host) {
        return new HelloCommand("rdma_server", true, host);
    }

    @Override
    protected String synopsis() {
        return "Usage: " + name() + " [-s <addr>] [-p <port>]      "
                + (isServer ? "answer one message of a client" : "send one message, and wait for the answer");
    }

    @Override
    protected int run(Options options, PrintWriter out, PrintWriter err) throws InterruptedException {
        atMostOperands(options, 0);
        int port = options.number("port", DEFAULT_PORT, 0, 65_535);
        String text = options.text("server");
        int status = 0;
        out.println(name() + ": start");
        try (CmTool.Service service = CmTool.open(host)) {
            InetSocketAddress address =
                    CmTool.address(text == null && !isServer ? "127.0.0.1" : text, port, CmTool.Family.ANY);
            if (isServer) {
                serve(service.cm(), address);
            } else {
                ask(service.cm(), address);
            }
        } catch (ToolFailure e) {
            e.print(name(), err);
            status = FAILED;
        } catch (RdmaException e) {
            CmTool.failed(isServer ? "rdma_accept" : "rdma_connect", e).print(name(), err);
            status = FAILED;
        }
        out.println(name() + ": end " + status);
        return status;
    }

    private static void ask(RdmaCm cm, InetSocketAddress server) throws ToolFailure, InterruptedException {
        try (RdmaId id = cm.createId(null, PortSpace.TCP)) {
            id.resolveAddress(null, server, CmTool.RESOLVE_MS);
            id.resolveRoute(CmTool.RESOLVE_MS);
            try (HelloEnd end = new HelloEnd(id)) {
                end.connect();
                end.send();
                end.receive();
                id.disconnect();
            }
        }
    }

    private static void serve(RdmaCm cm, InetSocketAddress address) throws ToolFailure, InterruptedException {
        try (RdmaId listener = cm.createId(null, PortSpace.TCP)) {
            listener.bindAddress(address);
            listener.listen(0);
            try (RdmaId id = listener.getRequest();
                    HelloEnd end = new HelloEnd(id)) {
                end.accept();
                end.receive();
                end.send();
                id.disconnect();
            }
        }
    }
}
