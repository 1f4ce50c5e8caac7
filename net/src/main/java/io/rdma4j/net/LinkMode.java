// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

/** Operational state of a link after it came up ({@code IF_LINK_MODE_*}). The ordinal is the Linux constant's value. */
public enum LinkMode {
    /** {@link OperState#UP}. */
    DEFAULT,
    /** {@link OperState#DORMANT}, until a supervising program sets {@link OperState#UP}. */
    DORMANT
}
