// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.NanoClock;
import io.rdma4j.links.VethDevice;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.netlab.Machine;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.Port;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.device.PortModification;
import io.rdma4j.verbs.values.Owner;
import io.rdma4j.verbs.values.Resource;
import io.rdma4j.verbs.values.ResourceKind;
import java.lang.foreign.Arena;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
    @Covers({"PORT-29", "PORT-52"})
    void detailsShowWhatManagementHasWritten() {
        terminal.type("rdma link add rxe0 type rxe netdev wlp7s0");
        assertThat(terminal.type("rdma -d link show rxe0"))
                .startsWith("link rxe0/1 state ACTIVE physical_state LINK_UP")
                .contains(" lid 0 lmc 0 sm_lid 0 init_type 0 led off caps OPT_IPD_SUP,AUTO_MIGR_SUP,LED_INFO_SUP,");
        try (Context context = machine.rdma().device("rxe0").open()) {
            Port port = context.port(1);
            port.setInfo(port.info().toBuilder().led(true).lid(7, 1).build());
            port.modify(PortModification.ofShutdown());
        }
        assertThat(terminal.type("rdma -d link show rxe0"))
                .startsWith("link rxe0/1 state DOWN physical_state DISABLED")
                .contains(" lid 7 lmc 1 sm_lid 0 init_type 0 led on caps ");
        assertThat(terminal.type("rdma -j -d link show rxe0")).contains("\"led\":\"on\"");
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
    void wordsMayBeShortenedAndJsonMayBePretty() {
        terminal.type("rdma l a rxe0 type rxe netdev wlp7s0");
        assertThat(terminal.type("rdma l s rxe0")).isEqualTo(terminal.type("rdma link show rxe0"));
        assertThat(terminal.type("rdma d li")).isEqualTo(terminal.type("rdma dev show"));
        assertThat(terminal.type("rdma r s cm_id")).isEmpty();
        assertThat(terminal.type("rdma -j -p r show ctx")).isEqualTo("[ ]");
        assertThat(terminal.type("rdma -j --pretty res show rxe0"))
                .startsWith("[ {\n        \"ifindex\": 0,\n        \"ifname\": \"rxe0\",\n        \"pd\": 0,")
                .endsWith("\"srq\": 0\n    } ]");
        assertThat(terminal.type("rdma help")).contains("rdma link add NAME type rxe netdev DEV");
        assertThat(terminal.type("rdma -V")).startsWith("rdma utility");
        assertThat(terminal.fail("rdma -x link")).contains("\"-x\" is unknown");
    }

    @Test
    void whatCannotBeIsRefused() {
        assertThat(terminal.fail("rdma link add rxe0 type rxe netdev eth9")).contains("eth9");
        assertThat(terminal.fail("rdma link add rxe0 type siw netdev wlp7s0")).contains("siw");
        assertThat(terminal.fail("rdma link add rxe0 netdev wlp7s0")).contains("\"type\" is missing");
        assertThat(terminal.fail("rdma link delete rxe0")).contains("rxe0");
        assertThat(terminal.fail("rdma dev show rxe0")).contains("rxe0");
        assertThat(terminal.fail("rdma system")).contains("there is link, dev, statistic and resource");
        assertThat(terminal.fail("rdma resource show qp link rxe0")).contains("rxe0");
        assertThat(terminal.fail("rdma resource show qp rxe0")).contains("\"dev\" is missing");
    }

    @Test
    @Covers("TOOL-66")
    void idsOfRdmaCmAreListed() {
        terminal.type("rdma link add rxe0 type rxe netdev wlp7s0");
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("lqpn", 17);
        details.put("qp-type", "RC");
        details.put("state", "CONNECT");
        details.put("ps", "TCP");
        details.put("src-addr", "10.0.0.1:7471");
        details.put("dst-addr", "10.0.0.2:7471");
        Resource id = new Resource(ResourceKind.CM_ID, 3, new Owner(4711, "tester"), details);
        try (Context context = machine.rdma().device("rxe0").open(new Owner(4711, "tester"))) {
            context.addResources(() -> List.of(id));
            assertThat(terminal.type("rdma resource")).isEqualTo("0: rxe0: pd 0 cq 0 qp 0 cm_id 1 mr 0 ctx 1 srq 0");
            assertThat(terminal.type("rdma res show cm_id"))
                    .isEqualTo("link rxe0/1 cm-idn 3 lqpn 17 qp-type RC state CONNECT ps TCP pid 4711 comm tester"
                            + " src-addr 10.0.0.1:7471 dst-addr 10.0.0.2:7471");
        }
        assertThat(terminal.type("rdma res show cm_id")).isEmpty();
    }

    @Test
    @Covers("UVERBS-51")
    void theObjectsOfADeviceAreListedWithTheirOwners() {
        terminal.type("rdma link add rxe0 type rxe netdev wlp7s0");
        assertThat(terminal.type("rdma resource")).isEqualTo("0: rxe0: pd 0 cq 0 qp 0 cm_id 0 mr 0 ctx 0 srq 0");
        Owner owner = new Owner(4711, "tester");
        try (Context context = machine.rdma().device("rxe0").open(owner);
                ProtectionDomain pd = context.allocatePd();
                CompletionQueue cq = context.createCq(10);
                QueuePair qp = pd.createQp(QpInitAttributes.builder(cq).build());
                Arena arena = Arena.ofShared();
                MemoryRegion mr = pd.registerMemory(arena.allocate(100), Set.of())) {
            String pid = " pid 4711 comm tester";
            assertThat(terminal.type("rdma resource show rxe0"))
                    .isEqualTo("0: rxe0: pd 1 cq 1 qp 1 cm_id 0 mr 1 ctx 1 srq 0");
            assertThat(terminal.type("rdma resource show qp link rxe0/1"))
                    .isEqualTo("link rxe0/1 lqpn " + qp.qpn() + " type RC state RESET pdn 1 ctxn 1" + pid);
            assertThat(terminal.type("rdma res show cq"))
                    .isEqualTo("dev rxe0 cqn 1 cqe " + cq.capacity() + " users 2 ctxn 1" + pid);
            assertThat(terminal.type("rdma res show pd dev rxe0")).isEqualTo("dev rxe0 pdn 1 users 2 ctxn 1" + pid);
            assertThat(terminal.type("rdma res show mr"))
                    .isEqualTo("dev rxe0 mrn 1 rkey 0x" + Integer.toHexString(mr.rkey()) + " lkey 0x"
                            + Integer.toHexString(mr.lkey()) + " mrlen 100 pdn 1 ctxn 1" + pid);
            assertThat(terminal.type("rdma -j res show ctx"))
                    .isEqualTo("[{\"ifindex\":0,\"ifname\":\"rxe0\",\"ctxn\":1,\"pid\":4711,\"comm\":\"tester\"}]");
        }
        assertThat(terminal.type("rdma resource")).isEqualTo("0: rxe0: pd 0 cq 0 qp 0 cm_id 0 mr 0 ctx 0 srq 0");
    }
}
