// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpOps;
import io.rdma4j.verbs.spi.XrcdOps;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.XrcdInitAttributes;
import java.nio.file.Path;

/**
 * A handle of an XRC domain on the server.
 *
 * @param handle handle in commands
 */
record ClientXrcd(ClientSession session, int handle) implements XrcdOps {
    private static final int CREATE = 1;
    private static final int EXCLUSIVE = 2;

    static ClientXrcd open(ClientSession session, XrcdInitAttributes attributes) {
        Path file = attributes.file();
        Message request = new Message(CommandType.OPEN_XRCD)
                .put(
                        CommandAttribute.OPEN_FLAGS,
                        (attributes.create() ? CREATE : 0) | (attributes.exclusive() ? EXCLUSIVE : 0));
        if (file != null) {
            request.putText(CommandAttribute.FILE, file.toAbsolutePath().toString());
        }
        return new ClientXrcd(session, session.call(request).get(CommandAttribute.HANDLE));
    }

    @Override
    public QpOps openQp(int qpn, QpEvents events) {
        Message request = new Message(CommandType.OPEN_QP)
                .put(CommandAttribute.XRCD, handle)
                .put(CommandAttribute.QPN, qpn);
        QpInitAttributes target =
                QpInitAttributes.builder(null, null).type(QpType.XRC_TGT).build();
        return ClientQp.make(session, request, target, events);
    }

    @Override
    public void close() {
        session.destroy(CommandType.CLOSE_XRCD, handle);
    }
}
