// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EventScheduleTest {
    private final EventSchedule schedule = new EventSchedule();
    private final List<String> fired = new ArrayList<>();

    private FabricEvent event(String name) {
        return new FabricEvent() {
            @Override
            void fire() {
                fired.add(name + "@" + schedule.nowNs());
            }
        };
    }

    @Test
    void eventsHappenInTheOrderOfTheirTimeThenOfTheirScheduling() {
        schedule.at(event("c"), 20);
        schedule.at(event("a"), 10);
        schedule.at(event("b"), 10);
        assertThat(schedule.nextNs()).isEqualTo(10);
        schedule.runUntil(15);

        assertThat(fired).containsExactly("a@10", "b@10");
        assertThat(schedule.nowNs()).isEqualTo(15);
        schedule.runUntil(30);
        assertThat(fired).containsExactly("a@10", "b@10", "c@20");
        assertThat(schedule.nextNs()).isEqualTo(Deadline.NEVER);
        assertThat(schedule.runNext()).isFalse();
    }

    @Test
    void anEventIsMovedCancelledAndReused() {
        FabricEvent event = event("e");
        schedule.at(event, 10);
        schedule.at(event, 30);
        schedule.runUntil(20);
        assertThat(fired).isEmpty();
        schedule.cancel(event);
        schedule.cancel(event);
        schedule.runUntil(40);
        assertThat(fired).isEmpty();
        schedule.at(event, 5);
        schedule.runNext();

        assertThat(fired).containsExactly("e@40");
    }

    @Test
    void manyEventsComeOutSorted() {
        SplittableRandom random = new SplittableRandom(7);
        List<FabricEvent> events = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            FabricEvent event = event("" + i);
            events.add(event);
            schedule.at(event, random.nextInt(500));
        }
        for (int i = 0; i < 1000; i += 3) {
            schedule.cancel(events.get(i));
        }
        for (int i = 1; i < 1000; i += 3) {
            schedule.at(events.get(i), random.nextInt(500));
        }
        while (schedule.runNext()) {
            // all of them
        }

        assertThat(fired).hasSize(666);
        assertThat(fired.stream().map(text -> Long.parseLong(text.substring(text.indexOf('@') + 1))))
                .isSorted();
    }
}
