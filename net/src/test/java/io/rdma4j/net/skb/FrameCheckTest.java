// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.skb;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Packets;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FrameCheckTest {
    private final SkBuffPool pool = new SkBuffPool(1, 256);
    private final FrameCheck check = new FrameCheck();
    private final SkBuff skb = Packets.allocate(pool);

    @AfterEach
    void nothingIsLeaked() {
        skb.free();
        pool.close();
        assertThat(pool.leaked()).isZero();
    }

    @Test
    void theSequenceIsTheCrcThatEverybodyKnowsLowestByteFirst() {
        byte[] text = "123456789".getBytes(StandardCharsets.US_ASCII);
        skb.reserve(14);
        MemorySegment.copy(text, 0, skb.memory(), ValueLayout.JAVA_BYTE, skb.put(9), 9);
        check.append(skb);
        // The check value of CRC-32 in every catalogue: CBF43926.
        assertThat(HexFormat.of().formatHex(Packets.bytes(skb), 9, 13)).isEqualTo("2639f4cb");
        assertThat(skb.meta().noFcs()).isTrue();
        assertThat(check.fits(skb)).isTrue();
        skb.memory().set(ValueLayout.JAVA_BYTE, skb.data() + 3L, (byte) 0);
        assertThat(check.fits(skb)).isFalse();
        FrameCheck.strip(skb);
        assertThat(skb.len()).isEqualTo(9);
        assertThat(skb.meta().noFcs()).isFalse();
    }

    @Test
    void whatIsShorterThanTheSequenceDoesNotFit() {
        skb.put(3);
        assertThat(check.fits(skb)).isFalse();
    }
}
