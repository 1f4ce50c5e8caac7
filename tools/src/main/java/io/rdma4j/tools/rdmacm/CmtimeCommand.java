// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.Host;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.function.Supplier;

/**
 * {@code cmtime}: measures the steps of a number of connections, as the program of that name in rdma-core 44.
 *
 * <p>Exit code 0, or 1 for every failure. The original returns 0 if only connections fail.
 */
public final class CmtimeCommand extends GetoptCommand {
    private static final int FAILED = 1;
    private static final int DEFAULT_PORT = 7471;
    private static final int MAX_CONNECTIONS = 100_000;

    private final Supplier<Host> host;

    /** @param host whose devices are used */
    public CmtimeCommand(Supplier<Host> host) {
        super(
                "cmtime",
                FAILED,
                TransferOptions.SERVER,
                TransferOptions.BIND,
                Option.value('c', "connections", "count", "number of connections (default 100)"),
                Option.value('p', "port", "port", "of the server (default 7471)"),
                Option.value('r', "retries", "count", "of address and route resolution (default 2)"),
                Option.value('t', "timeout", "ms", "of address and route resolution (default 2000)"),
                Option.JSON);
        this.host = host;
    }

    @Override
    protected String synopsis() {
        return """
                Usage: cmtime [OPTION...]             accept connections
                       cmtime [OPTION...] -s <addr>   connect, and print the times""".stripIndent();
    }

    @Override
    protected int run(Options given, PrintWriter out, PrintWriter err) throws InterruptedException {
        atMostOperands(given, 0);
        int port = given.number("port", DEFAULT_PORT, 0, 65_535);
        CmtimeOptions options = new CmtimeOptions(
                given.number("connections", 100, 1, MAX_CONNECTIONS),
                given.number("retries", 2, 0, Integer.MAX_VALUE),
                given.number("timeout", CmTool.RESOLVE_MS, 1, Integer.MAX_VALUE));
        CmOutput output = new CmOutput(given, out);
        try (CmTool.Service service = CmTool.open(host)) {
            String server = given.text("server");
            String bind = given.text("bind");
            if (server == null) {
                new CmtimeServer(service.cm(), err)
                        .run(CmTool.address(bind, port, CmTool.Family.ANY), options.connections());
                output.document(() -> {
                    Map<String, Object> members = CmOutput.document("server");
                    members.put("connections", options.connections());
                    return members;
                });
                return 0;
            }
            InetSocketAddress source = bind == null ? null : CmTool.address(bind, 0, CmTool.Family.ANY);
            CmtimeClient client =
                    new CmtimeClient(service.cm(), options, output.lines(), output.isJson() ? err : output.lines());
            boolean isComplete = client.run(source, CmTool.address(server, port, CmTool.Family.ANY));
            output.document(() -> client.json(source != null));
            return isComplete ? 0 : FAILED;
        } catch (ToolFailure e) {
            e.print(name(), err);
            return FAILED;
        }
    }
}
