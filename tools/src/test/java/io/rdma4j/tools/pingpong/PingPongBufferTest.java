// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PingPongBufferTest {
    private static final int SIZE = 3 * 4096 + 5;
    private static final byte FILL = 0x7B;

    @Test
    void withoutChecksThereIsOneBufferFilledAsInTheOriginal() {
        PingPongBuffer buffer = new PingPongBuffer(Arena.ofAuto(), SIZE, 0, FILL, 0);
        assertThat(buffer.memory().byteSize()).isEqualTo(SIZE);
        assertThat(buffer.memory().address() % 4096).isZero();
        assertThat(buffer.incoming(0).address()).isEqualTo(buffer.outgoing().address());
        assertThat(buffer.outgoing().toArray(ValueLayout.JAVA_BYTE)).containsOnly(0x7b);
    }

    @Test
    void theCheckedPatternIsThatOfTheOriginal() {
        byte[] message =
                new PingPongBuffer(Arena.ofAuto(), SIZE, 0, FILL, 1).outgoing().toArray(ValueLayout.JAVA_BYTE);
        for (int i = 0; i < SIZE; i++) {
            assertThat(message[i]).as("byte %d", i).isEqualTo((byte) (i % 4096 == 0 ? 0 : 0x7b));
        }
    }

    @Test
    void aMessageThatArrivedWholeIsRight() {
        PingPongBuffer buffer = new PingPongBuffer(Arena.ofAuto(), SIZE, 0, FILL, 1);
        buffer.incoming(0).copyFrom(buffer.outgoing());
        buffer.checkReceived(0);
        assertThat(buffer.invalidPages().isEmpty()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4095, 4096, 8191, SIZE - 1})
    void aWrongByteAnywhereIsSeen(int position) {
        PingPongBuffer buffer = new PingPongBuffer(Arena.ofAuto(), SIZE, 0, FILL, 1);
        buffer.incoming(0).copyFrom(buffer.outgoing());
        MemorySegment incoming = buffer.incoming(0);
        incoming.set(ValueLayout.JAVA_BYTE, position, (byte) ~incoming.get(ValueLayout.JAVA_BYTE, position));
        buffer.checkReceived(0);
        assertThat(buffer.invalidPages().stream()).containsExactly(position / 4096);
    }

    @Test
    void aByteThatIsNotWrittenAgainIsSeenInTheNextMessage() {
        PingPongBuffer buffer = new PingPongBuffer(Arena.ofAuto(), SIZE, 0, FILL, 1);
        buffer.incoming(0).copyFrom(buffer.outgoing());
        buffer.checkReceived(0);
        buffer.incoming(0).asSlice(0, SIZE - 1).copyFrom(buffer.outgoing().asSlice(0, SIZE - 1));
        buffer.checkReceived(0);
        assertThat(buffer.invalidPages().stream()).containsExactly(3);
    }

    @Test
    void whatTheDevicePutsInFrontOfAMessageIsNotPartOfIt() {
        PingPongBuffer shared = new PingPongBuffer(Arena.ofAuto(), SIZE, 40, FILL, 0);
        assertThat(shared.incoming(0).byteSize()).isEqualTo(SIZE + 40);
        assertThat(shared.incoming(0).address() + 40)
                .isEqualTo(shared.outgoing().address());

        PingPongBuffer buffer = new PingPongBuffer(Arena.ofAuto(), SIZE, 40, FILL, 1);
        buffer.incoming(0).asSlice(40).copyFrom(buffer.outgoing());
        buffer.incoming(0).set(ValueLayout.JAVA_BYTE, 39, (byte) 1);
        buffer.checkReceived(0);
        assertThat(buffer.invalidPages().isEmpty()).isTrue();
    }

    @Test
    void messagesThatMayArriveAtOnceDoNotOverlap() {
        PingPongBuffer buffer = new PingPongBuffer(Arena.ofAuto(), SIZE, 0, (byte) 0, 3);
        for (int slot = 0; slot < 3; slot++) {
            buffer.incoming(slot).copyFrom(buffer.outgoing());
        }
        for (int slot = 0; slot < 3; slot++) {
            buffer.checkReceived(slot);
        }
        assertThat(buffer.invalidPages().isEmpty()).isTrue();
        buffer.checkReceived(1);
        assertThat(buffer.invalidPages().isEmpty()).as("a slot that was wiped").isFalse();
    }
}
