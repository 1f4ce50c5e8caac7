package io.rdma4j.testing.conformance.harness;

import io.rdma4j.verbs.Context;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * A provider under test: two open contexts whose ports reach each other. They may be of one device.
 *
 * <p>Each case opens a separate target and closes it at the end. The contexts have no open objects then; otherwise
 * closing must fail.
 */
public interface ConformanceTarget extends AutoCloseable {
    Context first();

    Context second();

    /** The port on both sides, from 1. */
    default int port() {
        return 1;
    }

    /** The slot of the GID table on both sides. */
    default int gidIndex() {
        return 0;
    }

    /**
     * Allocates memory for regions as a program of this device would. A device of another process requires shared
     * memory.
     *
     * @param alignment bytes, a power of two
     */
    default MemorySegment allocate(long lengthBytes, long alignment) {
        return Arena.ofAuto().allocate(lengthBytes, alignment);
    }

    /** Capabilities of the devices. */
    Set<Capability> capabilities();

    /** Called repeatedly while a case waits; drives devices without {@link Capability#UNATTENDED_PROGRESS}. */
    default void progress() {}

    /** Closes contexts and hosts. */
    @Override
    void close();
}
