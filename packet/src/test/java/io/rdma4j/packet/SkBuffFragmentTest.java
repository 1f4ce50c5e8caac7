// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.testing.ledger.Covers;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SkBuffFragmentTest {
    private final Arena arena = Arena.ofConfined();
    private final SkBuffPool pool = new SkBuffPool(2, 256);
    private final SkBuff skb = Objects.requireNonNull(pool.allocate());
    private final MemorySegment memory = arena.allocate(1000);

    SkBuffFragmentTest() {
        byte[] random = new byte[1000];
        new Random(7).nextBytes(random);
        MemorySegment.copy(random, 0, memory, ValueLayout.JAVA_BYTE, 0, 1000);
    }

    @AfterEach
    void giveBack() {
        if (skb.users() > 0) {
            skb.free();
        }
        pool.close();
        assertThat(pool.leaked()).isZero();
        arena.close();
    }

    @Test
    @Covers({"SKB-24", "SKB-25", "SKB-26", "SKB-109"})
    void fragmentsCountInLenAndDataLen() {
        skb.put(40);
        assertThat(skb.isNonlinear()).isFalse();
        skb.addFrag(memory, 100, 300);
        skb.addFrag(memory, 990, 10);
        assertThat(skb.isNonlinear()).isTrue();
        assertThat(skb.dataLen()).isEqualTo(310);
        assertThat(skb.len()).isEqualTo(350);
        assertThat(skb.headLen()).isEqualTo(40);
        assertThat(skb.shinfo().fragCount()).isEqualTo(2);
        assertThat(skb.shinfo().fragMemory(1)).isSameAs(memory);
        assertThat(skb.shinfo().fragOffset(1)).isEqualTo(990);
        assertThat(skb.shinfo().fragLength(1)).isEqualTo(10);
        assertThatThrownBy(() -> skb.shinfo().fragLength(2)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    @Covers("SKB-93")
    void linearPartCannotGrowInFrontOfFragments() {
        skb.put(40);
        skb.addFrag(memory, 0, 10);
        assertThat(skb.tailroom()).isZero();
        assertThatThrownBy(() -> skb.put(1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> skb.trim(1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> skb.pull(41)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    @Covers({"SKB-93", "SKB-109"})
    void fragmentsOutsideTheirMemoryAreRefused() {
        assertThatThrownBy(() -> skb.addFrag(memory, 991, 10)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> skb.addFrag(memory, -1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> skb.addFrag(memory, Long.MAX_VALUE, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        for (int i = 0; i < SkBuff.MAX_FRAGS; i++) {
            skb.addFrag(memory, i, 1);
        }
        assertThatThrownBy(() -> skb.addFrag(memory, 0, 1)).isInstanceOf(IllegalStateException.class);
        assertThat(skb.len()).isEqualTo(SkBuff.MAX_FRAGS);
    }

    @Test
    void packetOfMoreThanTwoGibibytesIsRefused() {
        int part = 1 << 26;
        MemorySegment large = arena.allocate(part);
        for (int i = 0; i < 31; i++) {
            skb.addFrag(large, 0, part);
        }
        assertThatThrownBy(() -> skb.addFrag(large, 0, part)).isInstanceOf(IndexOutOfBoundsException.class);
        skb.addFrag(large, 0, part - 1);
        assertThat(skb.len()).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void copyBitsGathersEveryRangeOfLinearPartAndFragments() {
        byte[] packet = fill();
        MemorySegment target = arena.allocate(packet.length + 2L);
        for (int from = 0; from <= packet.length; from++) {
            for (int to = from; to <= packet.length; to++) {
                target.fill((byte) 0);
                skb.copyBits(from, target, 1, to - from);
                int length = to - from;
                assertThat(target.get(ValueLayout.JAVA_BYTE, 0)).isZero();
                assertThat(target.get(ValueLayout.JAVA_BYTE, 1L + length)).isZero();
                assertThat(target.asSlice(1, length)
                                .mismatch(MemorySegment.ofArray(packet).asSlice(from, length)))
                        .isEqualTo(-1);
            }
        }
    }

    @Test
    @Covers("SKB-93")
    void copyBitsOutsideThePacketOrTheTargetIsRefused() {
        fill();
        MemorySegment target = arena.allocate(10);
        assertThatThrownBy(() -> skb.copyBits(skb.len() - 1, target, 0, 2))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> skb.copyBits(0, target, 5, 6)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> skb.copyBits(0, target, 0, -1)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    @Covers("SKB-102")
    void linearizeGathersTheFragments() {
        byte[] packet = fill();
        assertThat(skb.linearize()).isTrue();
        assertThat(skb.isNonlinear()).isFalse();
        assertThat(skb.shinfo().fragCount()).isZero();
        assertThat(skb.len()).isEqualTo(packet.length);
        assertThat(skb.memory().asSlice(skb.data(), skb.len()).toArray(ValueLayout.JAVA_BYTE))
                .isEqualTo(packet);
        assertThat(skb.linearize()).isTrue();
    }

    @Test
    @Covers("SKB-102")
    void linearizeWithoutRoomFailsAndChangesNothing() {
        skb.put(40);
        skb.addFrag(memory, 0, 217);
        assertThat(skb.linearize()).isFalse();
        assertThat(skb.len()).isEqualTo(257);
        assertThat(skb.shinfo().fragCount()).isEqualTo(1);
    }

    @Test
    @Covers("SKB-102")
    void linearizeOfSharedDataFails() {
        fill();
        SkBuff clone = Objects.requireNonNull(skb.cloneDescriptor());
        assertThat(skb.linearize()).isFalse();
        clone.free();
        assertThat(skb.linearize()).isTrue();
    }

    @Test
    @Covers({"SKB-118", "SKB-119"})
    void trainCarriesSizeCountAndOffload() {
        assertThat(skb.shinfo().isGso()).isFalse();
        assertThat(skb.shinfo().offload()).isNull();
        PacketOffload offload = new PacketOffload() {
            @Override
            public int segmentBytes(SkBuff train, int index) {
                return train.shinfo().gsoSize();
            }

            @Override
            public boolean segment(SkBuff train, int index, SkBuff target) {
                target.put(train.shinfo().gsoSize());
                return true;
            }
        };
        skb.shinfo().gso(100, 3);
        skb.shinfo().offload(offload);
        assertThat(skb.shinfo().isGso()).isTrue();
        assertThat(skb.shinfo().gsoSize()).isEqualTo(100);
        assertThat(skb.shinfo().gsoSegs()).isEqualTo(3);
        assertThat(skb.shinfo().offload()).isSameAs(offload);
        assertThatThrownBy(() -> skb.shinfo().gso(-1, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> skb.shinfo().gso(1, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @Covers({"SKB-107", "SKB-108"})
    void sharedInfoIsOneForAllClonesAndForgottenWhenFree() {
        fill();
        skb.shinfo().gso(100, 2);
        SkBuff clone = Objects.requireNonNull(skb.cloneDescriptor());
        assertThat(clone.shinfo().fragCount()).isEqualTo(3);
        assertThat(clone.shinfo().gsoSize()).isEqualTo(100);
        clone.shinfo().gso(50, 4);
        assertThat(skb.shinfo().gsoSegs()).isEqualTo(4);
        clone.free();
        skb.free();

        SkBuff other = Objects.requireNonNull(pool.allocate());
        assertThat(other.shinfo().isGso()).isFalse();
        assertThat(other.shinfo().gsoSegs()).isZero();
        assertThat(other.shinfo().fragCount()).isZero();
        assertThat(other.dataLen()).isZero();
        other.free();
    }

    /** Makes 20 linear bytes after 8 bytes of headroom, and fragments of 30, 0 and 25 bytes; returns the packet. */
    private byte[] fill() {
        skb.reserve(8);
        skb.put(20);
        MemorySegment.copy(memory, 500, skb.memory(), 8, 20);
        skb.addFrag(memory, 100, 30);
        skb.addFrag(memory, 0, 0);
        skb.addFrag(memory, 975, 25);
        byte[] packet = new byte[75];
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, 500, packet, 0, 20);
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, 100, packet, 20, 30);
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, 975, packet, 50, 25);
        return packet;
    }

    @Test
    @Covers("SKB-115")
    void memoryOfTheApplicationIsCopiedAndGivenBackBeforeThePacketMayStay() {
        List<Integer> givenBack = new ArrayList<>();
        skb.put(40);
        skb.addFrag(memory, 0, 100);
        byte[] bytes = bytes();
        skb.meta().owner(this);
        skb.destructor(_ -> givenBack.add(1));
        assertThat(skb.orphanFrags()).isTrue();
        assertThat(skb.isNonlinear()).as("nobody asked").isTrue();

        skb.shinfo().txFlag(TxFlag.DEV_ZEROCOPY, true);
        assertThat(skb.orphanFrags()).isTrue();
        assertThat(givenBack).hasSize(1);
        assertThat(skb.isNonlinear()).isFalse();
        assertThat(skb.shinfo().hasTxFlag(TxFlag.DEV_ZEROCOPY)).isFalse();
        memory.fill((byte) 0);
        assertThat(bytes()).isEqualTo(bytes);
    }

    @Test
    @Covers("SKB-115")
    void withoutRoomForTheCopyThePacketStaysAsItIs() {
        skb.put(40);
        skb.addFrag(memory, 0, 900);
        skb.shinfo().txFlag(TxFlag.DEV_ZEROCOPY, true);
        assertThat(skb.orphanFrags()).isFalse();
        assertThat(skb.dataLen()).isEqualTo(900);
        assertThat(skb.shinfo().hasTxFlag(TxFlag.DEV_ZEROCOPY)).isTrue();
    }

    @Test
    void memoryOfTheApplicationThatIsGoneIsNotCopied() {
        Arena taken = Arena.ofShared();
        skb.addFrag(taken.allocate(50), 0, 50);
        skb.shinfo().txFlag(TxFlag.DEV_ZEROCOPY, true);
        taken.close();
        assertThat(skb.orphanFrags()).isFalse();
    }

    private byte[] bytes() {
        byte[] all = new byte[skb.len()];
        skb.copyBits(0, MemorySegment.ofArray(all), 0, all.length);
        return all;
    }

    /** Another process, in which {@link #memory} starts at address 1,000,000. */
    private final class Elsewhere implements ForeignMemory {
        private boolean alive = true;

        @Override
        public void copy(long address, MemorySegment target, long at, int length) {
            if (!alive) {
                throw new IllegalStateException("gone");
            }
            MemorySegment.copy(memory, address - 1_000_000, target, at, length);
        }

        @Override
        public boolean isAlive() {
            return alive;
        }
    }

    @Test
    void bytesOfAnotherProcessAreCopiedOutOfIt() {
        skb.put(10);
        Elsewhere elsewhere = new Elsewhere();
        skb.addForeignFrag(elsewhere, 1_000_100, 50);
        skb.addForeignFrag(elsewhere, 1_000_300, 70);
        assertThat(skb.len()).isEqualTo(130);
        assertThat(skb.shinfo().fragMemory(1).byteSize()).isZero();
        assertThat(skb.shinfo().hasAllBytes()).isTrue();
        MemorySegment copy = arena.allocate(100);
        skb.copyBits(20, copy, 5, 90);
        assertThat(copy.asSlice(5, 40).mismatch(memory.asSlice(110, 40))).isEqualTo(-1);
        assertThat(copy.asSlice(45, 50).mismatch(memory.asSlice(300, 50))).isEqualTo(-1);
        assertThatThrownBy(() -> skb.checksum(0, 130, 0, (sum, part, offset, length, odd) -> sum))
                .isInstanceOf(IllegalStateException.class);
        elsewhere.alive = false;
        assertThat(skb.shinfo().hasAllBytes()).isFalse();
        assertThatThrownBy(() -> skb.copyBits(20, copy, 0, 1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aBufferHasFragmentsOfOneProcessOnly() {
        Elsewhere elsewhere = new Elsewhere();
        skb.addFrag(memory, 0, 10);
        assertThatThrownBy(() -> skb.addForeignFrag(elsewhere, 1_000_000, 10))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("another one");
        assertThat(skb.len()).isEqualTo(10);
        skb.free();
        SkBuff other = Objects.requireNonNull(pool.allocate());
        other.addForeignFrag(elsewhere, 1_000_000, 10);
        assertThatThrownBy(() -> other.addFrag(memory, 0, 10)).isInstanceOf(IllegalStateException.class);
        other.free();
        SkBuff again = Objects.requireNonNull(pool.allocate());
        again.addFrag(memory, 0, 10);
        again.free();
    }

    @Test
    void memoryThatWasClosedIsMissed() {
        Arena shortLived = Arena.ofConfined();
        skb.addFrag(memory, 0, 10);
        skb.addFrag(shortLived.allocate(10), 0, 10);
        assertThat(skb.shinfo().hasAllBytes()).isTrue();
        shortLived.close();
        assertThat(skb.shinfo().hasAllBytes()).isFalse();
    }
}
