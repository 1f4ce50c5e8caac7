// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.links.LinkProfile;
import io.rdma4j.netlab.topology.Topology.Command;
import io.rdma4j.netlab.topology.Topology.End;
import io.rdma4j.netlab.topology.Topology.Kind;
import io.rdma4j.netlab.topology.Topology.Link;
import io.rdma4j.netlab.topology.Topology.Machine;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopologyParserTest {
    private static Topology parse(String text) {
        return TopologyParser.parse("net.topo", text);
    }

    @Test
    void machinesLinksAndCommandsAreInTheOrderOfTheFile() {
        Topology topology = parse("""
                # two hosts and a switch
                host a
                host b
                switch s

                link a/eth0 s delay 10us 2us loss 1%   # a bad cable
                link b/eth0 s mtu 4200
                a: ip addr add 10.0.0.1/24 dev eth0
                b: ip link set eth0 alias "to the switch"
                """);

        assertThat(topology.machines())
                .containsExactly(
                        new Machine("a", Kind.HOST), new Machine("b", Kind.HOST), new Machine("s", Kind.SWITCH));
        LinkProfile bad =
                LinkWords.PLAIN.withLatencyNs(10_000).withJitterNs(2_000).withLoss(0.01);
        assertThat(topology.links())
                .containsExactly(
                        new Link(new End("a", "eth0"), new End("s", "port0"), bad),
                        new Link(new End("b", "eth0"), new End("s", "port1"), LinkWords.PLAIN.withMtuBytes(4200)));
        assertThat(topology.commands())
                .containsExactly(
                        new Command("a", List.of("ip", "addr", "add", "10.0.0.1/24", "dev", "eth0"), 8),
                        new Command("b", List.of("ip", "link", "set", "eth0", "alias", "to the switch"), 9));
    }

    @Test
    void theWordsOfALinkAreThoseOfNetemInAnyOrder() {
        Topology topology = parse("""
                host a
                host b
                link a/x b/y limit 100 rate 1.5gbit corrupt 0.1% duplicate 2 reorder 25% mtu 9000 delay 1ms
                """);
        Link link = topology.links().getFirst();
        assertThat(link.profile())
                .isEqualTo(LinkWords.PLAIN
                        .withBandwidth(1_500_000_000L, 100)
                        .withCorruption(0.001)
                        .withDuplication(0.02)
                        .withReordering(0.25, LinkWords.PLAIN.reorderNs())
                        .withMtuBytes(9000)
                        .withLatencyNs(1_000_000));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            cable a b                  | "cable" is neither host, switch, link
            host                       | a host has a name and nothing else
            host a b                   | a host has a name and nothing else
            host a/b                   | "a/b" is no name
            host a                     | there is a "a" already
            link a/eth0                | a link has two ends
            link a b/eth0              | write "a/eth0"
            link a/eth0 c/eth0         | no host or switch "c"
            link a/eth0 s/port7        | write "s" alone
            link a/eth0 a/eth0         | a/eth0 has a link already
            link s s                   | round for ever
            link a/eth0 s mtu          | "mtu" wants a value
            link a/eth0 s mtu many     | mtu "many" is no number
            link a/eth0 s mtu 67       | mtu 67 is not in 68..65535
            link a/eth0 s delay        | "delay" wants a value
            link a/eth0 s delay 5      | "5" is no time: a number and one of ms, ns, s, us
            link a/eth0 s loss 101%    | "101%" is no percentage
            link a/eth0 s loss much    | begins with no number
            link a/eth0 s rate 5parsec | is no rate
            link a/eth0 s love 5%      | "love" is none of mtu, delay, loss
            c: ip link                 | no host or switch "c"
            s: ip link                 | s is a switch
            a:                         | a command is missing behind "a:"
            a: ip "link                | a quotation does not end
            """)
    void whatMakesNoSenseIsRefusedWithItsLine(String line, String reason) {
        String text = "host a\nhost b\nswitch s\n" + line;
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> parse(text))
                .withMessageContaining("net.topo:4: ")
                .withMessageContaining(reason)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }
}
