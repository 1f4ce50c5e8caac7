// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.examples;

import io.rdma4j.rdmacm.connection.RdmaConnection;
import io.rdma4j.rdmacm.connection.RdmaServer;
import java.net.InetSocketAddress;

/** Two processes that connect by address and port: {@code server PORT}, and {@code client ADDRESS PORT TEXT}. */
public final class EchoPair {
    private EchoPair() {}

    public static void main(String[] args) throws Exception {
        if (args[0].equals("server")) {
            try (RdmaServer server = RdmaServer.listen(new InetSocketAddress(Integer.parseInt(args[1])))) {
                System.out.println("listening on " + server.address());
                try (RdmaConnection connection = server.accept()) {
                    for (String text = connection.receiveText(); text != null; text = connection.receiveText()) {
                        connection.send(text);
                    }
                }
            }
        } else {
            InetSocketAddress server = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
            try (RdmaConnection connection = RdmaConnection.connect(server)) {
                connection.send(args[3]);
                System.out.println(connection.receiveText());
            }
        }
    }
}
