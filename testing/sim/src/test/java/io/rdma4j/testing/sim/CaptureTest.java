// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.links.LinkProfile;
import io.rdma4j.links.PcapWriter;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.testing.sim.run.ScenarioRun;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.roce.Icrc;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CaptureTest {
    @TempDir
    private Path directory;

    @Test
    void everyPacketThatIsSentIsWrittenWholeAndIntactInOrderOfTime() throws IOException {
        Path file = directory.resolve("runs.pcap");
        LinkProfile bad = LinkProfile.PERFECT.withLoss(0.1).withDuplication(0.1).withCorruption(0.1);
        long sent = 0;
        try (PcapWriter writer = new PcapWriter(file, LinkType.IP)) {
            for (int seed = 0; seed < 2; seed++) {
                sent += new ScenarioRun(SimScenario.of(seed).withLink(bad))
                        .capture(writer)
                        .run()
                        .packets();
            }
        }
        ByteBuffer capture = ByteBuffer.wrap(Files.readAllBytes(file));
        assertThat(capture.getInt()).isEqualTo(0xA1B23C4D);
        assertThat(capture.getShort()).isEqualTo((short) 2);
        assertThat(capture.getShort()).isEqualTo((short) 4);
        capture.position(20);
        assertThat(capture.getInt()).as("raw IP").isEqualTo(101);
        assertThat(countIntactPackets(capture)).isEqualTo(sent);
    }

    private static long countIntactPackets(ByteBuffer capture) {
        Icrc icrc = new Icrc();
        long count = 0;
        long lastNs = 0;
        while (capture.hasRemaining()) {
            long timeNs = capture.getInt() * 1_000_000_000L + capture.getInt();
            assertThat(timeNs).isGreaterThanOrEqualTo(lastNs);
            lastNs = timeNs;
            int captured = capture.getInt();
            assertThat(capture.getInt()).isEqualTo(captured);
            ByteBuffer packet = ByteBuffer.allocateDirect(captured).put(capture.slice(capture.position(), captured));
            capture.position(capture.position() + captured);
            MemorySegment memory = MemorySegment.ofBuffer(packet.clear());
            assertThat(Ipv4.version(memory, 0)).isIn(4, 6);
            assertThat(icrc.compute(memory, packet, 0, captured - Icrc.BYTES))
                    .isEqualTo(Icrc.load(memory, captured - Icrc.BYTES));
            count++;
        }
        return count;
    }
}
