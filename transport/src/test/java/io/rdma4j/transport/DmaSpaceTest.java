// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.memory.DmaSpace;
import io.rdma4j.transport.memory.DmaUser;
import io.rdma4j.transport.memory.KeyTable;
import io.rdma4j.transport.memory.NumberSequence;
import io.rdma4j.transport.memory.RegionKey;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.DmaDirection;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DmaSpaceTest {
    private final Object domain = new Object();
    private final KeyTable keys = new KeyTable(10, 0, NumberSequence.counting(1));
    private final DmaSpace space = new DmaSpace();
    private final MemorySegment memory = Arena.ofAuto().allocate(3 * 4096, 4096);

    private long map(MemorySegment segment) {
        return space.map(segment, DmaDirection.BIDIRECTIONAL);
    }

    @Test
    @Covers("MR-2")
    void aRegionCoversWhatIsMappedAndNothingElse() {
        RegionKey early = keys.registerDma(domain, space, 0);
        assertThat(early.contains(0, 0)).isTrue();
        assertThat(early.contains(4096, 1)).isFalse();
        long first = map(memory.asSlice(100, 200));
        long second = map(memory.asSlice(4096, 4096));
        RegionKey late = keys.registerDma(domain, space, 0);
        for (RegionKey region : List.of(early, late)) {
            assertThat(region.contains(first, 200)).isTrue();
            assertThat(region.contains(first + 199, 1)).isTrue();
            assertThat(region.contains(first, 201)).isFalse();
            assertThat(region.contains(first - 1, 2)).isFalse();
            assertThat(region.contains(second, 4096)).isTrue();
            assertThat(region.contains(second + 4095, 2)).isFalse();
            assertThat(region.contains(first, second - first + 1)).isFalse();
            assertThat(region.contains(-1, 1)).isFalse();
            assertThat(region.contains(first, Long.MAX_VALUE)).isFalse();
            assertThat(region.memory(second + 5).address() + region.offset(second + 5))
                    .isEqualTo(memory.address() + 4096 + 5);
            assertThat(region.contiguous(first + 50, 1000)).isEqualTo(150);
        }
    }

    @Test
    @Covers("MR-2")
    void aRegionDoesNotCoverWhatAnotherContextHasMapped() {
        DmaSpace other = new DmaSpace();
        RegionKey region = keys.registerDma(domain, space, 0);
        long address = other.map(memory, DmaDirection.BIDIRECTIONAL);
        assertThat(region.contains(address, 1)).isFalse();
        DmaUser user = () -> space;
        DmaUser stranger = () -> other;
        int key = keys.reserved(space).key();
        assertThat(keys.lookup(user, key, 0)).isSameAs(keys.reserved(space)).isNotSameAs(keys.reserved(other));
        assertThat(keys.lookup(stranger, key, 0)).isSameAs(keys.reserved(other));
        assertThat(keys.lookup(domain, key, 0)).isNull();
    }

    @Test
    @Covers("MR-2")
    void anAddressThatWasTakenBackLeadsNowhereForEver() {
        RegionKey region = keys.registerDma(domain, space, 0);
        long first = map(memory);
        long second = map(memory);
        space.unmap(first);
        assertThat(region.contains(first, 1)).isFalse();
        assertThat(region.contains(second, 1)).isTrue();
        space.unmap(second);
        assertThat(region.contains(second, 1)).isFalse();
        assertThat(map(memory)).isGreaterThan(second + memory.byteSize());
    }

    @Test
    void addressesLieInTheirPageAsTheMemoryDoesAndNeverTouch() {
        List<Long> ends = new ArrayList<>(List.of(0L));
        for (int offset : new int[] {0, 1, 4095, 4096, 5000}) {
            MemorySegment piece = memory.asSlice(offset, 4096);
            long address = map(piece);
            assertThat(address & 4095).isEqualTo(piece.address() & 4095);
            assertThat(address - ends.getLast()).isPositive();
            ends.add(address + 4096);
        }
    }

    /** The arena of one mapping is closed too early: the others know nothing of it. */
    @Test
    void mappingsLiveIndependently() {
        RegionKey region = keys.registerDma(domain, space, 0);
        Arena closing = Arena.ofShared();
        long first = map(closing.allocate(10));
        long second = map(memory);
        closing.close();
        assertThat(region.admits(first, 0)).isFalse();
        assertThat(region.admits(second, 0)).isTrue();
    }

    @Test
    void aRevokedRegionFollowsNoLonger() {
        RegionKey region = keys.registerDma(domain, space, 0);
        keys.revoke(region);
        long address = map(memory);
        assertThat(region.contains(address, 1)).isFalse();
        assertThat(keys.lookup(domain, region.key(), 0)).isNull();
    }

    @Test
    @SuppressWarnings("restricted") // an address only, nobody looks into the memory
    void addressesRunOutBeforeTheyWrap() {
        MemorySegment half = MemorySegment.ofAddress(4096).reinterpret(Long.MAX_VALUE / 2);
        map(half);
        assertThatThrownBy(() -> map(half)).isInstanceOf(RdmaException.class).hasMessageContaining("are left");
        assertThat(map(memory)).isPositive();
    }

    /** {@code DMA_TO_DEVICE}, {@code DMA_FROM_DEVICE}, {@code DMA_BIDIRECTIONAL}. */
    @Test
    void theDirectionSaysWhatTheDeviceMayDo() {
        RegionKey region = keys.registerDma(domain, space, 0);
        for (DmaDirection direction : DmaDirection.values()) {
            long address = space.map(memory, direction);
            boolean reads = direction != DmaDirection.FROM_DEVICE;
            boolean writes = direction != DmaDirection.TO_DEVICE;
            assertThat(region.admits(address, 0)).isEqualTo(reads);
            assertThat(region.admits(address, AccessFlag.REMOTE_READ.bit())).isEqualTo(reads);
            assertThat(region.admits(address, AccessFlag.LOCAL_WRITE.bit())).isEqualTo(writes);
            assertThat(region.admits(address, AccessFlag.REMOTE_WRITE.bit())).isEqualTo(writes);
            assertThat(region.admits(address, AccessFlag.REMOTE_ATOMIC.bit())).isEqualTo(reads && writes);
        }
    }

    @Test
    void whatIsHandedToTheProgramIsNotTheDevicesUntilItIsHandedBack() {
        RegionKey region = keys.registerDma(domain, space, 0);
        long first = map(memory);
        long second = map(memory);
        space.hand(first, false);
        assertThat(region.admits(first, 0)).isFalse();
        assertThat(region.admits(second, 0)).isTrue();
        space.hand(first, true);
        assertThat(region.admits(first, 0)).isTrue();
    }
}
