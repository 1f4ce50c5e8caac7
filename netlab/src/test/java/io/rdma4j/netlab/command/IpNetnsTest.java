// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.NanoClock;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.netlab.Machine;
import io.rdma4j.netlab.topology.ConfigWords;
import io.rdma4j.testing.ledger.Covers;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class IpNetnsTest {
    private final Machine machine = new Machine("m", NanoClock.SYSTEM, ProgressMode.MANUAL);
    private final Terminal terminal = new Terminal(machine);

    @AfterEach
    void close() {
        machine.close();
    }

    @Test
    @Covers({"TOOL-35", "TOOL-36", "TOOL-37"})
    void namespacesAreMadeListedAndDeleted() {
        terminal.type("ip netns add blue");
        terminal.type("ip netns add red");
        assertThat(machine.namespaces()).containsOnlyKeys(Machine.INITIAL, "blue", "red");
        assertThat(terminal.type("ip netns list")).isEqualTo("blue\nred");
        assertThat(terminal.type("ip -j netns")).isEqualTo("[{\"name\":\"blue\"},{\"name\":\"red\"}]");
        assertThat(terminal.fail("ip netns add red"))
                .isEqualTo("Cannot create namespace file \"/var/run/netns/red\": File exists");

        terminal.type("ip netns del blue");
        assertThat(machine.net().namespaces()).hasSize(2);
        assertThat(terminal.type("ip netns list")).isEqualTo("red");
        assertThat(terminal.fail("ip netns del blue"))
                .isEqualTo("Cannot remove namespace file \"/var/run/netns/blue\": No such file or directory");
    }

    @Test
    @Covers("TOOL-38")
    void aDeviceMovesToAnotherNamespace() {
        terminal.type("ip netns add blue");
        terminal.type("ip link add eth0 type veth peer name eth1");
        NetDevice moved = terminal.device("eth1");
        terminal.type("ip link set eth1 netns blue");

        assertThat(machine.find("blue", "eth1")).isSameAs(moved);
        assertThat(machine.find(Machine.INITIAL, "eth1")).isNull();
        assertThat(terminal.type("ip link show eth0"))
                .contains(": eth0@if" + moved.ifindex() + ": ", " link-netns blue");
        assertThat(terminal.fail("ip link set eth0 netns green")).contains("Invalid \"netns\" value");

        terminal.type("ip -n blue link set eth1 netns 1");
        assertThat(terminal.device("eth1")).isSameAs(moved);
    }

    @Test
    @Covers("TOOL-39")
    void commandsRunInANamespace() {
        terminal.type("ip netns add blue");
        terminal.type("ip netns exec blue ip link add dummy0 type dummy");
        assertThat(machine.find("blue", "dummy0")).isNotNull();
        assertThat(machine.find(Machine.INITIAL, "dummy0")).isNull();
        assertThat(terminal.type("ip netns exec blue ip netns identify")).isEqualTo("blue");
        assertThat(terminal.type("ip -n blue -br link")).contains("dummy0");
        assertThat(terminal.fail("ip netns exec green ip link"))
                .isEqualTo("Cannot open network namespace \"green\": No such file or directory");

        terminal.type("ip link add dummy1 type dummy");
        assertThat(terminal.type("unshare --net ip -br link")).startsWith("lo ").hasLineCount(1);
        assertThat(machine.net().namespaces()).hasSize(2);
    }

    @Test
    @Covers("TOOL-39")
    void bashIsAShellInTheNamespaceUntilExit() {
        Console console = new Console(machine);
        String initial = line(console, "readlink /proc/self/ns/net");
        line(console, "ip netns add blue");
        line(console, "ip netns exec blue bash");
        assertThat(line(console, "ip netns identify")).isEqualTo("blue");
        String blue = line(console, "readlink /proc/self/ns/net");
        assertThat(blue).isNotEqualTo(initial);
        line(console, "unshare --net bash");
        line(console, "ip link add dummy0 type dummy");
        assertThat(line(console, "readlink /proc/self/ns/net"))
                .isNotEqualTo(blue)
                .isNotEqualTo(initial);
        assertThat(line(console, "ip -br link")).contains("dummy0");
        assertThat(machine.net().namespaces()).hasSize(3);
        line(console, "exit");
        assertThat(machine.net().namespaces()).hasSize(2);
        assertThat(line(console, "readlink /proc/self/ns/net")).isEqualTo(blue);
        assertThat(console.isNested()).isTrue();
        line(console, "exit");
        assertThat(console.isNested()).isFalse();
        assertThat(line(console, "readlink /proc/self/ns/net")).isEqualTo(initial);
    }

    /** Runs a console line that must succeed and returns its output. */
    private static String line(Console console, String line) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exit = console.run(ConfigWords.split(line), new PrintWriter(out), new PrintWriter(err));
        assertThat(exit).as(line + ": " + err).isZero();
        return out.toString().stripTrailing();
    }

    @Test
    void bashWithoutAConsoleEndsAtOnceOrRunsItsCommand() {
        terminal.type("ip netns add blue");
        assertThat(terminal.type("ip netns exec blue bash")).isEmpty();
        assertThat(terminal.type("ip netns exec blue bash -c \"ip netns identify\""))
                .isEqualTo("blue");
        assertThat(terminal.type("unshare --net bash")).isEmpty();
        assertThat(machine.net().namespaces()).hasSize(2);
    }

    @Test
    @Covers("TOOL-40")
    void eachNamespaceHasANumber() {
        terminal.type("ip netns add blue");
        String own = terminal.type("readlink /proc/self/ns/net");
        String blue = terminal.type("ip netns exec blue readlink /proc/self/ns/net");
        assertThat(own).isEqualTo("net:[" + machine.net().initial().id() + "]");
        assertThat(blue).isEqualTo("net:[" + machine.namespace("blue").id() + "]");
        assertThat(terminal.type("ls /proc/self/ns")).isEqualTo("net");
        assertThat(terminal.type("ls -al /proc/self/ns/"))
                .containsPattern("(?m)^lrwxrwxrwx 1 root root 0 .* net -> net:\\["
                        + machine.net().initial().id() + "]$");
        assertThat(terminal.fail("cat /proc/self/ns/net")).contains("has no text");
        assertThat(blue).isNotEqualTo(own).isNotEqualTo(terminal.type("unshare --net readlink /proc/self/ns/net"));
    }
}
