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
 * {@code ucmatose}: makes a number of connections by address and port and sends messages over each, as the program of
 * that name in rdma-core, with which it interoperates.
 *
 * <p>Exit code 0, or 1 for every failure.
 */
public final class UcmatoseCommand extends GetoptCommand {
    private static final int FAILED = 1;
    private static final int DEFAULT_PORT = 7471;

    private final Supplier<Host> host;

    /** @param host whose devices are used */
    public UcmatoseCommand(Supplier<Host> host) {
        super(
                "ucmatose",
                FAILED,
                TransferOptions.SERVER,
                TransferOptions.BIND,
                TransferOptions.FAMILY,
                Option.value('P', "port-space", "space", "port space: tcp (default tcp)"),
                TransferOptions.CONNECTIONS,
                TransferOptions.MESSAGES,
                TransferOptions.BYTES,
                TransferOptions.TOS,
                Option.value('p', "port", "port", "of the server (default 7471)"),
                Option.value('a', "ack-timeout", "n", "ACK timeout of the queue pairs, 4.096 us * 2^n"),
                Option.flag('m', "migrate", "move the connections to another event channel"));
        this.host = host;
    }

    @Override
    protected String synopsis() {
        return """
                Usage: ucmatose [OPTION...]             wait for connections
                       ucmatose [OPTION...] -s <addr>   connect""".stripIndent();
    }

    @Override
    protected int run(Options options, PrintWriter out, PrintWriter err) throws InterruptedException {
        atMostOperands(options, 0);
        TransferOptions transfer = TransferOptions.parse(options, PortSpace.TCP, DEFAULT_PORT);
        int status = 0;
        try (CmTool.Service service = CmTool.open(host);
                TransferEnd end = new TransferEnd("cmatose", transfer, service.cm(), out)) {
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
