// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.verbs.spi.PollRegistration;
import io.rdma4j.verbs.spi.PollSource;
import java.util.function.BooleanSupplier;

/** The port loop, as the contexts of a device and their objects use it. Any thread. */
public interface DeviceLoop extends PortLock {
    /** Runs the loop once for a thread that polls, unless another thread runs it. */
    void poll();

    /** Returns the time of the loop's clock, ns. */
    long nanoTime();

    /** Returns a timer, not yet set. */
    PortTimer timer(PortTimer.Owner owner);

    /** Adds a poll source; see {@link io.rdma4j.verbs.spi.ContextOps#addPollSource}. */
    PollRegistration add(PollSource source);

    /** See {@link io.rdma4j.verbs.spi.ContextOps#beforeBlocking}. */
    void beforeBlocking();

    /** See {@link io.rdma4j.verbs.spi.ContextOps#afterBlocking}. */
    void afterBlocking();

    /** See {@link io.rdma4j.verbs.spi.ContextOps#sleep}. */
    boolean sleep(long timeoutNs, BooleanSupplier over);

    /** See {@link io.rdma4j.verbs.spi.ContextOps#wakeSleeper}. */
    void wakeSleeper();
}
