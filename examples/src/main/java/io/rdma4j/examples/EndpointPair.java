// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.examples;

import io.rdma4j.rdmacm.AddressFlag;
import io.rdma4j.rdmacm.AddressHints;
import io.rdma4j.rdmacm.AddressInfo;
import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.rdmacm.connection.EndpointListener;
import io.rdma4j.rdmacm.connection.RdmaEndpoint;
import io.rdma4j.rdmacm.host.RdmaCmService;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.wr.SignalType;
import java.util.Set;

/**
 * Two processes that connect by the calls that C programs use, {@code rdma_getaddrinfo} and {@code rdma_create_ep}:
 * {@code server PORT}, and {@code client ADDRESS PORT TEXT}. The server answers one message.
 */
public final class EndpointPair {
    private static final int BYTES = 256;

    // No completion queues: the endpoint makes them.
    private static final QpInitAttributes ATTRIBUTES = QpInitAttributes.builder(null, null)
            .capabilities(QpCapabilities.of(1, 1))
            .signalType(SignalType.ALL_WR)
            .build();

    private EndpointPair() {}

    public static void main(String[] args) throws InterruptedException {
        RdmaCm cm = RdmaCmService.ofProcess().cm();
        if (args[0].equals("server")) {
            serve(cm, args[1]);
        } else {
            ask(cm, AddressInfo.find(args[1], args[2], null).getFirst(), args[3]);
        }
    }

    private static void serve(RdmaCm cm, String port) throws InterruptedException {
        AddressHints hints = AddressHints.NONE.with(AddressFlag.PASSIVE);
        AddressInfo own = AddressInfo.find(null, port, hints).getFirst();
        try (EndpointListener listener = EndpointListener.create(cm, own, null, ATTRIBUTES)) {
            listener.listen(1);
            System.out.println("listening on " + listener.id().listenAddresses().getFirst());
            try (RdmaEndpoint endpoint = listener.getRequest()) {
                MemoryRegion message = endpoint.registerMessages(BYTES);
                endpoint.postReceive(1, message.sge());
                endpoint.accept(ConnectParameters.DEFAULT);
                int length = endpoint.awaitReceive().byteLength();
                System.out.println("received " + message.segment().getString(0));
                endpoint.postSend(2, Set.of(), message.sge(0, length));
                endpoint.awaitSend();
                endpoint.disconnect();
            }
        }
    }

    private static void ask(RdmaCm cm, AddressInfo server, String text) throws InterruptedException {
        try (RdmaEndpoint endpoint = RdmaEndpoint.create(cm, server, null, ATTRIBUTES)) {
            MemoryRegion question = endpoint.registerMessages(BYTES);
            MemoryRegion answer = endpoint.registerMessages(BYTES);
            question.segment().setString(0, text);
            endpoint.postReceive(1, answer.sge());
            endpoint.connect(ConnectParameters.DEFAULT);
            endpoint.postSend(2, Set.of(), question.sge());
            System.out.println("sent: " + endpoint.awaitSend().status());
            System.out.println("received: " + endpoint.awaitReceive().status() + ", "
                    + answer.segment().getString(0));
            endpoint.disconnect();
        }
    }
}
