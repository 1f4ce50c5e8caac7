// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Gid;
import io.rdma4j.verbs.values.Owner;
import io.rdma4j.verbs.values.Resource;
import io.rdma4j.verbs.values.ResourceKind;
import java.util.LinkedHashMap;
import java.util.Map;

/** An id as {@code rdma resource show cm_id} has it. With the lock of rdma_cm. */
final class IdResource {
    private IdResource() {}

    static Resource of(RdmaId id, Owner owner) {
        Map<String, Object> details = new LinkedHashMap<>();
        ManagedQp qp = id.qp;
        if (qp != null) {
            details.put("lqpn", qp.qpn());
            details.put("qp-type", qp.type());
        }
        details.put("state", id.state());
        details.put("ps", id.portSpace());
        details.put("src-addr", text(id.localGid, id.localPort));
        if (!id.peerGid.isZero()) {
            details.put("dst-addr", text(id.peerGid, id.peerPort));
        }
        return new Resource(ResourceKind.CM_ID, id.number(), owner, details);
    }

    private static String text(Gid address, int port) {
        String ip = address.toInetAddress().getHostAddress();
        return (ip.contains(":") ? "[" + ip + "]" : ip) + ":" + port;
    }
}
