package io.rdma4j.control.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.NanoClock;
import io.rdma4j.control.Machine;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.driver.VethDevice;
import io.rdma4j.net.loop.ProgressMode;
import io.rdma4j.testing.ledger.Covers;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RdmaCommandTest {
    private final Machine machine = new Machine("m", NanoClock.SYSTEM, ProgressMode.AUTOMATIC);
    private final Terminal terminal = new Terminal(machine);
    private final NetDevice card = plug();

    private NetDevice plug() {
        VethDevice.Pair pair = VethDevice.unregistered(
                VethDevice.end("wlp7s0", 0, 1500, 0x0200_0000_0001L, List.of()),
                VethDevice.end("other", 0, 1500, 0x0200_0000_0002L, List.of()),
                VethDevice.DEFAULT_QUEUE_LENGTH);
        machine.net().initial().register(pair.second()).up();
        machine.net().initial().register(pair.first()).up();
        return pair.first();
    }

    @AfterEach
    void close() {
        machine.close();
    }

    @Test
    @Covers({"TOOL-18", "TOOL-19"})
    void aLinkIsAddedShownAndDeleted() {
        assertThat(terminal.type("rdma link add rxe_0 type rxe netdev wlp7s0")).isEmpty();
        assertThat(machine.rdma().device("rxe_0").isPresent()).isTrue();
        assertThat(terminal.type("rdma link show"))
                .isEqualTo("link rxe_0/1 state ACTIVE physical_state LINK_UP netdev wlp7s0");
        assertThat(terminal.type("rdma -j link show rxe_0/1"))
                .isEqualTo("[{\"ifindex\":0,\"ifname\":\"rxe_0\",\"port\":1,\"state\":\"ACTIVE\","
                        + "\"physical_state\":\"LINK_UP\",\"netdev\":\"wlp7s0\",\"netdev_index\":" + card.ifindex()
                        + "}]");

        card.down();
        assertThat(terminal.type("rdma link"))
                .isEqualTo("link rxe_0/1 state DOWN physical_state DISABLED netdev wlp7s0");

        terminal.type("rdma link delete rxe_0");
        assertThat(machine.rdma().devices()).isEmpty();
        assertThat(terminal.type("rdma link show")).isEmpty();
    }

    @Test
    void devicesAndTheirCountersAreShown() {
        terminal.type("rdma link add rxe0 type rxe netdev wlp7s0");
        assertThat(terminal.type("rdma dev show"))
                .startsWith("0: rxe0: node_type ca protocol roce fw ")
                .contains(" node_guid 0000:00ff:fe00:0001 sys_image_guid ");
        assertThat(terminal.type("rdma statistic show link rxe0/1"))
                .startsWith("link rxe0/1 sent_pkts 0 rcvd_pkts 0 duplicate_request 0 ");
    }

    @Test
    void whatCannotBeIsRefused() {
        assertThat(terminal.fail("rdma link add rxe0 type rxe netdev eth9")).contains("eth9");
        assertThat(terminal.fail("rdma link add rxe0 type siw netdev wlp7s0")).contains("siw");
        assertThat(terminal.fail("rdma link add rxe0 netdev wlp7s0")).contains("\"type\" is missing");
        assertThat(terminal.fail("rdma link delete rxe0")).contains("rxe0");
        assertThat(terminal.fail("rdma dev show rxe0")).contains("rxe0");
        assertThat(terminal.fail("rdma resource")).contains("there is link, dev and statistic");
    }

    @Test
    @Covers("TOOL-20")
    void theDriverIsThereToBeLoaded() {
        assertThat(terminal.type("modprobe rdma_rxe")).isEmpty();
        terminal.type("rdma link add rxe0 type rxe netdev wlp7s0");
        assertThat(machine.rdma().devices()).hasSize(1);
        assertThat(terminal.fail("modprobe mlx5_ib")).contains("mlx5_ib not found");
    }
}
