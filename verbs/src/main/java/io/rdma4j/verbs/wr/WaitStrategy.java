// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.wr;

import java.time.Duration;

/**
 * Selects the behaviour of a thread between two polls of an empty completion queue, see {@link
 * io.rdma4j.verbs.CompletionQueue#poll(int, Duration, WaitStrategy)}. A shorter reaction time costs more CPU time.
 */
public enum WaitStrategy {
    /**
     * The polling thread polls again at once: for a thread with a CPU of its own. It drives the device, which yields
     * the CPU after some 20 µs without an event. A virtual thread keeps its carrier until then.
     */
    SPIN,

    /**
     * The polling thread yields its CPU after each poll, as {@link io.rdma4j.verbs.CompletionQueue#poll(int, Duration)}
     * does. A virtual thread releases its carrier.
     */
    YIELD,

    /**
     * The polling thread sleeps until the device signals a completion and uses no CPU time meanwhile. The first message
     * after a pause is delayed by the time that the system needs to wake a thread. A virtual thread releases its
     * carrier.
     */
    PARK
}
