// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.kernel.FmrPool;
import io.rdma4j.verbs.kernel.FmrPoolAttributes;
import io.rdma4j.verbs.kernel.PooledFmr;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.FmrAttributes;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FmrPoolTest {
    private static final int PAGE = FastMemoryRegion.PAGE_BYTES;

    private final Fixture fixture = new Fixture();
    private final MemorySegment memory = fixture.pages(8);
    private final List<FmrPool> flushed = new ArrayList<>();

    private FmrPoolAttributes attributes(int regions, int maxMaps) {
        return FmrPoolAttributes.of(regions, FmrAttributes.of(2).withMaxMaps(maxMaps), Set.of(AccessFlag.LOCAL_WRITE))
                .withFlushFunction(flushed::add);
    }

    private List<MemorySegment> page(int number) {
        return List.of(memory.asSlice((long) number * PAGE, PAGE));
    }

    @Test
    @Covers("FMR-1")
    void regionsAreMappedGivenBackAndMappedAgain() {
        FmrPool pool = FmrPool.create(fixture.pd, attributes(2, 4));
        PooledFmr first = pool.map(page(0), 0x1000);
        PooledFmr second = pool.map(page(1), 0x2000);

        assertThat(first.iova()).isEqualTo(0x1000);
        assertThat(second.lengthBytes()).isEqualTo(PAGE);
        assertRefused(Errno.EAGAIN, "all 2 regions of FMR pool", () -> pool.map(page(2), 0));
        first.close();
        first.close();
        PooledFmr third = pool.map(page(2), 0x3000);
        assertThat(third.rkey() >>> 8).isEqualTo(first.rkey() >>> 8);
        assertThat(third.rkey()).isNotEqualTo(first.rkey());
        second.close();
        third.close();
        pool.close();
        fixture.pd.close();
    }

    /** {@code dirty_watermark}, {@code flush_function}. */
    @Test
    @Covers({"FMR-1", "FMR-6"})
    void regionsThatMustBeUnmappedWaitForTheWatermark() {
        FmrPool pool = FmrPool.create(fixture.pd, attributes(3, 1).withDirtyWatermark(2));
        pool.map(page(0), 0).close();
        assertThat(pool.dirtyRegions()).isEqualTo(1);
        assertThat(flushed).isEmpty();
        pool.map(page(1), 0).close();
        assertThat(flushed).containsExactly(pool);
        assertThat(pool.dirtyRegions()).isZero();
        for (int i = 0; i < 10; i++) {
            pool.map(page(i % 8), 0).close();
        }
        assertThat(flushed).hasSize(6);
    }

    @Test
    void aFlushMakesRegionsUsableAgain() {
        FmrPool pool = FmrPool.create(fixture.pd, attributes(2, 1).withDirtyWatermark(2));
        pool.map(page(0), 0).close();
        PooledFmr held = pool.map(page(1), 0);
        assertRefused(Errno.EAGAIN, "1 of them to be unmapped", () -> pool.map(page(2), 0));
        pool.flush();
        assertThat(flushed).containsExactly(pool);
        pool.map(page(2), 0).close();
        held.close();
    }

    /** {@code cache}. */
    @Test
    void whatIsStillMappedIsNotMappedAnew() {
        FmrPool pool = FmrPool.create(fixture.pd, attributes(2, 1).cached());
        PooledFmr first = pool.map(page(0), 0x1000);
        PooledFmr shared = pool.map(page(0), 0x1000);
        assertThat(shared.rkey()).isEqualTo(first.rkey());
        first.close();
        PooledFmr elsewhere = pool.map(page(0), 0x2000);
        assertThat(elsewhere.rkey()).isNotEqualTo(shared.rkey());
        shared.close();
        assertThat(flushed).as("the watermark is 1").hasSize(1);
        elsewhere.close();

        PooledFmr again = pool.map(page(0), 0x1000);
        assertThat(again.rkey()).as("it was unmapped in between").isNotEqualTo(shared.rkey());
        again.close();
    }

    @Test
    void whatWasGivenBackServesAgainFromTheCache() {
        FmrPool pool = FmrPool.create(fixture.pd, attributes(2, 4).cached());
        PooledFmr first = pool.map(page(0), 0);
        first.close();
        PooledFmr other = pool.map(page(1), 0);
        PooledFmr again = pool.map(page(0), 0);
        assertThat(again.rkey()).isEqualTo(first.rkey());
        assertRefused(Errno.EAGAIN, "in use", () -> pool.map(page(2), 0));
        again.close();
        other.close();
        pool.flush();
        assertThat(pool.map(page(0), 0).rkey()).isNotEqualTo(first.rkey());
    }

    @Test
    void memoryThatCannotBeMappedCostsNoRegion() {
        FmrPool pool = FmrPool.create(fixture.pd, attributes(1, 4));
        assertRefused(Errno.EINVAL, "no pages", () -> pool.map(List.of(memory.asSlice(8, 8)), 0));
        pool.map(page(0), 0).close();
    }

    @Test
    void aPoolIsClosedOnceNothingOfItIsInUse() {
        FmrPool pool = FmrPool.create(fixture.pd, attributes(2, 4));
        PooledFmr held = pool.map(page(0), 0);
        assertRefused(Errno.EBUSY, "1 FMR", pool::close);
        assertRefused(Errno.EBUSY, "1 FMR pool", fixture.pd::close);
        held.close();
        pool.close();
        pool.close();
        assertRefused(Errno.EINVAL, "is closed", () -> pool.map(page(0), 0));
        assertRefused(Errno.EINVAL, "is closed", pool::flush);
        fixture.pd.close();
    }

    @Test
    void aPoolThatCannotBeMadeLeavesNothingBehind() {
        assertRefused(Errno.ENOMEM, "max_fmr", () -> FmrPool.create(fixture.pd, attributes(6, 4)));
        assertRefused(Errno.EINVAL, "pool_size 0", () -> FmrPool.create(fixture.pd, attributes(0, 4)));
        assertRefused(
                Errno.EINVAL,
                "dirty_watermark 3 is not in 1..2",
                () -> FmrPool.create(fixture.pd, attributes(2, 4).withDirtyWatermark(3)));
        fixture.pd.close();
    }
}
