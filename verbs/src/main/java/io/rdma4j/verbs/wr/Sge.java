// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.wr;

import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;

/**
 * A scatter/gather element: a range of registered memory. Corresponds to {@code struct ibv_sge}.
 *
 * @param address {@code addr}: in the region's address space, that is iova + offset
 * @param length {@code length}: bytes; 0 is an empty element
 * @param lkey {@code lkey}: L_Key of the region
 */
public record Sge(long address, int length, int lkey) {
    /**
     * Checks the sign. The device checks that the range is within the region.
     *
     * @throws RdmaException EINVAL if {@code length} is negative
     */
    public Sge {
        Arguments.notNegative("sge length", length);
    }
}
