// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.rxe.DeviceSpec;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.tools.cli.Tool;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.local.RunDirectory;
import io.rdma4j.verbs.spi.FoundDevice;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@ProvedOn("carrier:served")
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class UverbsCommandTest {
    private final StringWriter out = new StringWriter();

    private int run(Host host, String... words) {
        Tool tool = new Tool("uverbs", "", _ -> new UverbsCommand(() -> host));
        return new Main(List.of(tool), new PrintWriter(out, true), new PrintWriter(out, true)).run(words);
    }

    @Test
    @Covers({"UVERBS-14", "UVERBS-43"})
    void devicesAreServedUntilTheToolIsInterrupted(@TempDir Path folder) throws InterruptedException {
        Host host = Host.create("test");
        host.register(
                new RxeProvider(DeviceSpec.parseList("mine=udp:127.0.0.9,other=udp:127.0.0.10"), RxeOptions.DEFAULT));
        Thread tool = Thread.ofVirtual().start(() -> run(host, "uverbs", "--run=" + folder, "mine"));
        Path entry = folder.resolve("uverbs0");
        while (!Files.exists(entry)) {
            Thread.onSpinWait();
        }
        assertThat(new RunDirectory(folder).scan())
                .extracting(FoundDevice::name)
                .containsExactly("mine");

        tool.interrupt();
        tool.join();
        assertThat(entry).doesNotExist();
        assertThat(out.toString()).startsWith("mine " + entry);
    }

    @Test
    void aDeviceThatCannotBeServedIsRefused() {
        assertThat(run(FixedProvider.host(), "uverbs", "nosuch")).isEqualTo(1);
        assertThat(out.toString()).contains("ENODEV").contains("nosuch");
    }
}
