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
 * {@code ucmatose} and {@code udaddy}: messages over a number of connections, or datagrams to a number of services,
 * found by address and port; as the programs of these names in rdma-core, with which they interoperate.
 *
 * <p>Exit code 0, or 1 for every failure.
 */
public final class TransferCommand extends GetoptCommand {
    private static final int FAILED = 1;

    private final String prefix;
    private final PortSpace space;
    private final int defaultPort;
    private final Supplier<Host> host;

    /** @param prefix of the lines that the program prints */
    private TransferCommand(
            String name, String prefix, PortSpace space, int defaultPort, Supplier<Host> host, Option... options) {
        super(name, FAILED, options);
        this.prefix = prefix;
        this.space = space;
        this.defaultPort = defaultPort;
        this.host = host;
    }

    /** {@return {@code ucmatose}} */
    public static TransferCommand ucmatose(Supplier<Host> host) {
        return new TransferCommand(
                "ucmatose",
                "cmatose",
                PortSpace.TCP,
                7471,
                host,
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
                Option.flag('m', "migrate", "move the connections to another event channel"),
                Option.JSON);
    }

    /** {@return {@code udaddy}} The original has no option for the port. */
    public static TransferCommand udaddy(Supplier<Host> host) {
        return new TransferCommand(
                "udaddy",
                "udaddy",
                PortSpace.UDP,
                7174,
                host,
                TransferOptions.SERVER,
                TransferOptions.BIND,
                TransferOptions.FAMILY,
                Option.value('p', "port-space", "space", "port space: udp (default udp)"),
                TransferOptions.CONNECTIONS,
                TransferOptions.MESSAGES,
                TransferOptions.BYTES,
                TransferOptions.TOS,
                Option.JSON);
    }

    @Override
    protected String synopsis() {
        return """
                Usage: %1$s [OPTION...]             wait for clients
                       %1$s [OPTION...] -s <addr>   connect to a server""".stripIndent().formatted(name());
    }

    @Override
    protected int run(Options options, PrintWriter out, PrintWriter err) throws InterruptedException {
        atMostOperands(options, 0);
        TransferOptions transfer = TransferOptions.parse(options, space, defaultPort);
        CmOutput output = new CmOutput(options, out);
        PrintWriter lines = output.lines();
        int status = 0;
        try (CmTool.Service service = CmTool.open(host);
                TransferEnd end = new TransferEnd(prefix, transfer, service.cm(), lines)) {
            if (transfer.server() == null) {
                end.runServer();
            } else {
                end.runClient();
            }
            output.document(end::json);
        } catch (ToolFailure e) {
            e.print(name(), err);
            status = FAILED;
        }
        lines.println("test complete");
        lines.println("return status " + status);
        return status;
    }
}
