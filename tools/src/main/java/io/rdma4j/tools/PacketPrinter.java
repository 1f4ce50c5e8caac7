// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import io.rdma4j.tools.pcap.CaptureTally;
import io.rdma4j.tools.pcap.CapturedFrame;
import io.rdma4j.tools.pcap.DecodedPacket;

/** Formats decoded packets, as text or as JSON. */
interface PacketPrinter {
    /**
     * The line of one RoCE packet.
     *
     * @param number of the frame in its file, from 1
     * @param timeNs since the first frame of the file
     */
    String packet(long number, long timeNs, CapturedFrame frame, DecodedPacket packet);

    /** The last line. */
    String summary(CaptureTally tally);
}
