// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.Host;
import java.io.PrintWriter;
import java.util.function.Supplier;

/**
 * {@code udaddy}: finds datagram services by address and port and exchanges datagrams with each, as the program of
 * that name in rdma-core, with which it interoperates.
 *
 * <p>Exit code 0, or 1 for every failure.
 */
public final class UdaddyCommand extends GetoptCommand {
    private static final int FAILED = 1;
    private static final int DEFAULT_PORT = 7174;

    private final Supplier<Host> host;

    /** @param host whose devices are used */
    public UdaddyCommand(Supplier<Host> host) {
        super(
                "udaddy",
                FAILED,
                TransferOptions.SERVER,
                TransferOptions.BIND,
                TransferOptions.FAMILY,
                Option.value('p', "port-space", "space", "port space: udp (default udp)"),
                TransferOptions.CONNECTIONS,
                TransferOptions.MESSAGES,
                TransferOptions.BYTES,
                TransferOptions.TOS);
        this.host = host;
    }

    @Override
    protected String synopsis() {
        return """
                Usage: udaddy [OPTION...]             wait for clients
                       udaddy [OPTION...] -s <addr>   send datagrams""".stripIndent();
    }

    @Override
    protected int run(Options options, PrintWriter out, PrintWriter err) throws InterruptedException {
        atMostOperands(options, 0);
        TransferOptions transfer = TransferOptions.parse(options, PortSpace.UDP, DEFAULT_PORT);
        int status = 0;
        try (CmTool.Service service = CmTool.open(host);
                TransferEnd end = new TransferEnd("udaddy", transfer, service.cm(), out)) {
            if (transfer.server() == null) {
                end.runServer();
            } else {
                end.runClient();
            }
        } catch (ToolFailure e) {
            e.print(name(), err);
            status = FAILED;
        }
        out.println("test complete");
        out.println("return status " + status);
        return status;
    }
}
