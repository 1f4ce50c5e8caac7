// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

/** Protection of registered memory when the process forks. Corresponds to {@code enum ibv_fork_status}. */
public enum ForkStatus {
    /** No protection: after a fork, copy-on-write may replace pages that the device still accesses. */
    DISABLED,
    /** Registered memory is not inherited by child processes. */
    ENABLED,
    /** No protection is needed. */
    UNNEEDED
}
