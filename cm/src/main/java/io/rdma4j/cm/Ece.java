// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

/**
 * Options of a vendor for a connection (enhanced connection establishment). The communication manager transports them.
 * Corresponds to {@code struct ibv_ece}.
 *
 * @param vendorId 24 bits; 0 for none
 * @param options 32 bits
 */
public record Ece(int vendorId, int options) {
    /** No options. */
    public static final Ece NONE = new Ece(0, 0);
}
