// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Which parts of a simulation are due, and when the next one is. */
class AgendaTest {
    private final Agenda agenda = new Agenda();

    private boolean isDue(int part) {
        return agenda.nextDue(part) == part;
    }

    @Test
    void aPartIsDueFromItsTimeOnUntilItsTurnsEnd() {
        int part = agenda.add();
        agenda.schedule(part, 100);
        agenda.wakeUntil(99);
        assertThat(isDue(part)).isFalse();
        agenda.wakeUntil(100);
        assertThat(isDue(part)).isTrue();
        agenda.beginTurn(part);
        assertThat(isDue(part)).isTrue();
        agenda.endTurn(part, 200);
        assertThat(isDue(part)).isFalse();
        assertThat(agenda.nextNs()).isEqualTo(200);
    }

    @Test
    void aPartThatIsWokenAfterItsTurnBeganStaysDue() {
        int part = agenda.add();
        agenda.wake(part);
        agenda.beginTurn(part);
        agenda.wake(part);
        agenda.endTurn(part, Deadline.NEVER);
        assertThat(isDue(part)).isTrue();
        agenda.beginTurn(part);
        agenda.endTurn(part, Deadline.NEVER);
        assertThat(isDue(part)).isFalse();
    }

    @Test
    void aDuePartNeedsAnotherTurnOnlyIfItIsWoken() {
        int idle = agenda.add();
        int busy = agenda.add();
        agenda.wake(idle);
        agenda.wake(busy);
        agenda.beginTurn(idle);
        agenda.beginTurn(busy);
        assertThat(agenda.nextWoken(0)).isNegative();
        agenda.wake(busy);
        assertThat(agenda.nextWoken(0)).isEqualTo(busy);
        assertThat(agenda.isWoken(idle)).isFalse();
        assertThat(isDue(idle)).isTrue();
    }

    @Test
    void theNextTimeIsTheEarliestOfAllPartsAlsoWhenTheyChange() {
        SplittableRandom random = new SplittableRandom(3);
        long originNs = Long.MAX_VALUE - 500;
        long[] times = new long[100];
        for (int part = 0; part < times.length; part++) {
            agenda.add();
            times[part] = Deadline.NEVER;
        }
        for (int step = 0; step < 10_000; step++) {
            int part = random.nextInt(times.length);
            // The clock wraps within this range.
            times[part] = random.nextInt(4) == 0 ? Deadline.NEVER : Deadline.after(originNs, random.nextLong(1000));
            agenda.schedule(part, times[part]);
            long earliestNs = Deadline.NEVER;
            for (long timeNs : times) {
                earliestNs = Deadline.earlier(earliestNs, timeNs);
            }
            assertThat(agenda.nextNs()).isEqualTo(earliestNs);
        }
    }
}
