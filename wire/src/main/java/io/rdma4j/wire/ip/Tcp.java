// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/** The fields of the TCP header (RFC 9293) that checksum offload needs; TCP itself is not implemented. */
public final class Tcp {
    /** Bytes of the header without options. */
    public static final int BYTES = 20;
    /** {@code IPPROTO_TCP}. */
    public static final int PROTOCOL = 6;
    /** Offset of the checksum. */
    public static final int CHECKSUM = 16;

    private Tcp() {}

    /**
     * Sets the checksum, 16 bits.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param checksum 16 bits
     */
    public static void checksum(MemorySegment segment, long offset, int checksum) {
        BigEndian.put16(segment, offset + CHECKSUM, checksum);
    }
}
