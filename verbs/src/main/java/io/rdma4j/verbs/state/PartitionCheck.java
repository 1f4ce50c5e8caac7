// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.state;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;

/** Checks that a P_Key index is valid and that the host's policy allows the partition. */
public final class PartitionCheck {
    private final String device;
    private final ContextState context;
    private final Policy policy;

    /** @param device name of the device */
    public PartitionCheck(String device, ContextState context, Policy policy) {
        this.device = device;
        this.context = context;
        this.policy = policy;
    }

    /** The {@link io.rdma4j.verbs.PartitionPolicy} of the host, for the device. */
    @FunctionalInterface
    public interface Policy {
        /** True if queue pairs of the port may use the partition. */
        boolean allows(int port, int pkey);
    }

    /**
     * @throws RdmaException EINVAL if {@code index} is outside the port's P_Key table; EACCES if the policy denies its
     *     P_Key
     */
    public void key(String name, int port, int index) {
        Arguments.range(name, index, 0, context.ports().attributes(port).pkeyTableLength() - 1L);
        int pkey = context.ports().pkey(port, index);
        if (!policy.allows(port, pkey)) {
            throw denied(String.format("partition 0x%04x at port %d", pkey, port));
        }
    }

    /**
     * @throws RdmaException EACCES if the policy denies all partitions of the device
     */
    public void any() {
        int ports = context.queryDevice().physicalPortCount();
        for (int port = 1; port <= ports; port++) {
            int keys = context.ports().attributes(port).pkeyTableLength();
            for (int index = 0; index < keys; index++) {
                if (policy.allows(port, context.ports().pkey(port, index))) {
                    return;
                }
            }
        }
        throw denied("all partitions of " + device);
    }

    private static RdmaException denied(String what) {
        return new RdmaException(Errno.EACCES, "the host's policy denies " + what);
    }
}
