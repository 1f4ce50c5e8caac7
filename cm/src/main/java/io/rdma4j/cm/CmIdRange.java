// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/**
 * A range of communication IDs: the managers of one device have different ones.
 *
 * @param first the lowest ID; its lower bits are 0
 * @param bits number of lower bits in which the IDs of the range differ: 1 to 32
 */
public record CmIdRange(int first, int bits) {
    /** All communication IDs. */
    public static final CmIdRange ALL = new CmIdRange(0, Integer.SIZE);

    /**
     * Checks the values.
     *
     * @throws RdmaException EINVAL if a lower bit of {@code first} is not 0, or for another number of bits
     */
    public CmIdRange {
        if (bits < 1 || bits > Integer.SIZE || (first & mask(bits)) != 0) {
            throw new RdmaException(
                    Errno.EINVAL, String.format("no range of communication IDs: %08x and %d lower bits", first, bits));
        }
    }

    private static int mask(int bits) {
        return -1 >>> Integer.SIZE - bits;
    }

    /**
     * {@return the ID with these lower bits}
     *
     * @param number its lower bits are used
     */
    public int id(int number) {
        return first | number & mask(bits);
    }

    /**
     * {@return true if the ID belongs to the range}
     *
     * @param id a communication ID
     */
    public boolean contains(int id) {
        return (id & ~mask(bits)) == first;
    }

    /** {@return the number of IDs} */
    public long size() {
        return 1L << bits;
    }
}
