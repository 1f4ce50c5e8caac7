// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.NanoClock;
import io.rdma4j.fabric.IbLinkProfile;
import io.rdma4j.ib.IbDevice;
import io.rdma4j.ib.IbFabric;
import io.rdma4j.ib.IbManager;
import io.rdma4j.ib.IbProvider;
import io.rdma4j.ib.topology.FabricTopologyParser;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.tools.cli.Tool;
import io.rdma4j.tools.diag.IbpingCommand;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.device.PortState;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The tools that read a subnet, on the fat tree of the documents. The expected text is that of infiniband-diags 44. */
@Timeout(60)
class DiagToolsTest {
    private static final String RED = "#c62828";
    private static final Path FAT_TREE = Path.of("..", "docs", "examples", "fat-tree.topo");

    private final NetLoop loop = new NetLoop(NanoClock.SYSTEM, ProgressMode.AUTOMATIC);
    private final IbFabric fabric = new IbFabric(loop);
    private final Host host = Host.create("Hca2");
    private IbManager manager;
    private IbDevice first;
    private StringWriter out = new StringWriter();
    private StringWriter err = new StringWriter();

    @BeforeEach
    void manage() throws IOException {
        loop.start("fabric");
        List<IbDevice> devices = FabricTopologyParser.parse("fat-tree", Files.readString(FAT_TREE))
                .build(fabric, IbLinkProfile.PLAIN);
        host.register(new IbProvider(List.of(devices.get(1))));
        first = devices.getFirst();
        manager = new IbManager(first, SubnetOptions.DEFAULT);
        while (!manager.isUp() || fabric.exclusively(() -> devices.get(1).port().state()) != PortState.ACTIVE) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    @AfterEach
    void close() {
        manager.close();
        host.close();
        fabric.close();
        loop.close();
    }

    private int exitCode(String... words) {
        return exitCode(host, words);
    }

    private int exitCode(Host at, String... words) {
        out = new StringWriter();
        err = new StringWriter();
        Supplier<Host> own = () -> at;
        List<Tool> tools = ToolTable.TABLE.stream()
                .map(tool -> new Tool(tool.name(), "", _ -> tool.maker().apply(own)))
                .toList();
        return new Main(tools, new PrintWriter(out, true), new PrintWriter(err, true)).run(words);
    }

    private String run(String... words) {
        assertThat(exitCode(words)).as("%s", err).isZero();
        return out.toString();
    }

    /** The manager leaves responses to other programs of its node. */
    @Test
    void toolsWorkAtTheNodeOfTheManager() {
        try (Host managing = Host.create("Hca1")) {
            managing.register(new IbProvider(List.of(first)));
            assertThat(exitCode(managing, "sminfo", "-D", "0")).as("%s", err).isZero();
            assertThat(out.toString()).contains("SMINFO_MASTER");
            assertThat(exitCode(managing, "smpquery", "nodedesc", "4"))
                    .as("%s", err)
                    .isZero();
        }
    }

    @Test
    @Covers({"TOOL-70", "MAD-1", "MAD-16"})
    void smpqueryPrintsAttributes() {
        assertThat(run("smpquery", "nodedesc", "4")).isEqualTo("Node Description:............................Hca4\n");
        assertThat(run("smpquery", "-D", "ni", "0,1"))
                .startsWith("# Node info: DR path slid 65535; dlid 65535; 0,1\nBaseVers:........................1\n")
                .contains(
                        "NodeType:........................Switch\n",
                        "Guid:............................0x0000000000200000\n");
        assertThat(run("smpquery", "portinfo", "4", "1"))
                .startsWith("# Port info: Lid 4 port 1\nMkey:............................<not displayed>\n")
                .contains("CapMask:.........................0x2240848\n\t\t\t\tIsTrapSupported\n")
                .contains("LinkWidthSupported:..............4X (IBA extension)\n")
                .contains("LinkState:.......................Active\n", "VLCap:...........................VL0-14\n")
                .endsWith("LinkSpeedExtEnabled:.............0\n");
        assertThat(run("smpquery", "-G", "nd", "0x100005")).endsWith(".Hca3\n");
        assertThat(run("smpquery", "-c", "nd", "5", "0,1")).endsWith(".Hca1\n");
        assertThat(run("smpquery", "gi", "3"))
                .startsWith("   0: 0x0000000000100005 0x0000000000000000\n")
                .endsWith("8 guids capacity for this port\n");
        assertThat(run("smpquery", "pkeys", "3"))
                .startsWith("   0: 0xffff 0x0000 ")
                .endsWith("pkeys capacity for this port\n");
        assertThat(run("smpquery", "sl2vl", "3")).contains("ports: in  0, out  0: | 0| 1|");
        assertThat(run("smpquery", "vlarb", "-D", "0,1", "1")).contains("LowCap 64 HighCap 64\n# Low priority");
        assertThat(run("smpquery", "--json", "si", "5")).startsWith("{\"LinearFdbCap\":");
    }

    @Test
    @Covers("TOOL-70")
    void failuresHaveTheTextAndExitCodeOfTheOriginals() {
        assertThat(exitCode("smpquery", "-e", "si", "1")).isEqualTo(255);
        assertThat(out.toString()).isEqualTo("smpquery: iberror: failed: operation si: switch info query failed\n");
        assertThat(err.toString()).contains("mad_rpc: MAD completed with error status 0xc; dport (Lid 1)");
        assertThat(exitCode("smpquery", "-t", "10", "ni", "40")).isEqualTo(255);
        assertThat(err.toString()).contains("mad_rpc: _do_madrpc failed; dport (Lid 40)");
        assertThat(exitCode("ibroute", "1")).isEqualTo(255);
        assertThat(out.toString()).isEqualTo("ibroute: iberror: failed: dump tables: not a switch\n");
        assertThat(exitCode("smpquery", "x", "1")).isEqualTo(2);
        assertThat(exitCode("smpquery", "ni", "0x10000")).isEqualTo(2);
        assertThat(exitCode("sminfo", "-C", "ib9")).isEqualTo(255);
        assertThat(out.toString()).contains("Failed to open 'ib9'");
    }

    @Test
    @Covers("TOOL-70")
    void sminfoAndPerfquery() {
        assertThat(run("sminfo"))
                .matches("sminfo: sm lid 1 sm guid 0x100001, activity count \\d+ priority 0 state 3 SMINFO_MASTER\n");
        assertThat(run("perfquery", "4", "1"))
                .matches("(?s)# Port counters: Lid 4 port 1 \\(CapMask: 0x[0-9A-F]+\\)\nPortSelect:\\.{22}1\n.*"
                        + "PortXmitWait:\\.{20}0\n");
        assertThat(run("perfquery", "-x", "5", "1")).contains("# Port extended counters: Lid 5 port 1 (CapMask: 0x");
        assertThat(run("perfquery", "-l", "-a", "5")).contains("Lid 5 port 1 ", "Lid 5 port 8 ");
        assertThat(run("perfquery", "-D", "5", "1"))
                .contains("# PortXmitDiscardDetails counters: Lid 5 port 1\n", "PortInactiveDiscards:............0\n");
        run("perfquery", "-R", "5", "2");
        assertThat(run("perfquery", "5", "2")).containsPattern("PortXmitPkts:\\.{20}\\d\n");
    }

    @Test
    @Covers({"TOOL-71", "TOOL-69"})
    void ibnetdiscoverPrintsATopologyThatIsRead() {
        String topology = run("ibnetdiscover", "-m");
        assertThat(topology)
                .startsWith("#\n# Topology file: generated on ")
                .contains("# Reported max hops discovered: 4\n# Total MADs used: 62\n")
                .contains("# Initiated from node 0000000000100002 port 0000000000100003\n\nvendid=0x0\n")
                .contains("""
                        switchguid=0x200001(200001)
                        Switch	8 "S-0000000000200001"		# "Leaf2" base port 0 lid 6 lmc 0
                        [1]	"H-0000000000100004"[1](100005) 		# "Hca3" lid 3 4xSDR
                        [2]	"H-0000000000100006"[1](100007) 		# "Hca4" lid 4 4xSDR
                        [5]	"S-0000000000200002"[2]		# "Spine1" lid 7 4xSDR
                        [6]	"S-0000000000200003"[2]		# "Spine2" lid 8 4xSDR
                        """)
                .contains("""
                        caguid=0x100006
                        Ca	1 "H-0000000000100006"		# "Hca4"
                        [1](100007) 	"S-0000000000200001"[2]		# lid 4 lmc 0 "Leaf2" lid 6 4xSDR
                        """);
        assertThat(FabricTopologyParser.parse("again", topology).nodes()).hasSize(8);
        assertThat(run("ibnetdiscover", "-H"))
                .startsWith("Ca\t : 0x0000000000100006 ports 1 devid 0x0 vendid 0x0 \"Hca4\"\n");
        assertThat(run("ibnetdiscover", "-p"))
                .contains(
                        "CA     4  1 0x0000000000100007 4x SDR - SW     6  2 0x0000000000200001 ( 'Hca4' - 'Leaf2' )\n");
        assertThat(run("ibnetdiscover", "-s")).contains("0,1,5,2 -> new Switch {0000000000200001} portnum 0 lid ");
        assertThat(run("ibnetdiscover", "--json")).contains("\"description\":\"Leaf2\"");
    }

    /** A request to a LID of no port is an error at the port of the switch by which it has come. */
    @Test
    void ibnetdiscoverDrawsTheSubnet(@TempDir Path directory) throws IOException {
        Path picture = directory.resolve("fabric.svg");
        assertThat(run("ibnetdiscover", "--svg", picture.toString())).isEmpty();
        List<String> lines = Files.readAllLines(picture);
        assertThat(lines)
                .filteredOn(line -> line.startsWith("<path"))
                .hasSize(8)
                .noneMatch(line -> line.contains(RED));
        assertThat(lines).filteredOn(line -> line.startsWith("<g>")).hasSize(8);
        assertThat(lines).anyMatch(line -> line.contains("<title>Hca1[1] - Leaf1[1] 4xSDR, "));
        assertThat(lines.getLast()).isEqualTo("</svg>");

        assertThat(exitCode("smpquery", "-t", "20", "nd", "99")).isNotZero();
        run("ibnetdiscover", "--svg", picture.toString());
        assertThat(Files.readAllLines(picture))
                .filteredOn(line -> line.contains(RED))
                .hasSize(1)
                .first()
                .asString()
                .contains("Hca2[1] - Leaf1[2]", "Leaf1 PortRcvSwitchRelayErrors");
    }

    @Test
    @Covers("TOOL-71")
    void iblinkinfoPrintsLinks() {
        assertThat(run("iblinkinfo")).contains("""
                        CA: Hca4:
                              0x0000000000100007      4    1[  ] ==( 4X           2.5 Gbps Active/  LinkUp)==>       6    2[  ] "Leaf2" ( )
                        """, """
                        Switch: 0x0000000000200001 Leaf2:
                                   6    1[  ] ==( 4X           2.5 Gbps Active/  LinkUp)==>       3    1[  ] "Hca3" ( )
                        """, """
                                   6    3[  ] ==(                Down/ Polling)==>             [  ] "" ( )
                        """);
        assertThat(run("iblinkinfo", "-l"))
                .contains("0x0000000000200001 \"                         Leaf2\"      6    1[  ]");
        assertThat(run("iblinkinfo", "-D", "0,1"))
                .startsWith("Switch: 0x0000000000200000 Leaf1:\n")
                .contains("\"Hca1\"");
        assertThat(run("iblinkinfo", "--cas-only", "--json")).contains("\"remoteNode\":\"Leaf2\"");
        assertThat(run("iblinkinfo", "-S", "0x200002")).startsWith("Switch: 0x0000000000200002 Spine1:\n");
    }

    @Test
    @Covers("TOOL-73")
    void ibqueryerrorsCountsBadPorts() {
        assertThat(run("ibqueryerrors")).isEqualTo("""

                        ## Summary: 8 nodes checked, 0 bad nodes found
                        ##          36 ports checked, 0 ports have errors beyond threshold
                        ## Thresholds:\s
                        ## Suppressed:
                        """);
        // A datagram for a port without a cable is discarded there.
        assertThat(exitCode("smpquery", "-t", "10", "-D", "ni", "0,1,8")).isEqualTo(255);
        assertThat(exitCode("ibqueryerrors", "--data", "-r", "-s", "PortRcvSwitchRelayErrors"))
                .isEqualTo(1);
        assertThat(out.toString())
                .contains("Errors for 0x200000 \"Leaf1\"\n   GUID 0x200000 port ALL: [PortXmitDiscards == 3]")
                .contains("\n   GUID 0x200000 port 8: [PortXmitDiscards == 3]\n       Link info:      5   8[  ] ==( ")
                .contains("## Suppressed: PortRcvSwitchRelayErrors\n");
        assertThat(run("ibqueryerrors", "--counters", "--ca")).contains("Data Counters for 0x100006 \"Hca4\"\n");
    }

    @Test
    @Covers("TOOL-73")
    void ibpingIsAnswered() throws InterruptedException {
        Thread server = Thread.ofPlatform().start(() -> exitCode("ibping", "-S"));
        Host peer = Host.create("Hca1");
        peer.register(new IbProvider(List.of(first)));
        StringWriter answer = new StringWriter();
        PrintWriter to = new PrintWriter(answer, true);
        try (peer) {
            int exit = 0;
            do { // until the server has registered its agent
                answer.getBuffer().setLength(0);
                exit = new IbpingCommand(() -> peer).run(new String[] {"-c", "1", "-t", "100", "2"}, to, to);
            } while (exit == 0 && !answer.toString().contains(" 1 received, 0% packet loss, time "));
            assertThat(answer.toString()).contains("Pong from ", " (Lid 2): time ", "rtt min/avg/max = ");
        } catch (Exception e) {
            throw new AssertionError(e);
        } finally {
            server.interrupt();
            server.join();
        }
    }

    @Test
    @Covers("TOOL-74")
    void saqueryPrintsRecords() {
        assertThat(run("saquery")).contains("""
                        NodeRecord dump:
                        \t\tlid.....................4
                        \t\treserved................0x0
                        \t\tbase_version............0x1
                        \t\tclass_version...........0x1
                        \t\tnode_type...............Channel Adapter
                        \t\tnum_ports...............1
                        \t\tsys_guid................0x0000000000100006
                        """).contains("\t\tNodeDescription.........Leaf2\n");
        assertThat(run("saquery", "-L", "Hca4")).isEqualTo("4\n");
        assertThat(run("saquery", "-O", "3")).isEqualTo("Hca3\n");
        assertThat(run("saquery", "-D"))
                .startsWith("   LID \"name\"\n================\n")
                .contains("     2  \"Hca2\"\n");
        assertThat(run("saquery", "PR", "--src-to-dst", "Hca2:4"))
                .startsWith("""
                        PathRecord dump:
                        \t\tservice_id..............0x0000000000000000
                        \t\tdgid....................fe80::10:7
                        \t\tsgid....................fe80::10:3
                        \t\tdlid....................4
                        \t\tslid....................2
                        """)
                .contains("\t\tmtu.....................0x85\n");
        assertThat(run("saquery", "LR", "1/1")).isEqualTo("""
                        LinkRecord dump:
                        \t\tFromLID....................1
                        \t\tFromPort...................1
                        \t\tToPort.....................1
                        \t\tToLID......................5
                        """);
        assertThat(run("saquery", "SMIR")).contains("\t\tSMInfo dump:\n\t\tGUID..................0x0000000000100001\n");
        assertThat(run("saquery", "-c")).startsWith("SA ClassPortInfo:\n\t\tBase version.............1\n");
        assertThat(run("saquery", "SWIR", "5", "--json")).contains("\"LID\":5");
    }

    @Test
    @Covers("TOOL-72")
    void ibrouteAndIbtracertReadTheTables() {
        assertThat(run("ibroute", "5")).startsWith("""
                        Unicast lids [0x0-0x8] of switch Lid 5 guid 0x0000000000200000 (Leaf1):
                          Lid  Out   Destination
                               Port     Info\s
                        0x0001 001 : (Channel Adapter portguid 0x0000000000100001: 'Hca1')
                        """).endsWith("8 valid lids dumped \n");
        assertThat(run("ibroute", "-a", "5")).contains("0x0000 255 : (path #0 - illegal port)\n", "9 lids dumped \n");
        assertThat(run("ibroute", "-M", "5"))
                .contains("     Ports: 0 1 2 3 4 5 6 7 8 \n MLid\n0 valid mlids dumped \n");
        assertThat(run("ibtracert", "1", "4")).isEqualTo("""
                        From ca {0x0000000000100000} portnum 1 lid 1-1 "Hca1"
                        [1] -> switch port {0x0000000000200000}[1] lid 5-5 "Leaf1"
                        [6] -> switch port {0x0000000000200003}[1] lid 8-8 "Spine2"
                        [2] -> switch port {0x0000000000200001}[6] lid 6-6 "Leaf2"
                        [2] -> ca port {0x0000000000100007}[1] lid 4-4 "Hca4"
                        To ca {0x0000000000100006} portnum 1 lid 4-4 "Hca4"
                        """);
        assertThat(run("ibtracert", "-n", "2", "1")).isEqualTo("""
                        From {0x0000000000100002}[1]
                        [1] -> {0x0000000000200000}[2]
                        [1] -> {0x0000000000100001}[1]
                        To {0x0000000000100000}[1]
                        """);
        assertThat(exitCode("ibtracert", "-m", "0xc000", "1", "4")).isEqualTo(255);
        assertThat(err.toString()).contains("get_route: can't find a multicast route from src to dest");
        manager.group(0xC000, Set.of(0x100001L, 0x100007L));
        while (!manager.isUp()) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(run("ibtracert", "-m", "0xc000", "1", "4"))
                .startsWith("From ca 0x100000 port 1 lid 1-1 \"Hca1\"\n[1] -> switch 0x200000[1] lid 5 \"Leaf1\"\n")
                .endsWith("To ca 0x100006 port 1 lid 4-4 \"Hca4\"\n");
        assertThat(run("ibroute", "-M", "5")).contains("\n0xc000        x ").endsWith("1 valid mlids dumped \n");
    }
}
