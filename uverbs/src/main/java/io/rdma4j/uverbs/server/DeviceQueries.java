// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.ResourceCodec;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.values.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Executes the commands that need no context; Linux has them in netlink, for the {@code rdma} tool. Any thread. */
final class DeviceQueries {
    private final Device device;
    private final Function<Session, List<Resource>> ofClients;
    private volatile @Nullable Runnable deletion;

    /**
     * @param ofClients objects that only the clients know, but for one session that cannot answer; may wait for them
     */
    DeviceQueries(Device device, Function<Session, List<Resource>> ofClients) {
        this.device = device;
        this.ofClients = ofClients;
    }

    /** Allows clients to delete the device; a deletion runs this action. */
    void onDelete(Runnable action) {
        deletion = action;
    }

    /**
     * Null if the command needs a context.
     *
     * @param session of the request; it executes no other command meanwhile
     */
    @Nullable
    Message answer(Message request, Session session) {
        return switch (request.command()) {
            case QUERY_RESOURCES ->
                new Message(CommandType.QUERY_RESOURCES)
                        .putBytes(CommandAttribute.RESOURCES, ResourceCodec.encode(resources(session)));
            case DELETE_LINK -> {
                delete();
                yield new Message(CommandType.DELETE_LINK);
            }
            default -> null;
        };
    }

    private List<Resource> resources(Session session) {
        List<Resource> all = new ArrayList<>(device.resources());
        all.addAll(ofClients.apply(session));
        return all;
    }

    private void delete() {
        Runnable action = deletion;
        if (action == null) {
            throw new RdmaException(
                    Errno.EBUSY,
                    device + " belongs to process " + ProcessHandle.current().pid()
                            + ", a program that has it open: it goes when the program ends");
        }
        action.run();
    }
}
