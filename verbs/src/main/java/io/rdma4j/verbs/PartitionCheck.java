package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/** Checks that a P_Key index is valid and that the host's {@link PartitionPolicy} allows the partition. */
final class PartitionCheck {
    private PartitionCheck() {}

    /**
     * @throws RdmaException EINVAL if {@code index} is outside the port's P_Key table; EACCES if the policy denies its
     *     P_Key
     */
    static void key(Context context, String name, int port, int index) {
        Arguments.range(name, index, 0, context.queryPort(port).pkeyTableLength() - 1L);
        if (!allows(context, port, index)) {
            throw denied(String.format("partition 0x%04x at port %d", context.queryPkey(port, index), port));
        }
    }

    /**
     * @throws RdmaException EACCES if the policy denies all partitions of the device
     */
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
