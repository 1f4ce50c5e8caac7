// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

/**
 * Decides which partitions an application may use; set by {@link Host#partitionPolicy(PartitionPolicy)}. Corresponds to
 * {@code ib_create_qp_security} and {@code ib_security_modify_qp}.
 *
 * <p>The verbs call the policy on the calling thread at two points. The creation of a queue pair requires that at least
 * one partition of the device is allowed. Each assignment of a P_Key requires that this partition is allowed.
 */
@FunctionalInterface
public interface PartitionPolicy {
    /** Allows every partition. */
    PartitionPolicy OPEN = (device, port, pkey) -> true;

    /**
     * Decides for the application of the calling thread.
     *
     * @param device a device of the host that has this policy
     * @param port port number, from 1
     * @param pkey P_Key: 16 bits, bit 15 is set for a full member
     * @return true to allow; false makes the verbs call fail with EACCES
     */
    boolean allows(Device device, int port, int pkey);
}
