package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PingPongBufferTest {
    private static final int SIZE = 3 * 4096 + 5;

    @Test
    void withoutChecksThereIsOneBufferFilledAsInTheOriginal() {
        PingPongBuffer buffer = new PingPongBuffer(Arena.ofAuto(), SIZE, false);
        assertThat(buffer.memory().byteSize()).isEqualTo(SIZE);
        assertThat(buffer.memory().address() % 4096).isZero();
        assertThat(buffer.incoming().address()).isEqualTo(buffer.outgoing().address());
        assertThat(buffer.outgoing().toArray(ValueLayout.JAVA_BYTE)).containsOnly(0x7b);
    }

    @Test
    void theCheckedPatternIsThatOfTheOriginal() {
        byte[] message =
                new PingPongBuffer(Arena.ofAuto(), SIZE, true).outgoing().toArray(ValueLayout.JAVA_BYTE);
        for (int i = 0; i < SIZE; i++) {
            assertThat(message[i]).as("byte %d", i).isEqualTo((byte) (i % 4096 == 0 ? 0 : 0x7b));
        }
    }

    @Test
    void aMessageThatArrivedWholeIsRight() {
        PingPongBuffer buffer = new PingPongBuffer(Arena.ofAuto(), SIZE, true);
        buffer.incoming().copyFrom(buffer.outgoing());
        buffer.checkReceived();
        assertThat(buffer.invalidPages().isEmpty()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4095, 4096, 8191, SIZE - 1})
    void aWrongByteAnywhereIsSeen(int position) {
        PingPongBuffer buffer = new PingPongBuffer(Arena.ofAuto(), SIZE, true);
        buffer.incoming().copyFrom(buffer.outgoing());
        MemorySegment incoming = buffer.incoming();
        incoming.set(ValueLayout.JAVA_BYTE, position, (byte) ~incoming.get(ValueLayout.JAVA_BYTE, position));
        buffer.checkReceived();
        assertThat(buffer.invalidPages().stream()).containsExactly(position / 4096);
    }

    @Test
    void aByteThatIsNotWrittenAgainIsSeenInTheNextMessage() {
        PingPongBuffer buffer = new PingPongBuffer(Arena.ofAuto(), SIZE, true);
        buffer.incoming().copyFrom(buffer.outgoing());
        buffer.checkReceived();
        buffer.incoming().asSlice(0, SIZE - 1).copyFrom(buffer.outgoing().asSlice(0, SIZE - 1));
        buffer.checkReceived();
        assertThat(buffer.invalidPages().stream()).containsExactly(3);
    }
}
