// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.RdmaException;
import io.rdma4j.fabric.LinkModes;
import io.rdma4j.ib.topology.FabricTopology.Cable;
import io.rdma4j.ib.topology.FabricTopology.End;
import io.rdma4j.ib.topology.FabricTopology.Node;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FabricTopologyParserTest {
    private static final String HOSTS = "\n\nHca 1 \"a\"\n\nHca 2 \"b\"\n";

    @Test
    void aFileOfIbsimListsNodesAndCables() {
        FabricTopology topology = FabricTopologyParser.parse("t", """
                # comment
                Switch 8 "leaf"   # anything
                [1] "a"[1]        w=3 s=7
                [2] "b"

                Hca 1 "a"
                [1] "leaf"[1]

                Hca 2 "b"
                """);
        assertThat(topology.nodes())
                .containsExactly(new Node("leaf", true, 8, 0), new Node("a", false, 1, 0), new Node("b", false, 2, 0));
        assertThat(topology.cables())
                .containsExactly(
                        new Cable(new End("leaf", 1), new End("a", 1)), new Cable(new End("leaf", 2), new End("b", 1)));
    }

    @Test
    void theOutputOfIbnetdiscoverIsATopology() {
        FabricTopology topology = FabricTopologyParser.parse("t", """
                #
                # Topology file: generated on Sat Jan  3 10:00:00 2026
                #

                vendid=0x0
                devid=0x0
                sysimgguid=0x200001
                switchguid=0x200001(200001)
                Switch\t8 "S-0000000000200001"\t\t# "Leaf 2" base port 0 lid 3 lmc 0
                [1]\t"H-0000000000100004"[1](100005) \t\t# "Hca3" lid 7 4xSDR

                caguid=0x100004
                Ca\t1 "H-0000000000100004"\t\t# "Hca3"
                [1](100005) \t"S-0000000000200001"[1]\t\t# lid 7 lmc 0 "Leaf 2" lid 3 4xSDR
                """);
        assertThat(topology.nodes())
                .containsExactly(new Node("Leaf 2", true, 8, 0x200001), new Node("Hca3", false, 1, 0x100004));
        assertThat(topology.cables()).containsExactly(new Cable(new End("Leaf 2", 1), new End("Hca3", 1)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    Router 4 "r"                        | t:1: a node is a Switch, Hca or Ca, not a Router
                    Swich "leaf"                        | t:1: 'Swich "leaf"' is neither a node
                    Switch 255 "leaf"                   | t:1: a node has 1 to 254 ports
                    Switch 4 "a"                        | t:3: there is a node "a" already
                    [1] "a"[1]                          | t:1: a port follows the line of its node
                    Switch 4 "s"%[0] "a"[1]             | t:2: "s" has a port 1 to 4, not 0
                    Switch 4 "s"%[5] "a"[1]             | t:2: "s" has a port 1 to 4, not 5
                    Switch 4 "s"%[1] "c"[1]             | t:2: there is no node "c"
                    Switch 4 "s"%[1] "b"[2]             | t:2: "b" has a usable port 1 only, not 2
                    Switch 4 "s"%[1] "a"[1]%[1] "b"[1]  | t:3: port 1 of "s" has a cable already
                    Switch 4 "s"%[1] "a"[1]%[2] "a"[1]  | t:3: port 1 of "a" has a cable already
                    Switch 4 "s"%[1] "s"[1]             | t:2: a cable from a port to itself
                    Switch 4 "s"%[1] "s"[2]%[2] "a"[1]  | t:2: port 2 of "s" leads elsewhere in line 3
                    Switch 4 "s"%[1] a                  | t:2: '[1] a' is no port
                    Switch 4 "s"%[1] "a"[1] w=64        | t:2: a port has widths w=1..31
                    Switch 4 "s"%[1] "a"[1] s=9         | t:2: a port has widths w=1..31
                    Hca 1 "a b"                         | t:1: "a b" is no name of a device
                    Switch 99999999999 "s"              | t:1: 99999999999 is too large
                    """)
    void anErrorHasLineAndReason(String lines, String message) {
        String text = lines.replace('%', '\n') + HOSTS;
        assertThatThrownBy(() -> FabricTopologyParser.parse("t", text))
                .isInstanceOf(RdmaException.class)
                .hasMessageContaining(message);
    }

    /** The bits of ibsim, the rate that ibnetdiscover prints, and defaults for the lines that follow. */
    @Test
    void aPortHasWidthsAndSpeeds() {
        FabricTopology topology = FabricTopologyParser.parse("t", """
                Switch 8 "leaf"
                [1] "a"[1]        w=3 s=7 e=1
                [2] "b"[1]\t\t# "b" lid 7 4xSDR
                [3] "c"[1] # "w=1" lid 8 12xEDR
                width=1
                speed=0
                [4] "d"

                Hca 1 "a"
                [1] "leaf"[1]\t\t# lid 3 lmc 0 "leaf" lid 1 4xQDR

                Hca 1 "b"

                Hca 1 "c"

                Hca 1 "d"
                """);
        LinkModes small = new LinkModes(1, 4, 0);
        assertThat(topology.modes())
                .containsOnly(
                        Map.entry(new End("leaf", 1), new LinkModes(3, 7, 1)),
                        Map.entry(new End("a", 1), new LinkModes(2, 7, 0)),
                        Map.entry(new End("leaf", 3), new LinkModes(8, 7, 3)),
                        Map.entry(new End("c", 1), new LinkModes(8, 7, 3)),
                        Map.entry(new End("leaf", 4), small),
                        Map.entry(new End("d", 1), small));
    }

    @Test
    void otherFilesAreNotRecognized() {
        assertThat(FabricTopologyParser.recognizes("host a\nhost b\nlink a/eth0 b/eth0\n"))
                .isFalse();
        assertThat(FabricTopologyParser.recognizes("# x\n\nHca 1 \"a\"\n")).isTrue();
    }
}
