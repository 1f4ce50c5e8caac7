// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.filter;

import static io.rdma4j.ip.filter.Traffic.A;
import static io.rdma4j.ip.filter.Traffic.A6;
import static io.rdma4j.ip.filter.Traffic.B;
import static io.rdma4j.ip.filter.Traffic.B6;
import static io.rdma4j.ip.filter.Traffic.ETH0;
import static io.rdma4j.ip.filter.Traffic.ETH1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.RdmaException;
import io.rdma4j.net.address.IpPrefix;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.packet.FlowState;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.testing.ledger.Covers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FilterTableTest {
    private static final int UDP = 17;

    private final Traffic traffic = new Traffic();
    private final FilterTable table = new FilterTable("mangle", traffic.hooks, -150);

    @AfterEach
    void nothingIsLeaked() {
        traffic.pool.close();
        assertThat(traffic.pool.leaked()).isZero();
    }

    private static FilterRule rule(FilterMatch match, FilterAction action) {
        return new FilterRule(match, action);
    }

    @Test
    @Covers("SKB-74")
    void allThatEntersByOneDeviceIsMarkedBeforeItIsRoutedAndLaterRulesMatchTheMark() {
        table.append(HookPoint.PREROUTING, rule(FilterMatch.in("eth1"), FilterAction.mark(0x1234)));
        FilterRule dropped = rule(FilterMatch.mark(0x1234), FilterAction.drop());
        table.append(HookPoint.INPUT, dropped);

        SkBuff marked = traffic.udp(A, 1, B, 2);
        assertThat(traffic.pass(HookPoint.PREROUTING, marked, ETH1, null)).isTrue();
        assertThat(marked.marks().mark()).isEqualTo(0x1234);
        SkBuff other = traffic.udp(A, 1, B, 2);
        assertThat(traffic.pass(HookPoint.PREROUTING, other, ETH0, null)).isTrue();
        assertThat(other.marks().mark()).isZero();

        assertThat(traffic.pass(HookPoint.INPUT, marked, ETH1, null)).isFalse();
        assertThat(traffic.pass(HookPoint.INPUT, other, ETH0, null)).isTrue();
        assertThat(dropped.packets()).isEqualTo(1);
        assertThat(dropped.bytes()).isEqualTo(44);
        other.free();
    }

    @Test
    @Covers("SKB-74")
    void someBitsOfAMarkAreSetAndMatched() {
        table.append(HookPoint.OUTPUT, rule(FilterMatch.all(), FilterAction.mark(0xF0, 0xFF)));
        table.append(HookPoint.OUTPUT, rule(FilterMatch.mark(0xA00, 0xF00), FilterAction.label(7)));
        SkBuff skb = traffic.udp(A, 1, B, 2);
        skb.marks().mark(0xA0F);
        traffic.pass(HookPoint.OUTPUT, skb, null, ETH0);
        assertThat(skb.marks().mark()).isEqualTo(0xAF0);
        assertThat(skb.marks().secmark()).isEqualTo(7);
        skb.free();
    }

    @Test
    @Covers({"SKB-70", "SKB-72"})
    void aRuleLabelsPacketsAndAnotherMatchesTheLabel() {
        table.append(HookPoint.INPUT, rule(FilterMatch.destinationPort(4791, 4791), FilterAction.label(0xCAFE)));
        table.append(HookPoint.INPUT, rule(FilterMatch.label(0xCAFE).not(), FilterAction.drop()));
        SkBuff labelled = traffic.udp(A, 1, B, 4791);
        assertThat(traffic.pass(HookPoint.INPUT, labelled, ETH0, null)).isTrue();
        assertThat(labelled.marks().secmark()).isEqualTo(0xCAFE);
        labelled.marks().initSecmark();
        labelled.free();
        assertThat(traffic.pass(HookPoint.INPUT, traffic.udp(A, 1, B, 4792), ETH0, null))
                .isFalse();
    }

    @Test
    void theFirstRuleThatDecidesDecidesAndThenThePolicy() {
        FilterRule accept = rule(FilterMatch.source(IpPrefix.of(A)), FilterAction.accept());
        FilterRule never = rule(FilterMatch.source(IpPrefix.of(A)), FilterAction.drop());
        table.append(HookPoint.FORWARD, accept);
        table.append(HookPoint.FORWARD, never);
        table.policy(HookPoint.FORWARD, FilterVerdict.DROP);
        SkBuff skb = traffic.udp(A, 1, B, 2);
        assertThat(traffic.pass(HookPoint.FORWARD, skb, ETH0, ETH1)).isTrue();
        assertThat(never.packets()).isZero();
        skb.free();
        assertThat(traffic.pass(HookPoint.FORWARD, traffic.udp(B, 1, A, 2), ETH0, ETH1))
                .as("the policy")
                .isFalse();
        table.delete(HookPoint.FORWARD, accept);
        assertThat(table.rules(HookPoint.FORWARD)).containsExactly(never);
        assertThatThrownBy(() -> table.policy(HookPoint.INPUT, FilterVerdict.CONTINUE))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void withoutRulesNobodyLooksAtPackets() {
        assertThat(traffic.hooks.isWatched(HookPoint.INPUT)).isFalse();
        FilterRule rule = rule(FilterMatch.all(), FilterAction.accept());
        table.append(HookPoint.INPUT, rule);
        table.append(HookPoint.INPUT, rule(FilterMatch.all(), FilterAction.accept()));
        assertThat(traffic.hooks.isWatched(HookPoint.INPUT)).isTrue();
        table.flush(HookPoint.INPUT);
        assertThat(traffic.hooks.isWatched(HookPoint.INPUT)).isFalse();
        table.policy(HookPoint.INPUT, FilterVerdict.DROP);
        assertThat(traffic.hooks.isWatched(HookPoint.INPUT)).isTrue();
    }

    static Stream<Arguments> matches() {
        return Stream.of(
                Arguments.of("in", FilterMatch.in("eth0"), true),
                Arguments.of("in another", FilterMatch.in("eth1"), false),
                Arguments.of("out", FilterMatch.out("eth1"), true),
                Arguments.of("out another", FilterMatch.out("eth0"), false),
                Arguments.of("protocol", FilterMatch.protocol(UDP), true),
                Arguments.of("another protocol", FilterMatch.protocol(6), false),
                Arguments.of("source", FilterMatch.source(IpPrefix.parse("2001:db8::/32")), true),
                Arguments.of("another source", FilterMatch.source(IpPrefix.parse("2001:db8::2/127")), false),
                Arguments.of("IPv4", FilterMatch.source(IpPrefix.ALL_IPV4), false),
                Arguments.of("destination", FilterMatch.destination(IpPrefix.of(B6)), true),
                Arguments.of("another destination", FilterMatch.destination(IpPrefix.of(A6)), false),
                Arguments.of("source port", FilterMatch.sourcePort(1000, 1000), true),
                Arguments.of("below", FilterMatch.sourcePort(1001, 65535), false),
                Arguments.of("destination port", FilterMatch.destinationPort(1999, 2000), true),
                Arguments.of("above", FilterMatch.destinationPort(0, 1999), false),
                Arguments.of("state", FilterMatch.state(FlowState.NEW, FlowState.UNTRACKED), true),
                Arguments.of("another state", FilterMatch.state(FlowState.ESTABLISHED), false),
                Arguments.of("both", FilterMatch.in("eth0").and(FilterMatch.out("eth1")), true),
                Arguments.of("one of both", FilterMatch.in("eth0").and(FilterMatch.out("eth0")), false),
                Arguments.of("not", FilterMatch.in("eth0").not(), false));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("matches")
    void aRuleIsForPacketsThatItMatches(String name, FilterMatch match, boolean expected) {
        FilterRule rule = rule(match, FilterAction.accept());
        table.append(HookPoint.FORWARD, rule);
        SkBuff skb = traffic.udp(A6, 1000, B6, 2000);
        traffic.pass(HookPoint.FORWARD, skb, ETH0, ETH1);
        assertThat(rule.packets()).as(name).isEqualTo(expected ? 1 : 0);
        skb.free();
    }

    @Test
    void whatIsNoIpPacketMatchesNoAddressAndWrongPortsAreRefused() {
        FilterRule rule = rule(FilterMatch.source(IpPrefix.ALL_IPV4), FilterAction.accept());
        table.append(HookPoint.INGRESS, rule);
        SkBuff skb = traffic.udp(A, 1, B, 2);
        skb.meta().protocol(0x0806);
        traffic.pass(HookPoint.INGRESS, skb, ETH0, null);
        assertThat(rule.packets()).isZero();
        skb.free();
        assertThatThrownBy(() -> FilterMatch.sourcePort(5, 4)).isInstanceOf(RdmaException.class);
        assertThatThrownBy(() -> FilterMatch.destinationPort(0, 65536)).isInstanceOf(RdmaException.class);
    }

    @Test
    @Covers({"SKB-51", "SKB-52"})
    void eachStageTellsOfAPacketThatIsTracedUntilItIsNot(@TempDir Path directory) throws IOException {
        table.append(HookPoint.PREROUTING, rule(FilterMatch.sourcePort(7, 7), FilterAction.trace()));
        table.append(HookPoint.INPUT, rule(FilterMatch.mark(5), FilterAction.drop()));
        table.append(HookPoint.OUTPUT, rule(FilterMatch.all(), FilterAction.endTrace()));
        List<String> stages = recorded(directory, () -> {
            SkBuff traced = traffic.udp(A, 7, B, 2);
            SkBuff other = traffic.udp(A, 8, B, 2);
            for (SkBuff skb : List.of(traced, other)) {
                traffic.pass(HookPoint.PREROUTING, skb, ETH0, null);
                traffic.pass(HookPoint.FORWARD, skb, ETH0, ETH1);
                traffic.pass(HookPoint.OUTPUT, skb, ETH0, ETH1);
                traffic.pass(HookPoint.POSTROUTING, skb, ETH0, ETH1);
                skb.marks().mark(5);
                skb.marks().trace(skb == traced);
                traffic.pass(HookPoint.INPUT, skb, ETH0, null);
            }
        });
        assertThat(stages)
                .containsExactly(
                        "mangle PREROUTING policy: ACCEPT in eth0 out null mark 0",
                        "FORWARD in eth0 out eth1 mark 0",
                        "OUTPUT in eth0 out eth1 mark 0",
                        "INPUT in eth0 out null mark 5",
                        "mangle INPUT rule 1: DROP in eth0 out null mark 5");
    }

    private static List<String> recorded(Path directory, Runnable work) throws IOException {
        Path file = directory.resolve("trace.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("rdma4j.PacketTrace");
            recording.start();
            work.run();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("rdma4j.PacketTrace"))
                .peek(event -> assertThat(event.getString("packet"))
                        .isEqualTo("protocol 17 " + A + " port 7 > " + B + " port 2"))
                .map(FilterTableTest::describe)
                .toList();
    }

    private static String describe(RecordedEvent event) {
        return event.getString("stage") + " in " + event.getString("in") + " out " + event.getString("out") + " mark "
                + event.getInt("mark");
    }

    @Test
    void filteringAllocatesNothing() {
        table.append(
                HookPoint.INPUT,
                rule(FilterMatch.in("eth0").and(FilterMatch.destinationPort(2, 2)), FilterAction.mark(1)));
        table.append(
                HookPoint.INPUT, rule(FilterMatch.state(FlowState.NEW, FlowState.ESTABLISHED), FilterAction.drop()));
        SkBuff skb = traffic.udp(A, 1, B, 2);
        assertThat(AllocatedBytes.inSteadyState(() -> {
                    for (int i = 0; i < 10_000; i++) {
                        traffic.pass(HookPoint.INPUT, skb, ETH0, null);
                    }
                }))
                .isZero();
        assertThat(skb.marks().mark()).isEqualTo(1);
        skb.free();
    }
}
