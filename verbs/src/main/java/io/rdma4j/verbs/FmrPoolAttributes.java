package io.rdma4j.verbs;

import java.util.Set;
import java.util.function.Consumer;

/**
 * How a pool of fast memory regions is to work. Answers to {@code struct ib_fmr_pool_param}; immutable.
 *
 * @param regions {@code pool_size}: how many regions it has
 * @param each {@code max_pages_per_fmr}, {@code page_shift}, and how often one is mapped before it must be unmapped
 * @param access rights that the keys give
 * @param dirtyWatermark {@code dirty_watermark}: as soon as so many regions must be unmapped, all of them are
 * @param isCached {@code cache}: memory that is still mapped from before is not mapped anew
 * @param flushFunction {@code flush_function}: told each time regions have been unmapped, by the thread that did it
 */
public record FmrPoolAttributes(
        int regions,
        FmrAttributes each,
        Set<AccessFlag> access,
        int dirtyWatermark,
        boolean isCached,
        Consumer<FmrPool> flushFunction) {
    /** Copies the set. */
    public FmrPoolAttributes {
        access = Set.copyOf(access);
    }

    /**
     * {@return a pool without cache, which unmaps when half of the regions must be}
     *
     * @param regions {@code pool_size}: at least 1
     * @param each what each of them is capable of
     * @param access rights that their keys give
     */
    public static FmrPoolAttributes of(int regions, FmrAttributes each, Set<AccessFlag> access) {
        return new FmrPoolAttributes(regions, each, access, Math.max(1, regions / 2), false, _ -> {});
    }

    /**
     * {@return the same with another watermark}
     *
     * @param other {@code dirty_watermark}: 1 to the number of regions
     */
    public FmrPoolAttributes withDirtyWatermark(int other) {
        return new FmrPoolAttributes(regions, each, access, other, isCached, flushFunction);
    }

    /** {@return the same with a cache} */
    public FmrPoolAttributes cached() {
        return new FmrPoolAttributes(regions, each, access, dirtyWatermark, true, flushFunction);
    }

    /**
     * {@return the same with somebody to tell}
     *
     * @param other {@code flush_function}: called after each flush, by the thread that flushed
     */
    public FmrPoolAttributes withFlushFunction(Consumer<FmrPool> other) {
        return new FmrPoolAttributes(regions, each, access, dirtyWatermark, isCached, other);
    }
}
