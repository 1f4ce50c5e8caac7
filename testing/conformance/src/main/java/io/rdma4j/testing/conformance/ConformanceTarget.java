package io.rdma4j.testing.conformance;

import io.rdma4j.verbs.Context;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * What a provider brings to the kit: two open contexts whose ports reach each other. They may be of one device.
 *
 * <p>Each case opens a target of its own and closes it in the end; the contexts are free of other objects then, and closing
 * must fail if they are not.
 */
public interface ConformanceTarget extends AutoCloseable {
    Context first();

    Context second();

    /** The port on both sides, from 1. */
    default int port() {
        return 1;
    }

    /** The slot of the GID table that is used on both sides. */
    default int gidIndex() {
        return 0;
    }

    /**
     * Memory that regions are made of, such as a program of this device would have: a device of another process takes none that is of
     * one process alone.
     *
     * @param alignment bytes, a power of two
     */
    default MemorySegment allocate(long lengthBytes, long alignment) {
        return Arena.ofAuto().allocate(lengthBytes, alignment);
    }

    /** What the devices can do. */
    Set<Capability> capabilities();

    /** Called again and again while a case waits: the chance of devices without {@link Capability#UNATTENDED_PROGRESS}. */
    default void progress() {}

    /** Closes contexts and hosts. */
    @Override
    void close();
}
