// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.rdmacm.connection.RdmaEndpoint;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/** The standard output of a tool of this package: the lines of the original, or one JSON document after the run. */
final class CmOutput {
    private static final double NS_PER_SECOND = 1e9;

    private final PrintWriter out;
    private final boolean isJson;
    private final PrintWriter lines;

    CmOutput(Options given, PrintWriter out) {
        this.out = out;
        isJson = given.has(Option.JSON.name());
        lines = isJson ? new PrintWriter(Writer.nullWriter()) : out;
    }

    boolean isJson() {
        return isJson;
    }

    /** Where the lines of the original go: nowhere with {@code --json}. */
    PrintWriter lines() {
        return lines;
    }

    /** Prints the document of a run that was successful, with {@code --json} only. */
    void document(Supplier<Map<String, Object>> members) {
        if (isJson) {
            out.println(Json.text(members.get()));
        }
    }

    /** A document that begins with the role of this end. */
    static Map<String, Object> document(String role) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("role", role);
        return members;
    }

    /** The document of an endpoint that has sent or received messages of a size. */
    static Map<String, Object> document(String role, RdmaEndpoint endpoint, int bytes) {
        Map<String, Object> members = document(role);
        RdmaId id = endpoint.id();
        members.put(
                "local",
                local(
                        id,
                        Objects.requireNonNull(id.qp(), "made with the endpoint")
                                .qpn()));
        members.put("remote", remote(id));
        members.put("size", bytes);
        return members;
    }

    /** The member {@code local} of a document: own address, port and queue pair. */
    static Map<String, Object> local(RdmaId id, int qpn) {
        Map<String, Object> members = address(id.localAddress());
        members.put("qpn", qpn);
        return members;
    }

    /** The member {@code remote} of a document: address and port of the peer. */
    static Map<String, Object> remote(RdmaId id) {
        return address(id.peerAddress());
    }

    private static Map<String, Object> address(InetSocketAddress address) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("address", address.getAddress().getHostAddress());
        members.put("port", address.getPort());
        return members;
    }

    static double seconds(long ns) {
        return ns / NS_PER_SECOND;
    }
}
