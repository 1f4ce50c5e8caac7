package io.rdma4j.verbs;

/**
 * Who may be in which partition. Asked when a queue pair is made, which needs a partition of its device, and whenever one is
 * given a P_Key. Answers to {@code ib_create_qp_security} and {@code ib_security_modify_qp}; set by
 * {@link Host#partitionPolicy(PartitionPolicy)}.
 */
@FunctionalInterface
public interface PartitionPolicy {
    /** No restrictions. */
    PartitionPolicy OPEN = (device, port, pkey) -> true;

    /**
     * Decides for the program of the calling thread.
     *
     * @param device of the host that the policy was given to
     * @param port from 1
     * @param pkey 16 bits, bit 15 for a full member
     * @return false: the call that asked ends with EACCES
     */
    boolean allows(Device device, int port, int pkey);
}
