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
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.SrqAttributes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * {@code rdma_xclient} and {@code rdma_xserver}: one message from the client to the server over a reliable or an
 * extended reliable connection, as the programs of these names in rdma-core, with which they interoperate.
 */
public final class ExtendedHelloCommand extends EndpointCommand {
    private static final ValueLayout.OfInt NUMBER = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private ExtendedHelloCommand(String name, boolean isServer, Supplier<Host> host, Option... options) {
        super(name, isServer, host, options);
    }

    private static Option type() {
        return Option.value(
                'c', "connection", "type", "r: reliable connection (default), x: extended reliable connection");
    }

    /** {@return {@code rdma_xclient}} */
    public static ExtendedHelloCommand client(Supplier<Host> host) {
        return new ExtendedHelloCommand(
                "rdma_xclient",
                false,
                host,
                Option.value('s', "server", "addr", "address of the server (default 127.0.0.1)"),
                port(),
                type(),
                Option.JSON);
    }

    /** {@return {@code rdma_xserver}} */
    public static ExtendedHelloCommand server(Supplier<Host> host) {
        return new ExtendedHelloCommand("rdma_xserver", true, host, port(), type(), Option.JSON);
    }

    @Override
    protected String synopsis() {
        return "Usage: " + name() + (isServer() ? "" : " [-s <addr>]") + " [-p <port>] [-c <type>]      "
                + (isServer() ? "receive one message of a client" : "send one message");
    }

    @Override
    void check(Options options) {
        isExtended(options);
    }

    @Override
    Map<String, Object> converse(RdmaCm cm, Options options, String port) throws ToolFailure, InterruptedException {
        String server = Objects.requireNonNullElse(options.text("server"), "127.0.0.1");
        boolean isExtended = isExtended(options);
        return isServer() ? serve(cm, port, isExtended) : send(cm, server, port, isExtended);
    }

    private static boolean isExtended(Options options) {
        String type = Objects.requireNonNullElse(options.text("connection"), "r");
        return switch (type.substring(0, Math.min(1, type.length()))) {
            case "x", "X" -> true;
            case "r", "R" -> false;
            default -> throw new UsageException("communication type '" + type + "': neither r nor x");
        };
    }

    private static AddressHints hints(boolean isExtended, QpType extendedType) {
        return isExtended
                ? AddressHints.NONE.withService(extendedType, PortSpace.IB)
                : AddressHints.NONE.withService(QpType.RC, PortSpace.TCP);
    }

    private static Map<String, Object> send(RdmaCm cm, String server, String port, boolean isExtended)
            throws ToolFailure, InterruptedException {
        AddressInfo info = AddressInfo.find(server, port, hints(isExtended, QpType.XRC_INI))
                .getFirst();
        try (RdmaEndpoint endpoint = RdmaEndpoint.create(cm, info, null, ATTRIBUTES)) {
            endpoint.connect(ConnectParameters.DEFAULT);
            SendRequest.Builder message = SendRequest.send().inlineData(MemorySegment.ofArray(new byte[BYTES]));
            if (isExtended) {
                message.xrcSrq(Objects.requireNonNull(endpoint.id().lastEvent(), "the event ESTABLISHED")
                        .privateData()
                        .get(NUMBER, 0));
            }
            Objects.requireNonNull(endpoint.id().qp(), "made by the endpoint").postSend(message.build());
            CmTool.check("rdma_get_send_comp", endpoint.awaitSend());
            endpoint.disconnect();
            return CmOutput.document("client", endpoint, BYTES);
        }
    }

    private static Map<String, Object> serve(RdmaCm cm, String port, boolean isExtended)
            throws ToolFailure, InterruptedException {
        AddressHints hints = hints(isExtended, QpType.XRC_TGT).with(AddressFlag.PASSIVE);
        AddressInfo own = AddressInfo.find(null, port, hints).getFirst();
        try (EndpointListener listener = EndpointListener.create(cm, own, null, ATTRIBUTES)) {
            listener.listen(0);
            try (RdmaEndpoint endpoint = listener.getRequest()) {
                MemorySegment number = MemorySegment.ofArray(new byte[Integer.BYTES]);
                if (isExtended) {
                    number.set(
                            NUMBER,
                            0,
                            endpoint.id()
                                    .queues()
                                    .createSrq(null, new SrqAttributes(1, 1, 0))
                                    .number());
                }
                MemoryRegion message = endpoint.registerMessages(BYTES);
                endpoint.postReceive(1, message.sge());
                endpoint.accept(ConnectParameters.DEFAULT.withPrivateData(number));
                CmTool.check("rdma_get_recv_comp", endpoint.awaitReceive());
                endpoint.disconnect();
                return CmOutput.document("server", endpoint, BYTES);
            }
        }
    }
}
