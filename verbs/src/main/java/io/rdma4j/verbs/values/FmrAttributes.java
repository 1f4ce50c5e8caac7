// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

/**
 * Limits of a fast memory region. Corresponds to {@code struct ib_fmr_attr}. Immutable.
 *
 * @param maxPages {@code max_pages}: maximum number of mapped pages
 * @param maxMaps {@code max_maps}: maximum number of maps without an unmap
 * @param pageShift {@code page_shift}: binary logarithm of the page size in bytes
 */
public record FmrAttributes(int maxPages, int maxMaps, int pageShift) {
    private static final int USUAL_MAPS = 32;
    private static final int USUAL_SHIFT = 12;

    /**
     * {@return limits for {@code maxPages} pages of 4096 bytes and 32 maps}
     *
     * @param maxPages {@code max_pages}: at least 1
     */
    public static FmrAttributes of(int maxPages) {
        return new FmrAttributes(maxPages, USUAL_MAPS, USUAL_SHIFT);
    }

    /**
     * {@return a copy with another maximum number of maps}
     *
     * @param other {@code max_maps}: 1 to {@code max_map_per_fmr}
     */
    public FmrAttributes withMaxMaps(int other) {
        return new FmrAttributes(maxPages, other, pageShift);
    }

    /**
     * {@return a copy with another page size}
     *
     * @param other {@code page_shift}: binary logarithm of the page size in bytes
     */
    public FmrAttributes withPageShift(int other) {
        return new FmrAttributes(maxPages, maxMaps, other);
    }

    /** {@return the page size in bytes} */
    public long pageBytes() {
        return 1L << pageShift;
    }
}
