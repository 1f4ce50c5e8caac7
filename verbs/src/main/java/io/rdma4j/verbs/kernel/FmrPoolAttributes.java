// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.kernel;

import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.FmrAttributes;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Attributes of a pool of fast memory regions. Corresponds to {@code struct ib_fmr_pool_param}. Immutable.
 *
 * @param regions {@code pool_size}: number of regions
 * @param each {@code max_pages_per_fmr}, {@code page_shift} and the maximum number of maps of each region
 * @param access access rights of the keys
 * @param dirtyWatermark {@code dirty_watermark}: number of dirty regions at which all of them are unmapped
 * @param isCached {@code cache}: true to reuse a region that still has the same memory mapped
 * @param flushFunction {@code flush_function}: called after each unmapping of dirty regions, by the thread that
 *     unmapped them
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
     * {@return attributes of a pool without a cache, whose watermark is half of the regions}
     *
     * @param regions {@code pool_size}: at least 1
     * @param each limits of each region
     * @param access access rights of the keys
     */
    public static FmrPoolAttributes of(int regions, FmrAttributes each, Set<AccessFlag> access) {
        return new FmrPoolAttributes(regions, each, access, Math.max(1, regions / 2), false, _ -> {});
    }

    /**
     * {@return a copy with another watermark}
     *
     * @param other {@code dirty_watermark}: 1 to the number of regions
     */
    public FmrPoolAttributes withDirtyWatermark(int other) {
        return new FmrPoolAttributes(regions, each, access, other, isCached, flushFunction);
    }

    /** {@return a copy with a cache} */
    public FmrPoolAttributes cached() {
        return new FmrPoolAttributes(regions, each, access, dirtyWatermark, true, flushFunction);
    }

    /**
     * {@return a copy with another flush function}
     *
     * @param other {@code flush_function}: called after each flush, by the thread that flushed
     */
    public FmrPoolAttributes withFlushFunction(Consumer<FmrPool> other) {
        return new FmrPoolAttributes(regions, each, access, dirtyWatermark, isCached, other);
    }
}
