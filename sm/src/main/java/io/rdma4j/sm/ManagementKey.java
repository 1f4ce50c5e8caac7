// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/**
 * The M_Key that a subnet manager gives all ports (IBA 14.2.4). Requests with another key are dropped, as far as the
 * protection says.
 *
 * @param key 64 bits; 0 for none
 * @param protectBits {@code M_KeyProtectBits}: 0 shows the key, 1 hides it, 2 and 3 also drop Gets with another key
 * @param leaseSeconds {@code M_KeyLeasePeriod}: time after a request with another key at which the protection ends,
 *     unless the manager sends one meanwhile; 0 for no end, otherwise longer than the time between two sweeps
 */
public record ManagementKey(long key, int protectBits, int leaseSeconds) {
    /** Ports without a key. */
    public static final ManagementKey NONE = new ManagementKey(0, 0, 0);

    private static final int MAX_PROTECT_BITS = 3;
    private static final int MAX_LEASE = 0xFFFF;

    /**
     * Checks the values.
     *
     * @throws RdmaException EINVAL for a value out of range
     */
    public ManagementKey {
        if (protectBits < 0 || protectBits > MAX_PROTECT_BITS || leaseSeconds < 0 || leaseSeconds > MAX_LEASE) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "M_KeyProtectBits are 0..3, the lease is 0..65535 s: " + protectBits + ", " + leaseSeconds);
        }
    }
}
