// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.testing.ledger.Covers;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SkBuffLifeTest {
    private final SkBuffPool pool = new SkBuffPool(1, 128);
    private final SkBuff skb = Objects.requireNonNull(pool.allocate());
    private final List<Integer> destroyed = new ArrayList<>();

    @AfterEach
    void nothingIsLeaked() {
        if (skb.users() > 0) {
            skb.free();
        }
        pool.close();
        assertThat(pool.leaked()).isZero();
    }

    @Test
    @Covers({"SKB-95", "SKB-96", "SKB-97", "SKB-98", "SKB-99"})
    void onlyTheLastHolderFreesTheBuffer() {
        skb.destructor(s -> destroyed.add(s.len()));
        assertThat(skb.isShared()).isFalse();
        assertThat(skb.get()).isSameAs(skb);
        assertThat(skb.users()).isEqualTo(2);
        assertThat(skb.isShared()).isTrue();
        skb.free();
        assertThat(destroyed).isEmpty();
        assertThat(pool.available()).isZero();
        skb.free();
        assertThat(destroyed).containsExactly(0);
        assertThat(pool.available()).isEqualTo(1);
    }

    @Test
    @Covers("SKB-97")
    void secondFreeIsRefused() {
        skb.free();
        assertThatThrownBy(skb::free).isInstanceOf(IllegalStateException.class).hasMessageContaining("double free");
        assertThatThrownBy(skb::get).isInstanceOf(IllegalStateException.class);
        assertThat(pool.available()).isEqualTo(1);
    }

    @Test
    void useAfterFreeIsCaughtByAssertions() {
        skb.free();
        assertThatThrownBy(() -> skb.put(1)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(skb::memory).isInstanceOf(AssertionError.class);
        assertThatThrownBy(skb::cb).isInstanceOf(AssertionError.class);
    }

    @Test
    @Covers("SKB-54")
    void destructorSeesTheBufferAsItWas() {
        skb.put(17);
        skb.destructor(s -> destroyed.add(s.len()));
        skb.free();
        assertThat(destroyed).containsExactly(17);
    }

    @Test
    @Covers("SKB-9")
    void orphanRunsTheDestructorOnce() {
        skb.destructor(s -> destroyed.add(s.len()));
        skb.orphan();
        assertThat(destroyed).containsExactly(0);
        skb.orphan();
        skb.free();
        assertThat(destroyed).hasSize(1);
    }

    @Test
    @Covers({"SKB-35", "SKB-36", "SKB-123"})
    void cloneSharesTheDataWithPositionsOfItsOwn() {
        skb.reserve(20);
        int at = skb.put(10);
        skb.memory().set(ValueLayout.JAVA_BYTE, at, (byte) 9);
        skb.setNetworkHeader(0);
        SkBuff clone = Objects.requireNonNull(skb.cloneDescriptor());

        assertThat(skb.isCloned()).isTrue();
        assertThat(clone.isCloned()).isTrue();
        assertThat(skb.shinfo().dataref()).isEqualTo(2);
        assertThat(clone.memory()).isSameAs(skb.memory());
        assertThat(clone.memory().get(ValueLayout.JAVA_BYTE, clone.data())).isEqualTo((byte) 9);
        clone.pull(4);
        clone.setNetworkHeader(2);
        assertThat(skb.len()).isEqualTo(10);
        assertThat(skb.networkHeader()).isEqualTo(20);
        assertThat(clone.networkHeader()).isEqualTo(26);

        clone.free();
        assertThat(skb.isCloned()).isFalse();
        assertThat(skb.shinfo().dataref()).isEqualTo(1);
    }

    @Test
    @Covers({"SKB-11", "SKB-36"})
    void cloneCopiesTheControlBufferButNotTheDestructor() {
        skb.destructor(s -> destroyed.add(1));
        skb.cb().set(ValueLayout.JAVA_BYTE, 47, (byte) 5);
        SkBuff clone = Objects.requireNonNull(skb.cloneDescriptor());
        assertThat(clone.cb().get(ValueLayout.JAVA_BYTE, 47)).isEqualTo((byte) 5);
        clone.cb().set(ValueLayout.JAVA_BYTE, 47, (byte) 6);
        assertThat(skb.cb().get(ValueLayout.JAVA_BYTE, 47)).isEqualTo((byte) 5);
        clone.free();
        assertThat(destroyed).isEmpty();
    }

    @Test
    @Covers("SKB-123")
    void blockReturnsToThePoolWithTheLastReferenceWhicheverThatIs() {
        skb.put(10);
        SkBuff clone = Objects.requireNonNull(skb.cloneDescriptor());
        skb.free();
        assertThat(pool.available()).isZero();
        assertThat(pool.allocate()).isNull();
        assertThat(clone.len()).isEqualTo(10);
        assertThat(clone.isCloned()).isFalse();
        clone.free();
        assertThat(pool.available()).isEqualTo(1);
        assertThatThrownBy(clone::free).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @Covers("SKB-36")
    void descriptorsForClonesRunOutAndComeBack() {
        SkBuff first = Objects.requireNonNull(skb.cloneDescriptor());
        assertThat(first.cloneDescriptor())
                .as("the pool has one clone per buffer")
                .isNull();
        assertThat(pool.allocationFailures()).isEqualTo(1);
        skb.free();
        first.free();
        SkBuff again = Objects.requireNonNull(pool.allocate());
        assertThat(again.isCloned()).isFalse();
        SkBuff second = Objects.requireNonNull(again.cloneDescriptor());
        second.free();
        again.free();
    }

    @Test
    @Covers("SKB-11")
    void theControlBufferHas48Bytes() {
        assertThat(skb.cb().byteSize()).isEqualTo(48);
    }
}
