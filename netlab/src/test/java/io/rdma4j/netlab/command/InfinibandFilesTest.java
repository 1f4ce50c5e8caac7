// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.NanoClock;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.netlab.Machine;
import io.rdma4j.testing.ledger.Covers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** RDMA devices as files, as {@code ls} and {@code cat} show them. */
class InfinibandFilesTest {
    private static final String DATE = "[A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}";

    private final Machine machine = new Machine("m", NanoClock.SYSTEM, ProgressMode.MANUAL);
    private final Terminal terminal = new Terminal(machine);

    @BeforeEach
    void makeDevice() {
        terminal.type("ip link add wlp7s0 address 02:00:00:00:00:01 type dummy");
        terminal.type("ip addr add 192.168.2.30/24 dev wlp7s0");
        terminal.type("ip link set wlp7s0 up");
        terminal.type("rdma link add rxe_0 type rxe netdev wlp7s0");
    }

    @AfterEach
    void close() {
        machine.close();
    }

    @Test
    @Covers({"TOOL-21", "GEN-31"})
    void theVerbsClassListsItsAbiAndADeviceForEachRdmaDevice() {
        assertThat(terminal.type("ls -al /sys/class/infiniband_verbs/").lines())
                .satisfiesExactly(
                        line -> assertThat(line).isEqualTo("total 0"),
                        line -> assertThat(line).matches("drwxr-xr-x +[0-9]+ root root +0 " + DATE + " \\."),
                        line -> assertThat(line).matches("drwxr-xr-x +[0-9]+ root root +0 " + DATE + " \\.\\."),
                        line -> assertThat(line).matches("-r--r--r-- +1 root root 4096 " + DATE + " abi_version"),
                        line -> assertThat(line)
                                .matches("lrwxrwxrwx +1 root root +0 " + DATE
                                        + " uverbs0 -> \\.\\./\\.\\./devices/virtual/infiniband_verbs/uverbs0"));
        assertThat(terminal.type("ls /sys/class/infiniband*"))
                .isEqualTo("/sys/class/infiniband:\nrxe_0\n\n/sys/class/infiniband_verbs:\nabi_version\nuverbs0");
        assertThat(terminal.type("cat /sys/class/infiniband_verbs/uverbs0/dev"
                        + " /sys/class/infiniband_verbs/uverbs0/ibdev /sys/class/infiniband_verbs/abi_version"))
                .isEqualTo("231:192\nrxe_0\n6");
        assertThat(terminal.type("ls -l /dev/infiniband/uverbs0"))
                .matches("crw-rw-rw- 1 root root 231, 192 " + DATE + " /dev/infiniband/uverbs0");
    }

    @Test
    void theDeviceAndItsPortAreShown() {
        String device = "/sys/class/infiniband/rxe_0/";
        assertThat(terminal.type("cat " + device + "node_type " + device + "node_guid " + device + "parent"))
                .isEqualTo("1: CA\n0000:00ff:fe00:0001\nwlp7s0");
        String port = device + "ports/1/";
        assertThat(terminal.type("cat " + port + "state " + port + "phys_state " + port + "link_layer"))
                .isEqualTo("4: ACTIVE\n5: LinkUp\nEthernet");
        assertThat(terminal.type("cat " + port + "gids/0 " + port + "gid_attrs/types/0 " + port + "gid_attrs/ndevs/0"))
                .isEqualTo("0000:0000:0000:0000:0000:ffff:c0a8:021e\nRoCE v2\nwlp7s0");
        assertThat(terminal.type("cat " + port + "gids/5")).isEqualTo("0000:0000:0000:0000:0000:0000:0000:0000");
        assertThat(terminal.fail("cat " + port + "gid_attrs/types/5")).contains("empty");
        assertThat(terminal.type("cat " + port + "pkeys/0")).isEqualTo("0xffff");
        assertThat(terminal.type("cat " + port + "hw_counters/rcvd_pkts")).isEqualTo("0");
        assertThat(terminal.fail("cat " + port + "colour")).contains("colour: No such file or directory");
        assertThat(terminal.fail("echo 1 > " + port + "state")).contains("read-only");
    }

    @Test
    void aDeletedDeviceHasNoFiles() {
        terminal.type("rdma link delete rxe_0");
        assertThat(terminal.type("ls /sys/class/infiniband")).isEmpty();
        assertThat(terminal.type("ls /sys/class/infiniband_verbs")).isEqualTo("abi_version");
        assertThat(terminal.fail("ls /dev/infiniband"))
                .isEqualTo("ls: cannot access '/dev/infiniband': No such file or directory");
    }
}
