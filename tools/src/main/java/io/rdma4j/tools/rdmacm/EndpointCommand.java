// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.wr.SignalType;
import java.io.PrintWriter;
import java.util.Map;
import java.util.function.Supplier;

/**
 * One end of a short conversation over synchronous ids. Prints a line at its start and one with its exit code at its
 * end, as the programs of rdma-core do.
 *
 * <p>Exit code 0, or 1 for every failure.
 */
abstract class EndpointCommand extends GetoptCommand {
    /** Length of a message, bytes. */
    static final int BYTES = 16;

    /** Of the queue pair: one request in each direction. */
    static final QpInitAttributes ATTRIBUTES = QpInitAttributes.builder(null, null)
            .capabilities(new QpCapabilities(1, 1, 1, 1, BYTES))
            .signalType(SignalType.ALL_WR)
            .build();

    private static final int FAILED = 1;
    private static final int DEFAULT_PORT = 7471;

    private final boolean isServer;
    private final Supplier<Host> host;

    EndpointCommand(String name, boolean isServer, Supplier<Host> host, Option... options) {
        super(name, FAILED, options);
        this.isServer = isServer;
        this.host = host;
    }

    /** {@return the option {@code -p}} */
    static Option port() {
        return Option.value('p', "port", "port", "of the server (default 7471)");
    }

    final boolean isServer() {
        return isServer;
    }

    @Override
    protected final int run(Options options, PrintWriter out, PrintWriter err) throws InterruptedException {
        atMostOperands(options, 0);
        check(options);
        String port = Integer.toString(options.number("port", DEFAULT_PORT, 0, 65_535));
        CmOutput output = new CmOutput(options, out);
        int status = 0;
        output.lines().println(name() + ": start");
        try (CmTool.Service service = CmTool.open(host)) {
            Map<String, Object> document = converse(service.cm(), options, port);
            output.document(() -> document);
        } catch (ToolFailure e) {
            e.print(name(), err);
            status = FAILED;
        } catch (RdmaException e) {
            CmTool.failed(isServer ? "rdma_accept" : "rdma_connect", e).print(name(), err);
            status = FAILED;
        }
        output.lines().println(name() + ": end " + status);
        return status;
    }

    /** Refuses options with wrong values before anything is printed. */
    void check(Options options) {}

    /**
     * Plays this end.
     *
     * @param port of the server
     * @return what {@code --json} prints
     */
    abstract Map<String, Object> converse(RdmaCm cm, Options options, String port)
            throws ToolFailure, InterruptedException;
}
