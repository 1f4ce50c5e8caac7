// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import io.rdma4j.rdmacm.AddressFlag;
import io.rdma4j.rdmacm.AddressHints;
import io.rdma4j.rdmacm.AddressInfo;
import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.rdmacm.connection.EndpointListener;
import io.rdma4j.rdmacm.connection.RdmaEndpoint;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.values.QpType;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * {@code rdma_client} and {@code rdma_server}: one message in each direction over synchronous ids, as the programs of
 * these names in rdma-core, with which they interoperate.
 */
public final class HelloCommand extends EndpointCommand {
    private static final AddressHints HINTS = AddressHints.NONE.withService(QpType.RC, PortSpace.TCP);

    private HelloCommand(String name, boolean isServer, Supplier<Host> host) {
        super(
                name,
                isServer,
                host,
                Option.value(
                        's',
                        "server",
                        "addr",
                        isServer ? "own address (default all)" : "address of the server (default 127.0.0.1)"),
                port(),
                Option.JSON);
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
                + (isServer() ? "answer one message of a client" : "send one message, and wait for the answer");
    }

    @Override
    Map<String, Object> converse(RdmaCm cm, Options options, String port) throws ToolFailure, InterruptedException {
        String address = options.text("server");
        return isServer() ? serve(cm, address, port) : ask(cm, Objects.requireNonNullElse(address, "127.0.0.1"), port);
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
