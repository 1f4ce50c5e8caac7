// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * The reserved bytes after the {@link Bth} of a congestion notification packet (IBA annex A17).
 *
 * <pre>
 *    +---------------------------------------------------------------+
 *  0 |                      reserved, 16 bytes                       |
 *    +---------------------------------------------------------------+
 * </pre>
 *
 * The BTH has BECN set, PSN 0 and the queue pair whose flow met congestion.
 */
public final class Cnp {
    /** Bytes of the header. */
    public static final int BYTES = 16;

    private Cnp() {}

    /**
     * Writes the reserved bytes, all zero.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static void write(MemorySegment segment, long offset) {
        BigEndian.put64(segment, offset, 0);
        BigEndian.put64(segment, offset + 8, 0);
    }

    /**
     * Does nothing, because there is no field.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param sink not called
     */
    public static void describe(MemorySegment segment, long offset, FieldSink sink) {}
}
