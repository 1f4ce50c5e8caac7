// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

/** Something that happens at a point in time. An event is made once and scheduled as often as necessary. */
abstract class FabricEvent {
    static final int NOT_SCHEDULED = -1;

    long timeNs;
    long order;
    int index = NOT_SCHEDULED;

    /** Performs the event. It is no longer scheduled, and may be scheduled again. */
    abstract void fire();

    boolean isScheduled() {
        return index != NOT_SCHEDULED;
    }

    boolean isBefore(FabricEvent other) {
        return timeNs != other.timeNs ? timeNs < other.timeNs : order < other.order;
    }
}
