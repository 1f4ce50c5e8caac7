// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

/**
 * A Linux network namespace for tools in separate processes; the loopback interface is up. The test is skipped if no
 * namespace can be created.
 */
final class TestNamespace implements AutoCloseable {
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(60);

    private final String name;
    private final StringWriter output = new StringWriter();

    TestNamespace() {
        this("");
    }

    /** @param suffix of the name, so that a test can use several namespaces */
    TestNamespace(String suffix) {
        name = "rdma4j-test-" + ProcessHandle.current().pid() + suffix;
        assumeTrue(
                run("ip", "netns", "add", name),
                () -> "no network namespace can be made here (needs Linux, ip(8) and root): " + output);
        ip("link set lo up");
    }

    /** Name for {@code ip(8)}. */
    String name() {
        return name;
    }

    /** Output of all programs. */
    String output() {
        return output.toString();
    }

    /** Runs {@code ip(8)} in the namespace; it must succeed. */
    void ip(String arguments) {
        List<String> words = new ArrayList<>(List.of("ip", "-n", name));
        words.addAll(Arrays.asList(arguments.split(" ")));
        assertThat(run(words.toArray(String[]::new))).as(this::output).isTrue();
    }

    /** Waits until the kernel reports the link as running, up to one second after it was set up. */
    void awaitUp(String link) {
        String wait = "until ip -n " + name + " link show " + link + " | grep -q 'state UP'; do sleep 0.1; done";
        assertThat(run("sh", "-c", wait)).as(this::output).isTrue();
    }

    /** Waits until duplicate address detection has ended; before that no socket can bind the link-local address. */
    void awaitNoTentativeAddress(String link) {
        String wait = "while ip -n " + name + " addr show " + link + " | grep -q tentative; do sleep 0.1; done";
        assertThat(run("sh", "-c", wait)).as(this::output).isTrue();
    }

    /** Waits until a program has a socket at a UDP port of IPv4. */
    void awaitUdpPort(int port) {
        String socket = String.format(":%04X ", port);
        String wait = "until ip netns exec " + name + " grep -q '" + socket + "' /proc/net/udp; do sleep 0.1; done";
        assertThat(run("sh", "-c", wait)).as(this::output).isTrue();
    }

    /** Starts a tool in the namespace. */
    ToolProcess tool(String label, List<String> words) throws IOException {
        return tool(label, List.of(), words);
    }

    /** Starts a tool in the namespace, with options of the JVM. */
    ToolProcess tool(String label, List<String> jvmOptions, List<String> words) throws IOException {
        List<String> command = ToolProcess.jvm();
        command.addAll(1, jvmOptions);
        command.addAll(words);
        return start(label, command);
    }

    /** Starts any program in the namespace. */
    ToolProcess start(String label, List<String> words) throws IOException {
        List<String> command = new ArrayList<>(List.of("ip", "netns", "exec", name));
        command.addAll(words);
        return ToolProcess.start(label, new PrintWriter(output, true), command);
    }

    private boolean run(String... words) {
        try (ToolProcess process = ToolProcess.start("ip", new PrintWriter(output, true), List.of(words))) {
            return process.awaitExit(LIMIT_NS).equals(OptionalInt.of(0));
        } catch (IOException e) {
            output.append(e.getMessage());
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        run("ip", "netns", "del", name);
    }
}
