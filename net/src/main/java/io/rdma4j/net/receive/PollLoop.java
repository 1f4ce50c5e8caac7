// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

/** The polling loop as the polling contexts of a device need it ({@code softnet_data} with its {@code poll_list}). */
public interface PollLoop {
    /**
     * Adds a polling context. Any thread may call it.
     *
     * @param napi the context
     */
    void add(Napi napi);

    /**
     * Removes a polling context. Any thread may call it, while no thread runs the loop.
     *
     * @param napi the context
     */
    void remove(Napi napi);

    /** {@return start time of the present run of the loop, nanoseconds of its clock} Called by the owner. */
    long nowNs();

    /** {@return the backlogs of its workers} */
    Softnet softnet();

    /**
     * Schedules a poll of {@code napi} ({@code raise_softirq}). Any thread may call it.
     *
     * @param napi the context
     */
    void raise(Napi napi);

    /**
     * Schedules a poll of {@code napi} at {@code timeNs} of the clock or earlier. Called by the owner.
     *
     * @param napi the context
     * @param timeNs time of the loop's clock, ns
     */
    void pollAt(Napi napi, long timeNs);
}
