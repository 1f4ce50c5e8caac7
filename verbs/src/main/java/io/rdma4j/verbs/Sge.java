package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/**
 * A scatter/gather element: a range of registered memory. Corresponds to {@code struct ibv_sge}.
 *
 * @param address {@code addr}: in the region's address space, that is iova + offset
 * @param length {@code length}: bytes; 0 is an empty element
 * @param lkey {@code lkey}: L_Key of the region
 */
public record Sge(long address, int length, int lkey) {
    /**
     * Checks the sign. {@link #of} or the device checks that the range is within the region.
     *
     * @throws RdmaException EINVAL if {@code length} is negative
     */
    public Sge {
        Arguments.notNegative("sge length", length);
    }

    /**
     * {@return an element for a part of a region}
     *
     * @param region an open region
     * @param offset bytes from the region's start
     * @param length bytes
     * @throws RdmaException EINVAL if the part exceeds the region or the region is closed
     */
    public static Sge of(MemoryRegion region, long offset, int length) {
        region.checkOpen();
        Arguments.within(region, offset, length, region.lengthBytes());
        return new Sge(region.iova() + offset, length, region.lkey());
    }

    /**
     * {@return an element for a whole region}
     *
     * @param region an open region
     * @throws RdmaException EINVAL if the region is longer than 2^31 - 1 bytes or closed
     */
    public static Sge of(MemoryRegion region) {
        if (region.lengthBytes() > Integer.MAX_VALUE) {
            throw new RdmaException(
                    Errno.EINVAL,
                    region + " has " + region.lengthBytes() + " bytes, an sge at most " + Integer.MAX_VALUE
                            + "; use several");
        }
        return of(region, 0, (int) region.lengthBytes());
    }
}
