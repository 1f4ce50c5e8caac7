package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/**
 * A piece of registered memory. Answers to {@code struct ibv_sge}.
 *
 * @param address {@code addr}: in the region's address space, so iova + offset
 * @param length {@code length}: bytes; 0 is an empty piece
 * @param lkey {@code lkey}: the region's local key
 */
public record Sge(long address, int length, int lkey) {
    /**
     * Checks the sign; whether the range lies in the region is found out by {@link #of}, or by the device.
     *
     * @throws RdmaException EINVAL if {@code length} is negative
     */
    public Sge {
        Arguments.notNegative("sge length", length);
    }

    /**
     * {@return a checked part of a region}
     *
     * @param region that is open
     * @param offset bytes from the region's start
     * @param length bytes
     * @throws RdmaException EINVAL if the part does not lie in the region or the region is closed
     */
    public static Sge of(MemoryRegion region, long offset, int length) {
        region.checkOpen();
        Arguments.within(region, offset, length, region.lengthBytes());
        return new Sge(region.iova() + offset, length, region.lkey());
    }

    /**
     * {@return a whole region}
     *
     * @param region that is open
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
