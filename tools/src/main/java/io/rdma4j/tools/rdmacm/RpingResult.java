// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import java.util.Map;

/**
 * What one end of a connection of {@code rping} has done.
 *
 * @param local own address and queue pair, as in the JSON document
 * @param remote address of the peer, likewise
 * @param pings number of pings
 * @param elapsedNs time from the connection to the end of the last ping, ns
 */
record RpingResult(Map<String, Object> local, Map<String, Object> remote, int pings, long elapsedNs) {
    Map<String, Object> json(RpingOptions options) {
        Map<String, Object> members = CmOutput.document(options.server() ? "server" : "client");
        members.put("local", local);
        members.put("remote", remote);
        members.put("size", options.size());
        members.put("pings", pings);
        members.put("seconds", CmOutput.seconds(elapsedNs));
        return members;
    }
}
