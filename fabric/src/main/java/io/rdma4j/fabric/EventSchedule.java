// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import io.rdma4j.base.Deadline;
import java.util.Arrays;

/**
 * The events of a fabric in the order of their time; events of the same time in the order in which they were scheduled.
 * A binary heap. One thread at a time. Allocates only to grow.
 */
public final class EventSchedule {
    private static final int FIRST_CAPACITY = 64;

    private FabricEvent[] heap = new FabricEvent[FIRST_CAPACITY];
    private int size;
    private long nowNs;
    private long order;

    /** Creates an empty schedule at time 0. */
    public EventSchedule() {}

    /** {@return the present time in nanoseconds: that of the last event, or of the last {@link #runUntil}} */
    public long nowNs() {
        return nowNs;
    }

    /** {@return the time of the next event, or {@link Deadline#NEVER}} */
    public long nextNs() {
        return size == 0 ? Deadline.NEVER : heap[0].timeNs;
    }

    /** Schedules an event, or moves a scheduled one. A time before the present one is the present one. */
    void at(FabricEvent event, long timeNs) {
        cancel(event);
        event.timeNs = Math.max(timeNs, nowNs);
        event.order = order++;
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, 2 * size);
        }
        place(event, size++);
        up(event);
    }

    /** Schedules an event {@code delayNs} after the present time. */
    void after(FabricEvent event, long delayNs) {
        at(event, nowNs + delayNs);
    }

    /** Removes an event if it is scheduled. */
    void cancel(FabricEvent event) {
        int index = event.index;
        if (index == FabricEvent.NOT_SCHEDULED) {
            return;
        }
        event.index = FabricEvent.NOT_SCHEDULED;
        FabricEvent last = heap[--size];
        if (index != size) {
            place(last, index);
            up(last);
            down(last);
        }
    }

    /** {@return true if there was an event; it has been performed, at its time} */
    public boolean runNext() {
        if (size == 0) {
            return false;
        }
        FabricEvent event = heap[0];
        cancel(event);
        nowNs = event.timeNs;
        event.fire();
        return true;
    }

    /**
     * Performs all events up to a time, which is the present time afterwards.
     *
     * @param untilNs not before the present time
     */
    public void runUntil(long untilNs) {
        while (size > 0 && heap[0].timeNs <= untilNs) {
            runNext();
        }
        nowNs = Math.max(nowNs, untilNs);
    }

    private void place(FabricEvent event, int index) {
        heap[index] = event;
        event.index = index;
    }

    private void up(FabricEvent event) {
        int index = event.index;
        while (index > 0 && event.isBefore(heap[(index - 1) / 2])) {
            place(heap[(index - 1) / 2], index);
            index = (index - 1) / 2;
        }
        place(event, index);
    }

    private void down(FabricEvent event) {
        int index = event.index;
        while (2 * index + 1 < size) {
            int child = 2 * index + 1;
            if (child + 1 < size && heap[child + 1].isBefore(heap[child])) {
                child++;
            }
            if (!heap[child].isBefore(event)) {
                break;
            }
            place(heap[child], index);
            index = child;
        }
        place(event, index);
    }
}
