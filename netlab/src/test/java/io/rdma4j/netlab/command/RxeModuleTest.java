// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.NanoClock;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.netlab.Machine;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.Context;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code modprobe}, {@code lsmod} and {@code /sys/module/rdma_rxe}. */
class RxeModuleTest {
    private final Machine machine = new Machine("m", NanoClock.SYSTEM, ProgressMode.MANUAL);
    private final Terminal terminal = new Terminal(machine);

    @BeforeEach
    void plug() {
        terminal.type("ip link add eth0 type dummy");
        terminal.type("ip link set eth0 up");
    }

    @AfterEach
    void close() {
        machine.close();
    }

    @Test
    @Covers("TOOL-20")
    void modprobeLoadsTheModule() {
        assertThat(terminal.type("lsmod")).isEqualTo("Module                  Size  Used by");
        assertThat(terminal.fail("ls /sys/module/rdma_rxe")).contains("No such file or directory");
        assertThat(terminal.type("modprobe rdma_rxe")).isEmpty();
        assertThat(terminal.type("lsmod")).endsWith("\nrdma_rxe                   0  0");
        assertThat(terminal.type("cat /sys/module/rdma_rxe/initstate")).isEqualTo("live");
        assertThat(terminal.type("modprobe rdma_rxe")).isEmpty();
        assertThat(terminal.fail("modprobe mlx5_ib")).contains("modprobe: FATAL: ", "mlx5_ib not found");
    }

    @Test
    @Covers("TOOL-20")
    void theFirstDeviceLoadsTheModule() {
        terminal.type("rdma link add rxe0 type rxe netdev eth0");
        assertThat(terminal.type("lsmod")).contains("rdma_rxe");
        assertThat(terminal.type("rdma link")).contains("rxe0/1");
    }

    @Test
    @Covers("TOOL-20")
    void withTheModuleItsDevicesGoUnlessOneIsOpen() {
        terminal.type("rdma link add rxe0 type rxe netdev eth0");
        try (Context context = machine.rdma().open("rxe0")) {
            assertThat(context.device().name()).isEqualTo("rxe0");
            assertThat(terminal.type("cat /sys/module/rdma_rxe/refcnt")).isEqualTo("1");
            assertThat(terminal.fail("modprobe -r rdma_rxe")).contains("rdma_rxe is in use");
            assertThat(terminal.type("rdma link")).contains("rxe0/1");
        }
        terminal.type("modprobe -r rdma_rxe");
        assertThat(machine.rdma().devices()).isEmpty();
        assertThat(terminal.type("lsmod")).doesNotContain("rdma_rxe");
        assertThat(terminal.type("modprobe -r rdma_rxe")).isEmpty();
    }
}
