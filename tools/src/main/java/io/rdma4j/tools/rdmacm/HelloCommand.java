// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.AddressFlag;
import io.rdma4j.rdmacm.AddressHints;
import io.rdma4j.rdmacm.AddressInfo;
import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.rdmacm.connection.EndpointListener;
import io.rdma4j.rdmacm.connection.RdmaEndpoint;
import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SignalType;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * {@code rdma_client} and {@code rdma_server}: one message in each direction over synchronous ids, as the programs of
 * these names in rdma-core, with which they interoperate.
 *
 * <p>Exit code 0, or 1 for every failure.
 */
public final class HelloCommand extends GetoptCommand {
    private static final int FAILED = 1;
    private static final int DEFAULT_PORT = 7471;
    private static final int BYTES = 16;
    private static final AddressHints HINTS = AddressHints.NONE.withService(QpType.RC, PortSpace.TCP);
    private static final QpInitAttributes ATTRIBUTES = QpInitAttributes.builder(null, null)
            .capabilities(new QpCapabilities(1, 1, 1, 1, BYTES))
            .signalType(SignalType.ALL_WR)
            .build();

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
                Option.value('p', "port", "port", "of the server (default 7471)"),
                Option.JSON);
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
        String port = Integer.toString(options.number("port", DEFAULT_PORT, 0, 65_535));
        String text = options.text("server");
        CmOutput output = new CmOutput(options, out);
        int status = 0;
        output.lines().println(name() + ": start");
        try (CmTool.Service service = CmTool.open(host)) {
            Map<String, Object> document = isServer
                    ? serve(service.cm(), text, port)
                    : ask(service.cm(), text == null ? "127.0.0.1" : text, port);
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

    private static Map<String, Object> ask(RdmaCm cm, String server, String port)
            throws ToolFailure, InterruptedException {
        AddressInfo info = AddressInfo.find(server, port, HINTS).getFirst();
        try (RdmaEndpoint endpoint = RdmaEndpoint.create(cm, info, null, ATTRIBUTES)) {
            MemoryRegion answer = endpoint.registerMessages(BYTES);
            endpoint.postReceive(1, answer.sge());
            endpoint.connect(ConnectParameters.DEFAULT);
            send(endpoint);
            receive(endpoint);
            endpoint.disconnect();
            return CmOutput.document("client", endpoint, BYTES);
        }
    }

    private static Map<String, Object> serve(RdmaCm cm, @Nullable String address, String port)
            throws ToolFailure, InterruptedException {
        AddressInfo info =
                AddressInfo.find(address, port, HINTS.with(AddressFlag.PASSIVE)).getFirst();
        try (EndpointListener listener = EndpointListener.create(cm, info, null, ATTRIBUTES)) {
            listener.listen(0);
            try (RdmaEndpoint endpoint = listener.getRequest()) {
                MemoryRegion question = endpoint.registerMessages(BYTES);
                endpoint.postReceive(1, question.sge());
                endpoint.accept(ConnectParameters.DEFAULT);
                receive(endpoint);
                send(endpoint);
                endpoint.disconnect();
                return CmOutput.document("server", endpoint, BYTES);
            }
        }
    }

    private static void send(RdmaEndpoint endpoint) throws ToolFailure, InterruptedException {
        endpoint.postInlineSend(1, Set.of(), MemorySegment.ofArray(new byte[BYTES]));
        CmTool.check("rdma_get_send_comp", endpoint.awaitSend());
    }

    private static void receive(RdmaEndpoint endpoint) throws ToolFailure, InterruptedException {
        CmTool.check("rdma_get_recv_comp", endpoint.awaitReceive());
    }
}
