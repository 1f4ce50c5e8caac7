// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.wire.FieldText;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class LinkPacketTest {
    @Test
    void theVectorIsReadAndWritten() {
        MemorySegment vector = LinkVectors.FLOW_CONTROL.memory();
        MemorySegment written = Arena.ofAuto().allocate(LinkPacket.BYTES);
        LinkPacket.write(written, 0, LinkPacket.NORMAL, 0x123, 1, 0x456);

        assertThat(written.mismatch(vector)).isEqualTo(-1);
        assertThat(LinkPacket.hasGoodCrc(vector, 0)).isTrue();
        FieldText text = new FieldText("");
        LinkPacket.describe(vector, 0, text);
        assertThat(text.toString()).isEqualTo(" op 0 vl 1 fctbs 291 fccl 1110");
    }

    @Test
    void countsWrapAndTheOperationIsKept() {
        MemorySegment packet = Arena.ofAuto().allocate(LinkPacket.BYTES);
        LinkPacket.write(packet, 0, LinkPacket.INIT, 4096 + 5, 14, -1);

        assertThat(LinkPacket.operation(packet, 0)).isEqualTo(LinkPacket.INIT);
        assertThat(LinkPacket.blocksSent(packet, 0)).isEqualTo(5);
        assertThat(LinkPacket.virtualLane(packet, 0)).isEqualTo(14);
        assertThat(LinkPacket.creditLimit(packet, 0)).isEqualTo(4095);
    }

    @Test
    void everyChangedByteIsFound() {
        MemorySegment packet = LinkVectors.copy(LinkVectors.FLOW_CONTROL).memory();
        for (int at = 0; at < LinkPacket.BYTES; at++) {
            byte old = packet.get(ValueLayout.JAVA_BYTE, at);
            packet.set(ValueLayout.JAVA_BYTE, at, (byte) ~old);
            assertThat(LinkPacket.hasGoodCrc(packet, 0)).isFalse();
            packet.set(ValueLayout.JAVA_BYTE, at, old);
        }
    }
}
