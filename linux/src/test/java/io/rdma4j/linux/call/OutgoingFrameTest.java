// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Packets;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The kernel gets plain addresses, and reads them without checking the arena of the memory. */
class OutgoingFrameTest {
    private static final int HEADER_BYTES = 14;
    private static final int PAYLOAD_BYTES = 1000;

    private final SkBuffPool pool = new SkBuffPool(1, 256);
    private final OutgoingFrame frame = new OutgoingFrame(2000);
    private final byte[] header = Packets.random(HEADER_BYTES, 1);
    private final byte[] payload = Packets.random(PAYLOAD_BYTES, 2);

    @AfterEach
    void nothingIsLost() {
        assertThat(pool.available()).isEqualTo(1);
        pool.close();
    }

    private SkBuff packet() {
        SkBuff skb = Objects.requireNonNull(pool.allocate());
        int at = skb.put(HEADER_BYTES);
        MemorySegment.copy(header, 0, skb.memory(), ValueLayout.JAVA_BYTE, at, HEADER_BYTES);
        return skb;
    }

    /** Returns the address in the only element. */
    private long address() {
        return frame.vector().memory().get(ValueLayout.JAVA_LONG, 0);
    }

    private long length() {
        return frame.vector().memory().get(ValueLayout.JAVA_LONG, Long.BYTES);
    }

    @SuppressWarnings("restricted") // reads the same memory as the kernel
    private byte[] bytes() {
        return MemorySegment.ofAddress(address()).reinterpret(length()).toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    void memoryOfAProgramThatIsClosedAfterwardsIsNotReadAnyMore() {
        assumeTrue(NativeAccess.isThere(), "this JVM may not read plain addresses");
        SkBuff skb = packet();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_BYTE, payload);
            skb.addFrag(memory, 0, PAYLOAD_BYTES);
            assertThat(frame.gather(skb, 4)).isTrue();
        }
        byte[] expected = Arrays.copyOfRange(header, 4, HEADER_BYTES + PAYLOAD_BYTES);
        System.arraycopy(payload, 0, expected, HEADER_BYTES - 4, PAYLOAD_BYTES);
        assertThat(bytes()).isEqualTo(expected);
        assertThat(frame.gather(skb, 0)).as("once the memory is gone").isFalse();
        skb.free();
    }

    @Test
    void aPacketInOnePieceIsNotCopied() {
        SkBuff skb = packet();
        assertThat(frame.gather(skb, 4)).isTrue();
        assertThat(address()).isEqualTo(skb.memory().address() + skb.data() + 4);
        assertThat(length()).isEqualTo(HEADER_BYTES - 4);
        skb.free();
    }
}
