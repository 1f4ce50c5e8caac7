package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/** Whether the host's {@link PartitionPolicy} lets a program into a partition, and whether there is such a partition. */
final class PartitionCheck {
    private PartitionCheck() {}

    /** @throws RdmaException EINVAL if {@code index} is outside of the port's table; EACCES if its key is denied */
    static void key(Context context, String name, int port, int index) {
        Arguments.range(name, index, 0, context.queryPort(port).pkeyTableLength() - 1L);
        if (!allows(context, port, index)) {
            throw denied(String.format("partition 0x%04x at port %d", context.queryPkey(port, index), port));
        }
    }

    /** @throws RdmaException EACCES if all partitions of the device are denied */
    static void any(Context context) {
        int ports = context.queryDevice().physicalPortCount();
        for (int port = 1; port <= ports; port++) {
            int keys = context.queryPort(port).pkeyTableLength();
            for (int index = 0; index < keys; index++) {
                if (allows(context, port, index)) {
                    return;
                }
            }
        }
        throw denied("all partitions of " + context.device());
    }

    private static boolean allows(Context context, int port, int index) {
        PartitionPolicy policy = context.device().host().partitionPolicy();
        return policy.allows(context.device(), port, context.queryPkey(port, index));
    }

    private static RdmaException denied(String what) {
        return new RdmaException(Errno.EACCES, "the host's policy denies " + what);
    }
}
