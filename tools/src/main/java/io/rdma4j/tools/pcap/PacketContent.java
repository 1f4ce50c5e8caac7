// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pcap;

import io.rdma4j.wire.FieldSink;

/** What a well-formed packet contains. Valid until the next frame of the capture is read. */
public interface PacketContent {
    /** {@link #madOffset} of a packet without a management datagram. */
    long NO_MAD = -1;

    /** Name of the packet, such as the text of its opcode. */
    String name();

    /** Passes the fields of its headers to {@code sink}. */
    void describe(FieldSink sink);

    /** Offset of the management datagram in the frame, or {@link #NO_MAD}. */
    long madOffset();
}
