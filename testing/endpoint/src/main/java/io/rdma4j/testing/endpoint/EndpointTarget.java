// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.endpoint;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** What an {@link Endpoint} must know of the device under test, and of the way to wait for it. */
public interface EndpointTarget {
    /** Maximum wait of a test before it fails. */
    Duration TIMEOUT = Duration.ofSeconds(20);

    /** {@return the port on both sides, from 1} */
    default int port() {
        return 1;
    }

    /** {@return the slot of the GID table on both sides} */
    default int gidIndex() {
        return 0;
    }

    /** {@return true if paths have a global route on InfiniBand too; on Ethernet they always have} */
    default boolean usesGlobalRoutes() {
        return false;
    }

    /** {@return the multicast LID of all groups; 0 on Ethernet} */
    default int groupLid() {
        return 0;
    }

    /**
     * Allocates memory for regions as a program of this device would. A device of another process requires shared
     * memory.
     *
     * @param lengthBytes size
     * @param alignment bytes, a power of two
     * @return the memory; the garbage collector frees it
     */
    default MemorySegment allocate(long lengthBytes, long alignment) {
        return Arena.ofAuto().allocate(lengthBytes, alignment);
    }

    /** Called repeatedly while a test waits; drives devices that make no progress by themselves. */
    default void progress() {}

    /**
     * Waits until a condition holds.
     *
     * @param what the awaited event, for the message
     * @param condition called repeatedly by this thread
     * @throws AssertionError if the condition does not hold within {@link #TIMEOUT}
     */
    default void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not in time: " + what);
            }
            progress();
            Thread.yield();
        }
    }
}
