// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.rdma4j.testing.ledger.Covers;
import java.lang.management.ManagementFactory;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ControlViewTest {
    /** Like TCP's {@code struct tcp_skb_cb}: the part of the stream that a buffer holds. */
    static final class StreamView extends ControlView {
        private static final int SEQ = 0;
        private static final int END_SEQ = 4;
        private static final int SENT_NS = 8;

        StreamView() {
            super(16);
        }

        int seq() {
            return int32(SEQ);
        }

        void range(int seq, int bytes) {
            int32(SEQ, seq);
            int32(END_SEQ, seq + bytes);
        }

        int endSeq() {
            return int32(END_SEQ);
        }

        long sentNs() {
            return int64(SENT_NS);
        }

        void sentNs(long ns) {
            int64(SENT_NS, ns);
        }
    }

    /** Like Bluetooth's {@code struct bt_skb_cb}: another structure in the same bytes. */
    static final class ChannelView extends ControlView {
        ChannelView(int bytes) {
            super(bytes);
        }

        void channel(int at, int channel) {
            int32(at, channel);
        }

        int channel(int at) {
            return int32(at);
        }
    }

    private final SkBuffPool pool = new SkBuffPool(2, 128);
    private final SkBuff first = Objects.requireNonNull(pool.allocate());
    private final SkBuff second = Objects.requireNonNull(pool.allocate());

    @AfterEach
    void nothingIsLeaked() {
        first.free();
        second.free();
        pool.close();
        assertThat(pool.leaked()).isZero();
    }

    @Test
    @Covers("SKB-12")
    void aViewReadsAndWritesTheControlBufferOfTheBufferItLiesOver() {
        StreamView view = new StreamView();
        view.over(first);
        view.range(0x7FFF_FFF0, 0x20);
        view.sentNs(1L << 40);
        view.over(second);
        view.range(7, 5);
        view.over(first);
        assertThat(view.seq()).isEqualTo(0x7FFF_FFF0);
        assertThat(view.endSeq()).isEqualTo(0x8000_0010);
        assertThat(view.sentNs()).isEqualTo(1L << 40);
        SkBuff clone = Objects.requireNonNull(first.cloneDescriptor());
        view.over(clone);
        assertThat(view.endSeq()).as("goes along with a clone").isEqualTo(0x8000_0010);
        clone.free();
    }

    @Test
    @Covers("SKB-13")
    void anotherProtocolLaysItsOwnStructureOverTheSameBytes() {
        StreamView stream = new StreamView();
        ChannelView channel = new ChannelView(SkBuff.CB_BYTES);
        stream.over(first);
        channel.over(first);
        channel.channel(0, 77);
        channel.channel(SkBuff.CB_BYTES - Integer.BYTES, 78);
        assertThat(stream.seq()).isEqualTo(77);
        assertThat(channel.channel(44)).isEqualTo(78);
    }

    @Test
    void aStructureFitsAndItsFieldsAreInside() {
        assertThatThrownBy(() -> new ChannelView(SkBuff.CB_BYTES + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("49 bytes over a control buffer of 48");
        ChannelView view = new ChannelView(8);
        assertThatThrownBy(view::skb).isInstanceOf(IllegalStateException.class);
        view.over(first);
        assertThat(view.skb()).isSameAs(first);
        assertThatThrownBy(() -> view.channel(8)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> view.channel(6, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void aViewIsMovedWithoutAllocating() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        StreamView view = new StreamView();
        long least = Long.MAX_VALUE;
        for (int run = 0; run < 6; run++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 10_000; i++) {
                view.over((i & 1) == 0 ? first : second);
                view.range(i, 3);
                view.sentNs(view.sentNs() + view.endSeq());
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isZero();
    }
}
