// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testkit;

import io.rdma4j.tools.pcap.CaptureReader;
import io.rdma4j.tools.pcap.CaptureTally;
import io.rdma4j.tools.pcap.CapturedFrame;
import io.rdma4j.tools.pcap.DecodedPacket;
import io.rdma4j.wire.roce.Icrc;
import java.io.IOException;
import java.nio.file.Path;

/** Reads captures with the reader of the tool {@code decode}. */
final class Captures {
    private Captures() {}

    /** Counts the packets of a file. */
    static CaptureTally tally(Path file) throws IOException {
        CaptureTally tally = new CaptureTally();
        Icrc icrc = new Icrc();
        try (CaptureReader reader = CaptureReader.open(file)) {
            for (CapturedFrame frame = reader.next(); frame != null; frame = reader.next()) {
                tally.add(frame.link(), DecodedPacket.of(frame, icrc).verdict());
            }
        }
        return tally;
    }
}
