// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.verbs.wr.WcStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VirtualTimeTest {
    private static final FabricSetup LOSSY = FabricSetup.ofHosts(2)
            .link("loss 3% delay 50us 20us reorder 2% duplicate 1%")
            .virtualTime(true);

    @TempDir
    private Path directory;

    /** Returns the content of the captures of a run. */
    private List<byte[]> trace(FabricSetup setup, String name) throws IOException {
        Path folder = Files.createDirectory(directory.resolve(name));
        List<Path> files;
        try (Fabric fabric = Fabric.open(setup)) {
            files = fabric.captureTo(folder);
            Transfers.run(fabric.connect(0, 1), 50);
            assertThat(fabric.retransmissions()).isPositive();
        }
        assertThat(files).hasSize(2);
        return List.of(Files.readAllBytes(files.get(0)), Files.readAllBytes(files.get(1)));
    }

    @Test
    void theSameSeedGivesTheSamePacketsAtTheSameTimes() throws IOException {
        List<byte[]> first = trace(LOSSY.seed(3), "first");
        List<byte[]> second = trace(LOSSY.seed(3), "second");
        List<byte[]> other = trace(LOSSY.seed(4), "other");

        assertThat(first.get(0)).hasSizeGreaterThan(50 * 16_384);
        assertThat(second.get(0)).isEqualTo(first.get(0));
        assertThat(second.get(1)).isEqualTo(first.get(1));
        assertThat(other.get(0)).isNotEqualTo(first.get(0));
    }

    @Test
    @RdmaFabric(link = "delay 1s", virtualTime = true)
    void aSecondOfDelayTakesNoSecond(Fabric fabric) {
        QpPair pair =
                fabric.connect(0, 1, EndpointSetup.OPEN, new LinkSetup(LinkSetup.DEFAULT.mtu(), 0, 20, 7, 7, 12, 1));
        Duration before = fabric.elapsed();
        Transfers.run(pair, 1);

        assertThat(fabric.elapsed().minus(before)).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(10));
    }

    @Test
    @RdmaFabric(virtualTime = true)
    void timePassesWithoutEvents(Fabric fabric) {
        Duration before = fabric.elapsed();
        fabric.pass(Duration.ofHours(1));
        assertThat(fabric.elapsed().minus(before)).isEqualTo(Duration.ofHours(1));
    }

    @Test
    @RdmaFabric(virtualTime = true)
    void aPeerBehindAPartitionIsGivenUp(Fabric fabric, QpPair pair) {
        Transfers.run(pair, 1);
        fabric.partition(0, 1);
        pair.a().postSend(1, 0, 100);
        assertThat(pair.a().awaitSends(1).getFirst().status()).isEqualTo(WcStatus.RETRY_EXC_ERR);
        assertThat(fabric.elapsed()).isGreaterThan(Duration.ofMillis(400));
    }

    @Test
    @RdmaFabric(virtualTime = true)
    void whatNeverHappensIsNotAwaitedForEver(Fabric fabric, QpPair pair) {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> pair.b().awaitReceive())
                .withMessageContaining("not in time: 1 completions of");
    }
}
