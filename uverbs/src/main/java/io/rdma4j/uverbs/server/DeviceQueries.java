package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.ResourceCodec;
import io.rdma4j.verbs.Device;
import org.jspecify.annotations.Nullable;

/** What a client may ask of a device without opening it, as {@code rdma} asks the kernel by netlink. Any thread. */
final class DeviceQueries {
    private final Device device;
    private volatile @Nullable Runnable deletion;

    DeviceQueries(Device device) {
        this.device = device;
    }

    /** The device may be deleted from now on, and then this runs. */
    void onDelete(Runnable action) {
        deletion = action;
    }

    /** Null if the command needs a context. */
    @Nullable
    Message answer(Message request) {
        return switch (request.command()) {
            case QUERY_RESOURCES ->
                new Message(Command.QUERY_RESOURCES)
                        .putBytes(Attribute.RESOURCES, ResourceCodec.encode(device.resources()));
            case DELETE_LINK -> {
                delete();
                yield new Message(Command.DELETE_LINK);
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
