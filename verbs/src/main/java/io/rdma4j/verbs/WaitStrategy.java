package io.rdma4j.verbs;

import java.time.Duration;

/**
 * What a thread does between two looks into a completion queue that is empty: see {@link CompletionQueue#poll(int, Duration, WaitStrategy)}. The sooner
 * it is to notice, the more of the machine it takes.
 */
public enum WaitStrategy {
    /**
     * It looks again at once: for a thread that has a CPU to itself. It drives the device meanwhile, which yields as well when nothing has come for
     * some 20 µs. A virtual thread keeps its carrier up to then.
     */
    SPIN,

    /** It offers its CPU to others after each look: what {@link CompletionQueue#poll(int, Duration)} does. A virtual thread lets go of its carrier. */
    YIELD,

    /**
     * It sleeps until the device says that something has come: the first message after a pause takes as long as it takes the system to wake a
     * thread, and nothing is taken meanwhile. A virtual thread lets go of its carrier.
     */
    PARK
}
