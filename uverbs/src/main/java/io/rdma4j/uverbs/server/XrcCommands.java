// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.XrcDomain;
import io.rdma4j.verbs.values.XrcdInitAttributes;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Executes the commands of XRC domains and of handles of their target queue pairs. */
final class XrcCommands {
    private static final int CREATE = 1;
    private static final int EXCLUSIVE = 2;

    private final SessionObjects objects;

    private XrcCommands(SessionObjects objects) {
        this.objects = objects;
    }

    static void addTo(CommandTable table, SessionObjects objects) {
        XrcCommands commands = new XrcCommands(objects);
        table.add(CommandType.OPEN_XRCD, commands::open);
        table.add(CommandType.OPEN_QP, commands::openQp);
        table.addDestroy(CommandType.CLOSE_XRCD, XrcDomain.class);
    }

    private void open(Message request, Message answer) {
        objects.add(answer, objects.context().openXrcDomain(attributes(request)));
    }

    private static XrcdInitAttributes attributes(Message request) {
        String file = request.getText(CommandAttribute.FILE);
        int flags = request.get(CommandAttribute.OPEN_FLAGS);
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
        XrcDomain domain = objects.find(request, CommandAttribute.XRCD, XrcDomain.class);
        QueuePair qp =
                domain.openQp(request.get(CommandAttribute.QPN), request.getLong(CommandAttribute.USER_HANDLE), null);
        objects.add(
                        answer,
                        new ServedQp(
                                qp,
                                new QueueMemory(objects.folder()),
                                objects.doorbells(),
                                objects.doorbells().add(qp)))
                .put(CommandAttribute.QPN, qp.qpn())
                .putRecord(CommandAttribute.CAPABILITIES, qp.initAttributes().capabilities());
    }
}
