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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SkBuffSharingTest {
    private static final byte[] BYTES = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

    private final SkBuffPool pool = new SkBuffPool(4, 128);
    private final SkBuff skb = filled();

    private SkBuff filled() {
        SkBuff buffer = Objects.requireNonNull(pool.allocate());
        buffer.reserve(20);
        append(buffer, BYTES);
        return buffer;
    }

    private static void append(SkBuff buffer, byte... bytes) {
        int at = buffer.put(bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            buffer.memory().set(ValueLayout.JAVA_BYTE, at + (long) i, bytes[i]);
        }
    }

    private static byte[] bytes(SkBuff buffer) {
        byte[] all = new byte[buffer.len()];
        MemorySegment copy = Arena.ofAuto().allocate(Math.max(1, all.length));
        buffer.copyBits(0, copy, 0, all.length);
        for (int i = 0; i < all.length; i++) {
            all[i] = copy.get(ValueLayout.JAVA_BYTE, i);
        }
        return all;
    }

    @AfterEach
    void nothingIsLeaked() {
        if (skb.users() > 0) {
            skb.free();
        }
        pool.close();
        assertThat(pool.leaked()).isZero();
    }

    @Test
    @Covers("SKB-100")
    void theOnlyHolderGoesOnWithTheSameBuffer() {
        assertThat(skb.shareCheck()).isSameAs(skb);
        assertThat(skb.users()).isEqualTo(1);
    }

    @Test
    @Covers("SKB-100")
    void oneOfSeveralHoldersGoesOnWithAClone() {
        skb.get();
        SkBuff mine = Objects.requireNonNull(skb.shareCheck());
        assertThat(mine).isNotSameAs(skb);
        assertThat(mine.users()).isEqualTo(1);
        assertThat(skb.users()).isEqualTo(1);
        assertThat(mine.memory()).isSameAs(skb.memory());
        mine.free();
    }

    @Test
    @Covers("SKB-100")
    void withoutADescriptorTheHolderHasNothingAndHoldsNothing() {
        List<SkBuff> clones = new ArrayList<>();
        for (SkBuff clone = skb.cloneDescriptor(); clone != null; clone = skb.cloneDescriptor()) {
            clones.add(clone);
        }
        skb.get();
        assertThat(skb.shareCheck()).isNull();
        assertThat(skb.users()).isEqualTo(1);
        clones.forEach(SkBuff::free);
    }

    @Test
    void aCopyHasTheSameBytesInMemoryOfItsOwn() {
        skb.setNetworkHeader(-4);
        skb.setTransportHeader(2);
        skb.memory().set(ValueLayout.JAVA_BYTE, 16, (byte) 77);
        skb.addFrag(Arena.ofAuto().allocate(5), 0, 5);
        SkBuff copy = Objects.requireNonNull(skb.copy());
        assertThat(bytes(copy)).isEqualTo(bytes(skb));
        assertThat(copy.isNonlinear()).isFalse();
        assertThat(copy.isCloned()).isFalse();
        assertThat(copy.networkHeader()).isEqualTo(16);
        assertThat(copy.transportHeader()).isEqualTo(22);
        assertThat(copy.memory().get(ValueLayout.JAVA_BYTE, copy.networkHeader()))
                .isEqualTo((byte) 77);
        copy.memory().set(ValueLayout.JAVA_BYTE, copy.data(), (byte) 0);
        assertThat(bytes(skb)[0]).isEqualTo((byte) 1);
        copy.free();
    }

    @Test
    void whatDoesNotFitIntoABufferIsNotCopied() {
        skb.addFrag(Arena.ofAuto().allocate(200), 0, 200);
        assertThat(skb.copy()).isNull();
        assertThat(pool.available()).isEqualTo(3);
    }

    @Test
    @Covers({"SKB-42", "SKB-43"})
    void whoReleasedTheHeadersLeavesThemToTheOther() {
        SkBuff payload = Objects.requireNonNull(skb.cloneDescriptor());
        assertThat(skb.isHeaderCloned()).isTrue();
        assertThat(payload.isPayloadOnly()).isFalse();
        payload.releaseHeaders();
        assertThat(payload.isPayloadOnly()).isTrue();
        assertThat(skb.isHeaderCloned()).isFalse();
        assertThat(skb.isCloned()).isTrue();
        assertThatThrownBy(() -> payload.push(4)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(payload::releaseHeaders).isInstanceOf(IllegalStateException.class);
        skb.push(4);
        SkBuff third = Objects.requireNonNull(payload.cloneDescriptor());
        assertThat(third.isPayloadOnly()).isFalse();
        assertThat(skb.isHeaderCloned()).isTrue();
        third.free();
        payload.free();
        assertThat(skb.isCloned()).isFalse();
        assertThat(skb.shinfo().dataref()).isEqualTo(1);
    }

    @Test
    @Covers({"SKB-110", "SKB-111"})
    void aListOfBuffersIsPartOfThePacketAndFreedWithIt() {
        SkBuff second = filled();
        SkBuff third = filled();
        assertThat(skb.shinfo().hasFragList()).isFalse();
        skb.addFragList(second);
        skb.addFragList(third);
        assertThat(skb.shinfo().hasFragList()).isTrue();
        assertThat(skb.len()).isEqualTo(30);
        assertThat(skb.dataLen()).isEqualTo(20);
        assertThat(skb.shinfo().fragCount()).isZero();
        assertThat(bytes(skb)).startsWith(BYTES).endsWith(BYTES).hasSize(30);
        assertThatThrownBy(() -> skb.addFragList(second)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(second::free).isInstanceOf(IllegalStateException.class);
        SkBuff other = filled();
        assertThatThrownBy(() -> other.addFragList(skb)).isInstanceOf(IllegalStateException.class);
        other.free();
        skb.free();
        assertThat(pool.available()).isEqualTo(4);
    }

    @Test
    @Covers("SKB-102")
    void linearizeGathersAListAndFreesIt() {
        SkBuff second = filled();
        skb.addFragList(second);
        byte[] whole = bytes(skb);
        assertThat(skb.linearize()).isTrue();
        assertThat(skb.shinfo().hasFragList()).isFalse();
        assertThat(skb.headLen()).isEqualTo(20);
        assertThat(bytes(skb)).isEqualTo(whole);
        assertThat(second.users()).isZero();
    }

    @Test
    @Covers({"SKB-65", "SKB-66"})
    void theReserveIsTouchedLastAndSaysSo() {
        try (SkBuffPool withReserve = new SkBuffPool(2, 64, 1)) {
            SkBuff ordinary = Objects.requireNonNull(withReserve.allocate());
            SkBuff last = Objects.requireNonNull(withReserve.allocate());
            assertThat(ordinary.isFromReserve()).isFalse();
            assertThat(last.isFromReserve()).isTrue();
            SkBuff clone = Objects.requireNonNull(last.cloneDescriptor());
            assertThat(clone.isFromReserve()).isTrue();
            clone.free();
            assertThat(withReserve.allocate()).isNull();
            last.free();
            ordinary.free();
            SkBuff again = Objects.requireNonNull(withReserve.allocate());
            assertThat(again.isFromReserve()).isFalse();
            again.free();
        }
        assertThatThrownBy(() -> new SkBuffPool(1, 64, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @Covers("SKB-94")
    void aPacketIsChargedForItsBlockAndItsDescriptor() {
        assertThat(skb.truesize()).isEqualTo(128 + SkBuff.CB_BYTES + SkBuff.DESCRIPTOR_BYTES);
    }

    @Test
    @Covers({"SKB-116", "SKB-120", "SKB-122", "SKB-124"})
    void whatClonesShareIsSeenByAllAndForgottenWhenFree() {
        SkBuff clone = Objects.requireNonNull(skb.cloneDescriptor());
        clone.shinfo().gsoType(GsoType.TCPV6);
        clone.shinfo().txFlag(TxFlag.HW_TSTAMP, true);
        clone.shinfo().txFlag(TxFlag.WIFI_STATUS, true);
        clone.shinfo().txFlag(TxFlag.WIFI_STATUS, false);
        clone.shinfo().hwtstamp(12345);
        clone.shinfo().ip6FragId(0xABCD);
        clone.shinfo().destructorArg(BYTES);
        assertThat(skb.shinfo().isGsoV6()).isTrue();
        assertThat(skb.shinfo().gsoType()).isEqualTo(GsoType.TCPV6);
        assertThat(skb.shinfo().hasTxFlag(TxFlag.HW_TSTAMP)).isTrue();
        assertThat(skb.shinfo().hasTxFlag(TxFlag.WIFI_STATUS)).isFalse();
        assertThat(skb.shinfo().hwtstamp()).isEqualTo(12345);
        assertThat(skb.shinfo().ip6FragId()).isEqualTo(0xABCD);
        assertThat(skb.shinfo().destructorArg()).isSameAs(BYTES);
        clone.free();
        skb.free();
        SkBuff next = Objects.requireNonNull(pool.allocate());
        assertThat(next.shinfo().isGsoV6()).isFalse();
        assertThat(next.shinfo().hasTxFlag(TxFlag.HW_TSTAMP)).isFalse();
        assertThat(next.shinfo().hwtstamp()).isZero();
        assertThat(next.shinfo().ip6FragId()).isZero();
        assertThat(next.shinfo().destructorArg()).isNull();
        next.free();
    }
}
