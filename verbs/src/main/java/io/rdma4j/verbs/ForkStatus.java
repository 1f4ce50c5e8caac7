package io.rdma4j.verbs;

/** What becomes of registered memory when the process forks. Answers to {@code enum ibv_fork_status}. */
public enum ForkStatus {
    /** Nothing was prepared: a child may take pages away from the device. */
    DISABLED,
    /** Registered memory is kept out of children. */
    ENABLED,
    /** There is nothing to prepare for. */
    UNNEEDED
}
