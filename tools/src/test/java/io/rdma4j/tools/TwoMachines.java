// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

/**
 * Two machines for tools: network namespaces joined by a veth pair, {@code 10.99.0.1} and {@code fd99::1} at one end,
 * {@code .2} and {@code ::2} at the other. Each has a separate run directory.
 */
final class TwoMachines implements AutoCloseable {
    static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(90);
    private static final int ROCE_V2_PORT = 4791;

    private final TestNamespace first = new TestNamespace("-a");
    private final TestNamespace second = new TestNamespace("-b");
    private final Path folder;

    /** @param folder parent of the run directories */
    TwoMachines(Path folder) {
        this.folder = folder;
        first.ip("link add left0 type veth peer name right0 netns " + second.name());
        address(first, "left0", 1);
        address(second, "right0", 2);
        first.awaitUp("left0");
        second.awaitUp("right0");
    }

    private static void address(TestNamespace machine, String link, int host) {
        machine.ip("addr add 10.99.0." + host + "/24 dev " + link);
        machine.ip("addr add fd99::" + host + "/64 dev " + link + " nodad");
        machine.ip("link set " + link + " up");
    }

    ToolProcess first(String... words) throws IOException {
        return start(first, "a", words);
    }

    ToolProcess second(String... words) throws IOException {
        return start(second, "b", words);
    }

    private ToolProcess start(TestNamespace machine, String label, String... words) throws IOException {
        return machine.tool(label, List.of("-Drdma4j.run=" + folder.resolve(label)), List.of(words));
    }

    /** Waits until a program of the first machine has a device open. */
    void awaitDevice() {
        first.awaitUdpPort(ROCE_V2_PORT);
    }

    /** Output of all programs. */
    String output() {
        return first.output() + second.output();
    }

    /**
     * Runs both ends of a tool, the server on the first machine.
     *
     * @param ready output of the server when it accepts a client
     * @param exitCode of both
     */
    void play(String ready, int exitCode, String server, String client) throws IOException, InterruptedException {
        try (ToolProcess serving = first(server.split(" "))) {
            assertThat(serving.awaitLine(ready, LIMIT_NS)).as(this::output).isPresent();
            try (ToolProcess asking = second(client.split(" "))) {
                assertThat(asking.awaitExit(LIMIT_NS)).as(this::output).isEqualTo(OptionalInt.of(exitCode));
                assertThat(serving.awaitExit(LIMIT_NS)).as(this::output).isEqualTo(OptionalInt.of(exitCode));
            }
        }
    }

    @Override
    public void close() {
        first.close();
        second.close();
    }
}
