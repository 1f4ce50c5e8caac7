// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.local.LinkRing;
import io.rdma4j.transport.port.LinkMessage;
import io.rdma4j.transport.port.LinkReader;
import io.rdma4j.transport.port.LinkWriter;
import io.rdma4j.wire.Opcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The two ends of a link ring. */
class LinkRingTest {
    private static final int DEPTH = 8;
    private static final int LONG_BYTES = 11_000;

    private final MemorySegment memory = Arena.ofAuto().allocate(LinkRing.BYTES, 64);
    private final MemorySegment payload = Arena.ofAuto().allocate(LinkMessage.MAX_BYTES, 64);
    private final LinkWriter writer = new LinkWriter(memory, new TestMemory());
    private final LinkMessage message = new LinkMessage();

    private enum Step {
        WRITE,
        ACKNOWLEDGE,
        /** The producer leaves the ring for another queue pair, which may begin when the ring is free. */
        BEGIN,
        /** The consumer hears of the announcement. */
        OPEN,
        TAKE,
        CLOSE
    }

    /** One schedule. The ring stays the same, as it does for queue pairs that use it one after another. */
    private final class Run {
        private final List<Integer> written = new ArrayList<>();
        private @Nullable LinkReader reader;
        private long announced;
        private long announcedStart;
        private boolean announcementWaits;

        /** Which of {@link #written} the reader takes next, and how many are acknowledged; those of the epoch. */
        private int next;

        private int acknowledged;
        private boolean readsThisEpoch;

        void begin() {
            announced = writer.begin();
            announcedStart = writer.start();
            announcementWaits = true;
            written.clear();
            acknowledged = 0;
            next = 0;
            readsThisEpoch = false;
        }

        boolean isPossible(Step step) {
            return switch (step) {
                case WRITE -> written.size() < 4;
                case ACKNOWLEDGE -> acknowledged < written.size();
                case BEGIN -> writer.isFree();
                case OPEN -> announcementWaits;
                case TAKE -> reader != null;
                case CLOSE -> reader != null;
            };
        }

        void execute(Step step, int number) {
            switch (step) {
                case WRITE -> {
                    if (write(number, number % 3 == 0 ? LONG_BYTES : 5)) {
                        written.add(number);
                    }
                }
                case ACKNOWLEDGE -> {
                    if (writer.acknowledged()) {
                        int psn = writer.acknowledgedPsn();
                        while (acknowledged < written.size() && written.get(acknowledged) + 1 <= psn) {
                            acknowledged++;
                        }
                        assertThat(acknowledged).as("acknowledged").isLessThanOrEqualTo(next);
                        assertThat(written.get(acknowledged - 1) + 1).isEqualTo(psn);
                    }
                }
                case BEGIN -> begin();
                case OPEN -> {
                    reader = new LinkReader(memory, announced, announcedStart);
                    announcementWaits = false;
                    readsThisEpoch = true;
                }
                case TAKE -> take(Objects.requireNonNull(reader));
                case CLOSE -> {
                    Objects.requireNonNull(reader).close();
                    reader = null;
                }
            }
        }

        private void take(LinkReader from) {
            if (!from.hasMessage()) {
                return;
            }
            assertThat(readsThisEpoch)
                    .as("a reader of an earlier epoch finds nothing")
                    .isTrue();
            assertThat(from.read(message)).isTrue();
            int expected = written.get(next);
            assertThat(message.psn).isEqualTo(expected);
            assertThat(message.memory.get(ValueLayout.JAVA_BYTE, message.offset))
                    .isEqualTo((byte) expected);
            assertThat(message.memory.get(ValueLayout.JAVA_BYTE, message.offset + message.length - 1))
                    .isEqualTo((byte) (expected + 1));
            next++;
            from.advance();
            from.publish();
        }

        void end() {
            if (announcementWaits) {
                execute(Step.OPEN, 0);
            }
            if (reader != null) {
                execute(Step.CLOSE, 0);
            }
            assertThat(writer.isFree()).isTrue();
        }
    }

