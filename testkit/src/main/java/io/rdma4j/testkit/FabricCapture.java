// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testkit;

import io.rdma4j.base.NanoClock;
import io.rdma4j.links.PcapTap;
import io.rdma4j.links.PcapWriter;
import io.rdma4j.net.skb.EtherType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A capture file of each host. */
final class FabricCapture implements AutoCloseable {
    private final List<Path> files = new ArrayList<>();
    private final List<PcapWriter> writers = new ArrayList<>();

    /** @param virtual true if the times of the file begin at 0, in place of the date */
    FabricCapture(Path directory, List<RdmaHost> hosts, NanoClock clock, boolean virtual) throws IOException {
        NanoClock stamps = virtual ? sinceNow(clock) : dated(clock);
        for (RdmaHost host : hosts) {
            Path file = directory.resolve(host.name() + ".pcap");
            PcapWriter writer = new PcapWriter(file, host.device().linkType());
            files.add(file);
            writers.add(writer);
            // Unregistering the device, when the fabric is closed, ends the tap.
            PcapTap.open(host.device(), EtherType.ALL, writer, stamps);
        }
    }

    private static NanoClock sinceNow(NanoClock clock) {
        long startNs = clock.nanoTime();
        return () -> clock.nanoTime() - startNs;
    }

    private static NanoClock dated(NanoClock clock) {
        Instant now = Instant.now();
        long offsetNs = TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano() - clock.nanoTime();
        return () -> offsetNs + clock.nanoTime();
    }

    List<Path> files() {
        return List.copyOf(files);
    }

    /** Completes the files; the devices are gone. */
    @Override
    public void close() {
        try {
            for (PcapWriter writer : writers) {
                writer.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
