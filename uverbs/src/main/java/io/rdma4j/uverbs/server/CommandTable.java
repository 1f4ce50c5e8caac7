// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The handlers of a session's commands, by type. Corresponds to {@code uverbs_def_write_intf}. One thread. */
final class CommandTable {
    private final SessionObjects objects;
    private final Map<CommandType, CommandHandler> table = new EnumMap<>(CommandType.class);

    CommandTable(SessionObjects objects) {
        this.objects = objects;
    }

    /** Adds the only handler of a command. */
    void add(CommandType command, CommandHandler handler) {
        if (table.put(command, handler) != null) {
            throw new IllegalStateException(command + " has two handlers");
        }
    }

    /** Adds a handler that closes an object of one kind and removes its handle. */
    void addDestroy(CommandType command, Class<? extends AutoCloseable> kind) {
        addDestroy(command, List.of(kind));
    }

    /** The same for an object of one of several kinds. */
    void addDestroy(CommandType command, List<Class<? extends AutoCloseable>> kinds) {
        add(command, (request, _) -> objects.destroy(request, kinds));
    }

    /**
     * Executes a command and returns its answer.
     *
     * @throws RdmaException if the command fails, or the device does not support it (EOPNOTSUPP)
     */
    Message execute(Message request) {
        CommandType command = request.command();
        CommandHandler handler = table.get(command);
        if (handler == null) {
            throw new RdmaException(Errno.EINVAL, command + " is no command of an open context");
        }
        if (!command.isSupportedBy(objects.context().queryDevice())) {
            throw new RdmaException(Errno.EOPNOTSUPP, objects.context().device() + " has no " + command);
        }
        Message answer = new Message(command);
        handler.handle(request, answer);
        return answer;
    }

    /** Closes all objects of the client after it has disconnected. */
    void closeAll() {
        objects.closeAll();
    }
}
