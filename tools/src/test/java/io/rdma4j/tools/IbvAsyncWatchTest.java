// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.NanoClock;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.netlab.Machine;
import io.rdma4j.netlab.network.Network;
import io.rdma4j.netlab.topology.TopologyParser;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.tools.cli.Tool;
import io.rdma4j.uverbs.client.UverbsDriver;
import io.rdma4j.uverbs.server.UverbsServer;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.local.RunDirectory;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Events of a device on an interface that the test moves down, up and deletes, watched in this process and through a
 * server.
 */
@Timeout(60)
class IbvAsyncWatchTest {
    private final Network network = Network.build(
            TopologyParser.parse("test", "host a\nhost b\nlink a/eth0 b/eth0\n"),
            NanoClock.SYSTEM,
            ProgressMode.AUTOMATIC,
            1);
    private final Machine machine = network.machine("a");
    private final Device device = machine.rdma().newLink("rxe0", "rxe", "eth0");
    private final StringWriter out = new StringWriter();
    private int exit;

    @AfterEach
    void close() {
        network.close();
    }

    /** Watches in a separate thread, which has opened the device when this method returns. */
    private Thread watch(Host host, String... options) throws InterruptedException {
        Tool tool = new Tool("ibv_asyncwatch", "", _ -> new IbvAsyncWatchCommand(() -> host));
        String[] words = new String[options.length + 1];
        words[0] = "ibv_asyncwatch";
        System.arraycopy(options, 0, words, 1, options.length);
        PrintWriter to = new PrintWriter(out, true);
        Thread thread = Thread.ofPlatform().daemon().start(() -> exit = new Main(List.of(tool), to, to).run(words));
        awaitOutput("rxe0: async event FD -1\n");
        return thread;
    }

    private void awaitOutput(String text) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!out.toString().contains(text) && System.nanoTime() < end) {
            Thread.sleep(5);
        }
        assertThat(out.toString()).contains(text);
    }

    private void playEvents() throws InterruptedException {
        NetDevice below = Objects.requireNonNull(machine.find(Machine.INITIAL, "eth0"));
        below.down();
        awaitOutput("  event_type IBV_EVENT_PORT_ERR (10), port 1\n");
        below.up();
        awaitOutput("  event_type IBV_EVENT_PORT_ACTIVE (9), port 1\n");
    }

    @Test
    void eventsOfThePortArePrintedUntilTheDeviceIsRemoved() throws InterruptedException {
        Thread watch = watch(machine.rdma(), "-d", "rxe0");
        playEvents();
        machine.rdma().deleteLink("rxe0");
        watch.join(TimeUnit.SECONDS.toMillis(30));
        assertThat(out.toString()).endsWith("  event_type IBV_EVENT_DEVICE_FATAL (8), port 0\n");
        assertThat(exit).isEqualTo(1);
    }

    @Test
    @Covers("TOOL-57")
    void eventsOfAServedDeviceArePrinted(@TempDir Path folder) throws InterruptedException {
        RunDirectory directory = new RunDirectory(folder);
        Host client = Host.create("client", directory);
        client.register(new UverbsDriver());
        Thread watch;
        try (UverbsServer server = UverbsServer.open(device, directory)) {
            assertThat(server.entry()).exists();
            watch = watch(client);
            playEvents();
        }
        watch.join(TimeUnit.SECONDS.toMillis(30));
        assertThat(watch.isAlive()).as("after the end of the server: %s", out).isFalse();
        assertThat(exit).isEqualTo(1);
    }

    @Test
    void anUnknownDeviceIsReported() {
        Tool tool = new Tool("ibv_asyncwatch", "", _ -> new IbvAsyncWatchCommand(machine::rdma));
        PrintWriter to = new PrintWriter(out, true);
        assertThat(new Main(List.of(tool), to, to).run("ibv_asyncwatch", "-d", "mlx5_0"))
                .isEqualTo(1);
        assertThat(out.toString()).startsWith("IB device mlx5_0 not found");
    }
}
