// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

/** A timer of the port loop. For the owner of the loop only. */
public interface PortTimer {
    /** Reads the deadline of the timer's owner again. */
    void update();

    /** Stops the timer. */
    void stop();

    /** The object whose deadline a timer watches. */
    interface Owner {
        /** Returns the deadline, ns of the loop's clock, or {@link io.rdma4j.base.Deadline#NEVER}. */
        long nextDeadlineNs();

        /** Handles that the deadline has passed; the present one may be later. */
        void onDeadline(long nowNs);
    }
}
