// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.testing.ledger.Covers;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LinearPartTest {
    private static final int BLOCK = 256;

    private final SkBuffPool pool = new SkBuffPool(1, BLOCK);
    private SkBuff skb = Objects.requireNonNull(pool.allocate());

    @BeforeEach
    void startEmpty() {
        skb.free();
        skb = Objects.requireNonNull(pool.allocate());
    }

    @AfterEach
    void giveBack() {
        skb.free();
        pool.close();
        assertThat(pool.leaked()).isZero();
    }

    @Test
    @Covers({"SKB-1", "SKB-24", "SKB-86", "SKB-87", "SKB-88", "SKB-101"})
    void freshBufferIsEmptyAndAllTailroom() {
        assertThat(skb.len()).isZero();
        assertThat(skb.headroom()).isZero();
        assertThat(skb.tailroom()).isEqualTo(BLOCK);
        assertThat(skb.end()).isEqualTo(BLOCK);
        assertThat(skb.memory().byteSize()).isEqualTo(BLOCK);
        assertThat(skb.users()).isEqualTo(1);
        assertThat(skb.shinfo().dataref()).isEqualTo(1);
    }

    @Test
    @Covers({"SKB-89", "SKB-90", "SKB-91", "SKB-92"})
    void putPushAndPullMoveTheBounds() {
        skb.reserve(64);
        assertThat(skb.headroom()).isEqualTo(64);
        assertThat(skb.put(100)).isEqualTo(64);
        assertThat(skb.len()).isEqualTo(100);
        assertThat(skb.tailroom()).isEqualTo(BLOCK - 164);
        assertThat(skb.push(20)).isEqualTo(44);
        assertThat(skb.len()).isEqualTo(120);
        assertThat(skb.pull(8)).isEqualTo(52);
        assertThat(skb.len()).isEqualTo(112);
        assertThat(skb.headLen()).isEqualTo(112);
        assertThat(skb.tail()).isEqualTo(164);
        skb.trim(12);
        assertThat(skb.len()).isEqualTo(12);
        assertThat(skb.tail()).isEqualTo(64);
    }

    @Test
    @Covers("SKB-93")
    void nothingMayLeaveTheBlock() {
        skb.reserve(16);
        skb.put(32);
        assertThatThrownBy(() -> skb.put(BLOCK - 48 + 1))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("209")
                .hasMessageContaining("208");
        assertThatThrownBy(() -> skb.put(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> skb.put(Integer.MAX_VALUE)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> skb.push(17)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> skb.push(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> skb.pull(33)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> skb.pull(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> skb.trim(33)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> skb.trim(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(skb.data()).isEqualTo(16);
        assertThat(skb.len()).isEqualTo(32);
    }

    @Test
    @Covers("SKB-92")
    void reserveNeedsAnEmptyBufferAndRoom() {
        assertThatThrownBy(() -> skb.reserve(BLOCK + 1)).isInstanceOf(IndexOutOfBoundsException.class);
        skb.put(1);
        assertThatThrownBy(() -> skb.reserve(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void theByteBufferIsAViewOfTheSameBlock() {
        skb.bytes().put(7, (byte) 42);
        assertThat(skb.memory().get(ValueLayout.JAVA_BYTE, 7)).isEqualTo((byte) 42);
        assertThat(skb.bytes().isDirect()).isTrue();
        assertThat(skb.bytes()).isSameAs(skb.bytes());
    }

    @Test
    @Covers({"SKB-77", "SKB-78", "SKB-79", "SKB-80", "SKB-81", "SKB-82", "SKB-83", "SKB-84"})
    void headersAreWhereTheyWereSetHoweverDataMoves() {
        assertThat(skb.macHeaderWasSet()).isFalse();
        assertThat(skb.networkHeaderWasSet()).isFalse();
        assertThat(skb.transportHeaderWasSet()).isFalse();
        assertThatThrownBy(skb::macHeader).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(skb::networkHeader).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(skb::transportHeader).isInstanceOf(IllegalStateException.class);

        skb.reserve(14);
        skb.put(48);
        skb.setMacHeader(-14);
        skb.setNetworkHeader(0);
        skb.setTransportHeader(20);
        skb.pull(28);

        assertThat(skb.macHeader()).isZero();
        assertThat(skb.networkHeader()).isEqualTo(14);
        assertThat(skb.transportHeader()).isEqualTo(34);
        assertThat(skb.macHeaderWasSet()).isTrue();
        assertThat(skb.networkHeaderWasSet()).isTrue();
        assertThat(skb.transportHeaderWasSet()).isTrue();
    }

    @Test
    @Covers("SKB-93")
    void headersLieInsideTheBlock() {
        skb.reserve(14);
        skb.put(10);
        assertThatThrownBy(() -> skb.setNetworkHeader(-15)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> skb.setNetworkHeader(11)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(skb.networkHeaderWasSet()).isFalse();
    }
}
