// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.transport.TestLink.Way;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * All schedules of a bounded length of a connection that changes between its link and packets at any step, while
 * packets are lost and duplicated and receives come late. In every schedule each message arrives once and in order, no
 * send completes before its receive, and the rest of the work can be finished. With stores the second message is a
 * WRITE, whose bytes are there before the message behind it.
 */
@ParameterizedClass
@EnumSource(names = {"LINK", "RING", "STORE"})
class LinkScheduleTest {
    private static final int STEPS = 6;
    private static final int MESSAGES = 3;
    private static final int MAX_PACKETS = 4;
    private static final int ROOM = 2000;

    /** The second message has two packets. */
    private static final int[] LENGTHS = {5, 1500, 64};

    private enum Step {
        POST,
        RECEIVE,
        /** The sender delivers on the link, or writes into its ring and completes what was executed. */
        LINK,
        /** The receiver takes what is in the ring, or closes it. */
        TAKE,
        /** The sender leaves the ring. */
        LEAVE,
        TRANSMIT,
        ARRIVE,
        LOSE,
        DUPLICATE,
        TIMEOUT
    }

    private final Way way;
    private final EnginePair pair;
    private final TestRegion source;
    private final TestRegion target;

    /** The choice at each step of the present schedule, and the number of choices that there were. */
    private final List<Integer> choices = new ArrayList<>();

    private final List<Integer> limits = new ArrayList<>();

    private final List<Step> schedule = new ArrayList<>();
    private int posted;
    private int receives;
    private int sendsDone;
    private int receivesDone;

    @AfterEach
    void close() {
        pair.close();
    }

    LinkScheduleTest(Way way) {
        this.way = way;
        this.pair = new EnginePair(new PairSettings().rdma(4).way(way));
        this.source = pair.a.region((long) MESSAGES * ROOM).filled(1);
        this.target = pair.b.shared((long) MESSAGES * ROOM);
    }

    @Test
    void everyScheduleDeliversEachMessageOnceAndInOrder() {
        pair.link.inLoop = false;
        int schedules = 0;
        do {
            try {
                play();
            } catch (AssertionError | RuntimeException failed) {
                throw new AssertionError("schedule " + schedule, failed);
            }
            schedules++;
        } while (nextSchedule());
        assertThat(schedules).isGreaterThan(5_000);
        assertThat(pair.link.delivered()).isPositive();
        assertThat(pair.link.stored() > 0).isEqualTo(way == Way.STORE);
    }

    private boolean nextSchedule() {
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

    private void play() {
        begin();
        for (int i = 0; i < STEPS; i++) {
            List<Step> possible = possible();
            if (i == choices.size()) {
                choices.add(0);
                limits.add(possible.size());
            }
            Step step = possible.get(choices.get(i));
            schedule.add(step);
            execute(step);
            complete();
        }
        finish();
    }

    /** Connects again with the first message done, so that both engines have their state. */
    private void begin() {
        pair.reconnect();
        posted = 0;
        receives = 0;
        sendsDone = 0;
        receivesDone = 0;
        schedule.clear();
        target.memory().fill((byte) 0);
        pair.link.paused = true;
        execute(Step.RECEIVE);
        execute(Step.POST);
        pair.settle();
        complete();
    }

    private List<Step> possible() {
        List<Step> steps = new ArrayList<>();
        if (posted < MESSAGES) {
            steps.add(Step.POST);
            steps.add(Step.LINK);
        } else if (sendsDone < MESSAGES) {
            steps.add(Step.LINK);
        }
        if (receives < MESSAGES) {
            steps.add(Step.RECEIVE);
        }
        if (pair.link.hasMessages(pair.a)) {
            steps.add(Step.TAKE);
        }
        if (pair.link.hasMessages(pair.a) || way == Way.STORE && pair.link.isWritten(pair.a)) {
            steps.add(Step.LEAVE);
        }
        int packets = pair.network.inFlight().size();
        if (packets < MAX_PACKETS) {
            steps.add(Step.TRANSMIT);
        }
        if (packets > 0) {
            steps.add(Step.ARRIVE);
            steps.add(Step.LOSE);
            if (packets < MAX_PACKETS) {
                steps.add(Step.DUPLICATE);
            }
        }
        if (pair.nextDeadlineNs() != Long.MAX_VALUE) {
            steps.add(Step.TIMEOUT);
        }
        return steps;
    }

    private void execute(Step step) {
        switch (step) {
            case POST -> {
                TestRegion.Piece piece = source.piece((long) posted * ROOM, LENGTHS[posted]);
                if (isWrite(posted)) {
                    pair.a.write(posted, target.piece((long) posted * ROOM, 0), piece);
                } else {
                    pair.a.send(posted, piece);
                }
                posted++;
            }
            case RECEIVE -> {
                receives += isWrite(receives) ? 1 : 0;
                pair.b.receive(receives, target.piece((long) receives * ROOM, ROOM));
                receives++;
            }
            case LINK -> {
                pair.link.paused = false;
                pair.link.deliver(pair.a, pair.b, pair.nowNs());
                pair.link.paused = true;
            }
            case TAKE -> pair.link.take(pair.a, pair.b);
            case LEAVE -> pair.link.leave(pair.a);
            case TRANSMIT -> pair.transmit();
            case ARRIVE -> pair.network.deliverNext(pair.nowNs());
            case LOSE -> pair.network.drop(0);
            case DUPLICATE -> pair.network.duplicate(0);
            case TIMEOUT -> pair.advanceTo(pair.nextDeadlineNs());
        }
    }

    private void complete() {
        for (Completion done : pair.b.receiveCompletions()) {
            passWrite();
            assertThat(done.brief()).isEqualTo(receivesDone + " SUCCESS");
            assertThat(done.byteLength()).isEqualTo(LENGTHS[receivesDone]);
            assertArrived();
            receivesDone++;
        }
        for (Completion done : pair.a.sendCompletions()) {
            assertThat(done.brief()).isEqualTo(sendsDone + " SUCCESS");
            if (sendsDone == receivesDone) {
                passWrite();
            }
            sendsDone++;
        }
        assertThat(sendsDone).as("sends completed").isLessThanOrEqualTo(receivesDone);
    }

    private boolean isWrite(int message) {
        return way == Way.STORE && message == 1;
    }

    private void passWrite() {
        if (isWrite(receivesDone)) {
            assertArrived();
            receivesDone++;
        }
    }

    private void assertArrived() {
        long from = (long) receivesDone * ROOM;
        long until = from + LENGTHS[receivesDone];
        assertThat(MemorySegment.mismatch(source.memory(), from, until, target.memory(), from, until))
                .isEqualTo(-1);
    }

    private void finish() {
        while (receives < MESSAGES) {
            execute(Step.RECEIVE);
        }
        while (posted < MESSAGES) {
            execute(Step.POST);
        }
        pair.link.paused = way == Way.LINK;
        pair.run();
        complete();
        assertThat(sendsDone).isEqualTo(MESSAGES);
        assertThat(receivesDone).isEqualTo(MESSAGES);
        pair.receives(pair.b);
        assertThat(pair.a.engine.query().sqPsn())
                .isEqualTo(pair.b.engine.query().rqPsn());
    }
}