    private boolean write(int psn, int bytes) {
        payload.set(ValueLayout.JAVA_BYTE, 0, (byte) psn);
        payload.set(ValueLayout.JAVA_BYTE, bytes - 1L, (byte) (psn + 1));
        message.begin(Opcode.RC_SEND_ONLY, psn, 1, bytes);
        message.solicited = false;
        message.payload(payload, 0);
        return writer.write(message);
    }

    @Test
    void allSchedulesTakeEachMessageOnceInOrderAndWhole() {
        List<Integer> choices = new ArrayList<>();
        List<Integer> limits = new ArrayList<>();
        int schedules = 0;
        do {
            play(choices, limits);
            schedules++;
        } while (next(choices, limits));
        assertThat(schedules).isGreaterThan(10_000);
    }

    private void play(List<Integer> choices, List<Integer> limits) {
        Run run = new Run();
        List<Step> schedule = new ArrayList<>();
        run.begin();
        try {
            for (int i = 0; i < DEPTH; i++) {
                List<Step> possible = new ArrayList<>();
                for (Step step : Step.values()) {
                    if (run.isPossible(step)) {
                        possible.add(step);
                    }
                }
                if (i == choices.size()) {
                    choices.add(0);
                    limits.add(possible.size());
                }
                schedule.add(possible.get(choices.get(i)));
                run.execute(schedule.getLast(), 100 + i);
            }
            run.end();
        } catch (AssertionError | RuntimeException failed) {
            throw new AssertionError("schedule " + schedule, failed);
        }
    }

    private static boolean next(List<Integer> choices, List<Integer> limits) {
        while (!choices.isEmpty() && choices.getLast() + 1 == limits.getLast()) {
            choices.removeLast();
            limits.removeLast();
        }
        if (choices.isEmpty()) {
            return false;
        }
        choices.set(choices.size() - 1, choices.getLast() + 1);
        return true;
    }

    @ParameterizedTest
    @CsvSource({"1, 64", "96, 64", "97, 64", "16384, 2", "11000, 2"})
    void aFullRingTakesAnotherMessageForEachThatWasTaken(int bytes, int most) {
        LinkReader reader = new LinkReader(memory, writer.begin(), writer.start());
        for (int i = 0; i < most; i++) {
            assertThat(write(i, bytes)).isTrue();
        }
        for (int i = most; i < 4 * LinkRing.SLOTS; i++) {
            assertThat(write(i, bytes)).isFalse();
            assertThat(reader.hasMessage()).isTrue();
            assertThat(reader.read(message)).isTrue();
            assertThat(message.psn).isEqualTo(i - most);
            assertThat(message.memory.get(ValueLayout.JAVA_BYTE, message.offset + bytes - 1))
                    .isEqualTo((byte) (i - most + 1));
            reader.advance();
            assertThat(writer.hasNews()).isFalse();
            reader.publish();
            assertThat(writer.hasNews()).isTrue();
            assertThat(writer.acknowledged()).isTrue();
            assertThat(writer.acknowledgedPsn()).isEqualTo(i - most + 1);
            assertThat(write(i, bytes)).isTrue();
        }
    }

    /** What the peer writes is checked. */
    @ParameterizedTest
    @CsvSource({"8, 0x11000000", "8, 0xFF000000", "12, 0x7FFF", "12, 0x4001", "32, -1", "32, 32768", "32, 32700"})
    void nonsenseInASlotIsNoMessage(int at, String word) {
        LinkReader reader = new LinkReader(memory, writer.begin(), writer.start());
        assertThat(write(7, 100)).isTrue();
        memory.set(
                ValueLayout.JAVA_INT,
                LinkRing.FIRST_SLOT + at,
                Long.decode(word).intValue());
        assertThat(reader.hasMessage()).isTrue();
        assertThat(reader.read(message)).isFalse();
    }

    @Test
    void anImpossibleAcknowledgementClosesTheRing() {
        writer.begin();
        assertThat(write(7, 100)).isTrue();
        memory.set(ValueLayout.JAVA_LONG, LinkRing.RELEASED, writer.start() + 2);
        assertThat(writer.isClosed()).isFalse();
        assertThat(writer.acknowledged()).isFalse();
        assertThat(writer.isClosed()).isTrue();
        assertThat(writer.hasNews()).isTrue();
    }
}
