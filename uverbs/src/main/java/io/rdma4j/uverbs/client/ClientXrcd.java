package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.XrcdInitAttributes;
import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpOps;
import io.rdma4j.verbs.spi.XrcdOps;
import java.nio.file.Path;

/**
 * An opening of an XRC domain of the server.
 *
 * @param handle what commands name it by
 */
record ClientXrcd(ClientContext context, int handle) implements XrcdOps {
    private static final int CREATE = 1;
    private static final int EXCLUSIVE = 2;

    static ClientXrcd open(ClientContext context, XrcdInitAttributes attributes) {
        Path file = attributes.file();
        Message request = new Message(Command.OPEN_XRCD)
                .put(
                        Attribute.OPEN_FLAGS,
                        (attributes.create() ? CREATE : 0) | (attributes.exclusive() ? EXCLUSIVE : 0));
        if (file != null) {
            request.putText(Attribute.FILE, file.toAbsolutePath().toString());
        }
        return new ClientXrcd(context, context.call(request).get(Attribute.HANDLE));
    }

    @Override
    public QpOps openQp(int qpn, QpEvents events) {
        Message request =
                new Message(Command.OPEN_QP).put(Attribute.XRCD, handle).put(Attribute.QPN, qpn);
        QpInitAttributes target =
                QpInitAttributes.builder(null, null).type(QpType.XRC_TGT).build();
        return ClientQp.make(context, request, target, events);
    }

    @Override
    public void close() {
        context.destroy(Command.CLOSE_XRCD, handle);
    }
}
