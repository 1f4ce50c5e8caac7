// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

import io.rdma4j.verbs.core.Arguments;

/**
 * Sizes of a shared receive queue. Corresponds to {@code struct ibv_srq_attr}.
 *
 * @param maxWr {@code max_wr}: capacity in receive requests; a minimum in a request
 * @param maxSge {@code max_sge}: capacity of a request in scatter/gather elements; a minimum in a request
 * @param limit {@code srq_limit}: when fewer requests are left, {@link EventType#SRQ_LIMIT_REACHED} is raised once; 0
 *     if not armed
 */
public record SrqAttributes(int maxWr, int maxSge, int limit) {
    /**
     * Checks the signs.
     *
     * @throws io.rdma4j.base.RdmaException EINVAL if a value is negative
     */
    public SrqAttributes {
        Arguments.notNegative("max_wr", maxWr);
        Arguments.notNegative("max_sge", maxSge);
        Arguments.notNegative("srq_limit", limit);
    }
}
