package io.rdma4j.verbs;

/**
 * What a fast memory region is to be capable of. Answers to {@code struct ib_fmr_attr}; immutable.
 *
 * @param maxPages {@code max_pages}: pages that can be mapped at once
 * @param maxMaps {@code max_maps}: how often it can be mapped before it must be unmapped
 * @param pageShift {@code page_shift}: a page has 2 to this power bytes
 */
public record FmrAttributes(int maxPages, int maxMaps, int pageShift) {
    private static final int USUAL_MAPS = 32;
    private static final int USUAL_SHIFT = 12;

    /**
     * {@return a region for {@code maxPages} pages of 4096 bytes, mapped 32 times}
     *
     * @param maxPages {@code max_pages}: at least 1
     */
    public static FmrAttributes of(int maxPages) {
        return new FmrAttributes(maxPages, USUAL_MAPS, USUAL_SHIFT);
    }

    /**
     * {@return the same, mapped {@code other} times}
     *
     * @param other {@code max_maps}: 1 to {@code max_map_per_fmr}
     */
    public FmrAttributes withMaxMaps(int other) {
        return new FmrAttributes(maxPages, other, pageShift);
    }

    /**
     * {@return the same with pages of 2 to the power of {@code other} bytes}
     *
     * @param other {@code page_shift}
     */
    public FmrAttributes withPageShift(int other) {
        return new FmrAttributes(maxPages, maxMaps, other);
    }

    /** {@return bytes of a page} */
    public long pageBytes() {
        return 1L << pageShift;
    }
}
