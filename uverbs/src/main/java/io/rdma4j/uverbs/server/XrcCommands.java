package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.XrcDomain;
import io.rdma4j.verbs.XrcdInitAttributes;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Commands of XRC domains and of handles on their target queue pairs. */
final class XrcCommands {
    private static final int CREATE = 1;
    private static final int EXCLUSIVE = 2;

    private final SessionObjects objects;

    private XrcCommands(SessionObjects objects) {
        this.objects = objects;
    }

    static void addTo(CommandHandlers table, SessionObjects objects) {
        XrcCommands commands = new XrcCommands(objects);
        table.add(Command.OPEN_XRCD, commands::open);
        table.add(Command.OPEN_QP, commands::openQp);
        table.addDestroy(Command.CLOSE_XRCD, XrcDomain.class);
    }

    private void open(Message request, Message answer) {
        objects.add(answer, objects.context().openXrcDomain(attributes(request)));
    }

    private static XrcdInitAttributes attributes(Message request) {
        String file = request.getText(Attribute.FILE);
        int flags = request.get(Attribute.OPEN_FLAGS);
        if (file.isEmpty()) {
            return XrcdInitAttributes.ofContext();
        }
        try {
            return new XrcdInitAttributes(Path.of(file), (flags & CREATE) != 0, (flags & EXCLUSIVE) != 0);
        } catch (InvalidPathException e) {
            throw new RdmaException(Errno.EINVAL, "the file of an XRC domain has no such path", e);
        }
    }

    private void openQp(Message request, Message answer) {
        XrcDomain domain = objects.find(request, Attribute.XRCD, XrcDomain.class);
        QueuePair qp = domain.openQp(request.get(Attribute.QPN), request.getLong(Attribute.USER_HANDLE), null);
        objects.add(
                        answer,
                        new ServedQp(
                                qp,
                                null,
                                objects.doorbells(),
                                objects.doorbells().add(qp)))
                .put(Attribute.QPN, qp.qpn())
                .putRecord(Attribute.CAPABILITIES, qp.initAttributes().capabilities());
    }
}
