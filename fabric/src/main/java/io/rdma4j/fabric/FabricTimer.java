// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

/** A timer of an agent, in the time of the fabric. One thread at a time. */
public final class FabricTimer {
    private final EventSchedule schedule;
    private final FabricEvent event;

    FabricTimer(EventSchedule schedule, Runnable action) {
        this.schedule = schedule;
        this.event = new FabricEvent() {
            @Override
            void fire() {
                action.run();
            }
        };
    }

    /**
     * Sets the timer, also if it is set already.
     *
     * @param delayNs from now on
     */
    public void after(long delayNs) {
        schedule.after(event, delayNs);
    }

    /** Ends the timer without its action. */
    public void cancel() {
        schedule.cancel(event);
    }

    /** {@return true until the timer has run or was cancelled} */
    public boolean isSet() {
        return event.isScheduled();
    }
}
