// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.ResourceCodec;
import io.rdma4j.verbs.Device;
import org.jspecify.annotations.Nullable;

/** Executes the commands that need no context; Linux has them in netlink, for the {@code rdma} tool. Any thread. */
final class DeviceQueries {
    private final Device device;
    private volatile @Nullable Runnable deletion;

    DeviceQueries(Device device) {
        this.device = device;
    }

    /** Allows clients to delete the device; a deletion runs this action. */
    void onDelete(Runnable action) {
        deletion = action;
    }

    /** Null if the command needs a context. */
    @Nullable
    Message answer(Message request) {
        return switch (request.command()) {
            case QUERY_RESOURCES ->
                new Message(CommandType.QUERY_RESOURCES)
                        .putBytes(CommandAttribute.RESOURCES, ResourceCodec.encode(device.resources()));
            case DELETE_LINK -> {
                delete();
                yield new Message(CommandType.DELETE_LINK);
            }
            default -> null;
        };
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
