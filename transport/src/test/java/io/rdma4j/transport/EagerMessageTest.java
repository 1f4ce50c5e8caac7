// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.transport.port.EagerMessage;
import io.rdma4j.wire.Opcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of a note: what is written is read, and nothing else is. */
class EagerMessageTest {
    private static final int MOST = EagerMessage.HEADER_BYTES + EagerMessage.MAX_BYTES + 64;
    private static final int ROUNDS = 200_000;

    private final MemorySegment memory = Arena.ofAuto().allocate(MOST, Long.BYTES);
    private final EagerMessage read = new EagerMessage();

    private static EagerMessage message(int bytes) {
        EagerMessage message = new EagerMessage();
        message.begin(Opcode.RC_WRITE_ONLY_IMMEDIATE, 0xFF_FFFF, 3, bytes);
        message.solicited = true;
        message.immediate = 0x8765_4321;
        message.rkey = 0xFEDC_BA98;
        message.address = 0x8123_4567_89AB_CDEFL;
        message.address(0xFE_DCBA, 0xFFFF);
        message.acknowledge(0x80_0001, 0x9F00_0007);
        MemorySegment payload = Arena.ofAuto().allocate(bytes + 3L);
        payload.fill((byte) 0x5A);
        message.payload(payload, 3);
        return message;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 4096, EagerMessage.MAX_BYTES})
    void whatIsWrittenIsRead(int bytes) {
        EagerMessage message = message(bytes);
        assertThat(message.eagerBytes()).isEqualTo(EagerMessage.HEADER_BYTES + bytes);
        assertThat(message.write(memory, 8)).isTrue();
        assertThat(read.read(memory, 8, message.eagerBytes())).isTrue();

        assertThat(read.isMessage()).isTrue();
        assertThat(read.opcode).isEqualTo(Opcode.RC_WRITE_ONLY_IMMEDIATE);
        assertThat(read.psn).isEqualTo(0xFF_FFFF);
        assertThat(read.lastPsn()).isEqualTo(1);
        assertThat(read.packets()).isEqualTo(3);
        assertThat(read.solicited).isTrue();
        assertThat(read.immediate).isEqualTo(0x8765_4321);
        assertThat(read.rkey).isEqualTo(0xFEDC_BA98);
        assertThat(read.address).isEqualTo(0x8123_4567_89AB_CDEFL);
        assertThat(read.destinationQpn()).isEqualTo(0xFE_DCBA);
        assertThat(read.pkey()).isEqualTo(0xFFFF);
        assertThat(read.acknowledges()).isTrue();
        assertThat(read.refuses()).isFalse();
        assertThat(read.ackPsn()).isEqualTo(0x80_0001);
        assertThat(read.aeth()).isEqualTo(0x9F00_0007);
        assertThat(read.length()).isEqualTo(bytes);
        byte[] payload = read.memory.asSlice(read.offset, bytes).toArray(ValueLayout.JAVA_BYTE);
        for (byte one : payload) {
            assertThat(one).isEqualTo((byte) 0x5A);
        }
    }

    @Test
    void nothingIsLeftOfTheMessageBefore() {
        EagerMessage message = message(10);
        message.refuse();
        message.address(5, 6);
        message.write(memory, 0);
        assertThat(read.read(memory, 0, EagerMessage.HEADER_BYTES)).isTrue();
        assertThat(read.isMessage()).isFalse();
        assertThat(read.refuses()).isTrue();
        assertThat(read.acknowledges()).isFalse();
        assertThat(read.packets()).isZero();
        byte[] rest = memory.asSlice(12, EagerMessage.HEADER_BYTES - 12).toArray(ValueLayout.JAVA_BYTE);
        assertThat(rest).containsOnly(0);
    }

    @Test
    void payloadThatIsLentStaysWhereItIs() {
        EagerMessage message = message(10_000);
        message.refer(0x0123_4567_89AB_CDEFL);
        assertThat(message.eagerBytes()).isEqualTo(EagerMessage.HEADER_BYTES);
        assertThat(message.write(memory, 0)).isTrue();
        assertThat(read.read(memory, 0, EagerMessage.HEADER_BYTES)).isTrue();
        assertThat(read.isReference()).isTrue();
        assertThat(read.token()).isEqualTo(0x0123_4567_89AB_CDEFL);
        assertThat(read.length()).isEqualTo(10_000);
        int lengthAt = 24;
        memory.set(ValueLayout.JAVA_INT, lengthAt, EagerMessage.MAX_BYTES + 1);
        assertThat(read.read(memory, 0, EagerMessage.HEADER_BYTES)).isFalse();
        memory.set(ValueLayout.JAVA_INT, lengthAt, 0);
        assertThat(read.read(memory, 0, EagerMessage.HEADER_BYTES)).isFalse();
    }

    @Test
    void payloadThatIsGoneIsNotWritten() {
        Arena arena = Arena.ofShared();
        EagerMessage message = message(10);
        message.payload(arena.allocate(10), 0);
        arena.close();
        assertThat(message.write(memory, 0)).isFalse();
    }

    /** One field of a good note that nobody would write. */
    @ParameterizedTest
    @CsvSource({
        "3, 0x06", // RC SEND First
        "3, 0x0C", // RC READ request
        "3, 0x11", // RC acknowledge
        "3, 0x24", // UC SEND Only
        "3, 0xFF",
        "7, 0x08", // it lends its payload, and yet there is one
        "7, 0x10", // an unknown flag
        "7, 0x80",
        "8, 0x00", // no packets
        "9, 0xFF", // more packets than bytes
        "24, 0x0B", // longer than the note
        "24, 0x09", // shorter
        "27, 0x80", // of a negative length
        "3, 0x00" // no message, and yet a payload
    })
    void malformedNoteIsNotRead(int at, int value) {
        EagerMessage message = message(10);
        message.write(memory, 0);
        assertThat(read.read(memory, 0, message.eagerBytes())).isTrue();
        memory.set(ValueLayout.JAVA_BYTE, at, (byte) value);
        assertThat(read.read(memory, 0, message.eagerBytes())).isFalse();
    }

    @Test
    void notesOfOtherLengthsAreNotRead() {
        EagerMessage message = message(10);
        message.write(memory, 0);
        for (int bytes = 0; bytes < 200; bytes++) {
            assertThat(read.read(memory, 0, bytes)).isEqualTo(bytes == message.eagerBytes());
        }
        long lengthAt = 24;
        memory.set(ValueLayout.JAVA_INT, lengthAt, EagerMessage.MAX_BYTES + 1);
        assertThat(read.read(memory, 0, EagerMessage.HEADER_BYTES + EagerMessage.MAX_BYTES + 1))
                .isFalse();
    }

    /** To repeat: put the seed that was printed in place of the random one. */
    @Test
    void garbageNeverThrowsAndWhatIsReadIsSound() {
        long seed = ThreadLocalRandom.current().nextLong();
        SplittableRandom random = new SplittableRandom(seed);
        List<Opcode> allowed = List.of(
                Opcode.RC_SEND_ONLY,
                Opcode.RC_SEND_ONLY_IMMEDIATE,
                Opcode.RC_WRITE_ONLY,
                Opcode.RC_WRITE_ONLY_IMMEDIATE);
        int accepted = 0;
        for (int round = 0; round < ROUNDS; round++) {
            int bytes = random.nextInt(4) == 0 ? random.nextInt(MOST) : random.nextInt(EagerMessage.HEADER_BYTES + 20);
            int noise = random.nextInt(3);
            message(Math.clamp(bytes - EagerMessage.HEADER_BYTES, 0, 20)).write(memory, 0);
            for (int i = 0; i < noise * noise * 4; i++) {
                memory.set(ValueLayout.JAVA_BYTE, random.nextInt(EagerMessage.HEADER_BYTES), (byte) random.nextInt());
            }
            if (read.read(memory, 0, bytes)) {
                accepted++;
                boolean sound = read.eagerBytes() == bytes
                        && (read.isMessage()
                                ? allowed.contains(read.opcode) && read.packets() > 0 && read.length() >= 0
                                : read.length() == 0)
                        && read.destinationQpn() >>> 24 == 0
                        && read.psn >>> 24 == 0
                        && read.ackPsn() >>> 24 == 0;
                assertThat(sound).as("seed %d, round %d", seed, round).isTrue();
            }
        }
        assertThat(accepted).as("seed %d", seed).isPositive();
    }
}
