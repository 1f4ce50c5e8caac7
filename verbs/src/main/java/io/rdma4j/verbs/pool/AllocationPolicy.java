// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.pool;

/** What an allocation does when nothing is free. Corresponds to the flags {@code GFP_KERNEL} and {@code GFP_ATOMIC}. */
public enum AllocationPolicy {
    /** The calling thread waits until something is free ({@code GFP_KERNEL}). Not for handlers of a device. */
    MAY_BLOCK,
    /** The allocation fails at once with ENOMEM ({@code GFP_ATOMIC}). */
    NON_BLOCKING
}
