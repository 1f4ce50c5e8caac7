// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import java.nio.file.Path;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tools between two machines without a given device: they use that of the route. */
@Timeout(300)
@ProvedOn("carrier:udp")
class DeviceRouteTest {
    private static final String WAITING = "aiting";
    private static final String LOCAL = "local address:";

    @TempDir
    private Path folder;

    private TwoMachines machines;

    @BeforeEach
    void join() {
        machines = new TwoMachines(folder);
    }

    @AfterEach
    void part() {
        machines.close();
    }

    @Test
    @Covers("GEN-24")
    void withoutADeviceAPingPongGoesOverTheInterfaceOfTheRoute() throws Exception {
        machines.play(WAITING, 0, "ibv_rc_pingpong -c -n 50", "ibv_rc_pingpong -c -n 50 10.99.0.1");
        assertThat(machines.output())
                .containsPattern("a \\|   local address: .*GID ::ffff:10\\.99\\.0\\.1")
                .containsPattern("b \\|   local address: .*GID ::ffff:10\\.99\\.0\\.2");
    }

    @Test
    void aServerThatIsReachedByIpv6IsMetAtItsIpv6Gid() throws Exception {
        machines.play(WAITING, 0, "ibv_rc_pingpong -c -n 50", "ibv_rc_pingpong -c -n 50 fd99::1");
        assertThat(machines.output())
                .containsPattern("a \\|   local address: .*GID fd99::1")
                .containsPattern("b \\|   local address: .*GID fd99::2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ib_write_bw -n 20",
                "ib_send_lat -n 20",
                "ib_read_lat -n 20",
                "ib_atomic_bw -n 20",
                "ibv_ud_pingpong -n 50",
                "ibv_xsrq_pingpong"
            })
    void withoutADeviceATestGoesOverTheInterfaceOfTheRoute(String tool) throws Exception {
        machines.play(WAITING, 0, tool, tool + " 10.99.0.1");
    }

    /** As README and docs/two-machines.md print it. */
    @Test
    void aLinkThatIsAddedOnBothMachinesCarriesThePingPong() throws Exception {
        try {
            succeed("rdma link add rxe_0 type rxe netdev left0", "rdma link add rxe_0 type rxe netdev right0");
            succeed("rdma link show", "rdma link show");
            assertThat(machines.output())
                    .contains("a | link rxe_0/1 state ACTIVE physical_state LINK_UP netdev left0")
                    .contains("b | link rxe_0/1 state ACTIVE physical_state LINK_UP netdev right0");
            machines.play(WAITING, 0, "ibv_rc_pingpong -c -n 50", "ibv_rc_pingpong -c -n 50 10.99.0.1");
            machines.play(
                    LOCAL, 0, "ibv_rc_pingpong -d rxe_0 -g 0 -n 50", "ibv_rc_pingpong -d rxe_0 -g 0 -n 50 10.99.0.1");
        } finally {
            succeed("rdma link delete rxe_0", "rdma link delete rxe_0");
        }
    }

    private void succeed(String onFirst, String onSecond) throws Exception {
        try (ToolProcess first = machines.first(onFirst.split(" "));
                ToolProcess second = machines.second(onSecond.split(" "))) {
            assertThat(first.awaitExit(TwoMachines.LIMIT_NS))
                    .as(machines::output)
                    .isEqualTo(OptionalInt.of(0));
            assertThat(second.awaitExit(TwoMachines.LIMIT_NS))
                    .as(machines::output)
                    .isEqualTo(OptionalInt.of(0));
        }
    }

    @Test
    @Covers("GEN-25")
    void aLoopbackGidOfTheServerIsRefusedAtBothEndsAtOnce() throws Exception {
        machines.play(LOCAL, 1, "ibv_rc_pingpong -d rxe_lo", "ibv_rc_pingpong 10.99.0.1");
        assertThat(machines.output())
                .contains("a | The local GID ::ffff:127.0.0.1 is a loopback address")
                .contains("b | The remote GID ::ffff:127.0.0.1 is a loopback address")
                .contains("a | Use a device of a network interface", "b | Use a device of a network interface");
    }

    @Test
    void aLoopbackGidOfTheClientIsRefusedAtBothEndsAtOnce() throws Exception {
        machines.play(WAITING, 1, "ib_write_bw", "ib_write_bw -d rxe_lo 10.99.0.1");
        assertThat(machines.output())
                .contains("a | The remote GID ::ffff:127.0.0.1 is a loopback address")
                .contains("b | The local GID ::ffff:127.0.0.1 is a loopback address")
                .doesNotContain("null");
    }
}
