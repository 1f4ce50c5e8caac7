// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

/** Result of a run. */
public enum RunEnd {
    /** The awaited condition became true. */
    FINISHED,
    /** No packet is in flight and no timer is armed. */
    IDLE,
    /** The time limit was reached. */
    TIME_LIMIT,
    /** Work without end while time did not advance. */
    LIVELOCK
}
