// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.filter;

import static io.rdma4j.ip.filter.Traffic.A;
import static io.rdma4j.ip.filter.Traffic.A6;
import static io.rdma4j.ip.filter.Traffic.B;
import static io.rdma4j.ip.filter.Traffic.B6;
import static io.rdma4j.ip.filter.Traffic.ETH0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Gid;
import io.rdma4j.net.skb.FlowHash;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.packet.FlowState;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.testing.ledger.Covers;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlowTrackerTest {
    private static final FlowTimeouts TIMEOUTS = new FlowTimeouts(30, 120, 40, 1000, 35);
    private static final int CAPACITY = 4;

    private final Traffic traffic = new Traffic();
    private long nowNs;
    private final FlowTracker tracker = new FlowTracker(() -> nowNs, CAPACITY, TIMEOUTS, new FlowHash(3));

    FlowTrackerTest() {
        tracker.install(traffic.hooks);
    }

    @AfterEach
    void nothingIsLeaked() {
        traffic.pool.close();
        assertThat(traffic.pool.leaked()).isZero();
    }

    private @Nullable FlowEntry entry;

    /** Passes a packet through the hooks of a received packet for this host, and returns the state of its flow. */
    private FlowState receive(SkBuff skb) {
        assertThat(traffic.pass(HookPoint.PREROUTING, skb, ETH0, null)).isTrue();
        FlowState state = skb.marks().flowState();
        entry = (FlowEntry) skb.marks().flow();
        if (traffic.pass(HookPoint.INPUT, skb, ETH0, null)) {
            skb.free();
        }
        return state;
    }

    private FlowState send(SkBuff skb) {
        traffic.pass(HookPoint.OUTPUT, skb, null, ETH0);
        FlowState state = skb.marks().flowState();
        entry = (FlowEntry) skb.marks().flow();
        if (traffic.pass(HookPoint.POSTROUTING, skb, null, ETH0)) {
            skb.free();
        }
        return state;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Covers({"SKB-44", "SKB-45", "SKB-46"})
    void aFlowIsNewUntilSomebodyAnswers(boolean v6) {
        Gid a = v6 ? A6 : A;
        Gid b = v6 ? B6 : B;
        assertThat(receive(traffic.udp(a, 1000, b, 2000))).isEqualTo(FlowState.NEW);
        FlowEntry first = Objects.requireNonNull(entry);
        assertThat(first.source()).isEqualTo(a);
        assertThat(first.destination()).isEqualTo(b);
        assertThat(first.sourcePort()).isEqualTo(1000);
        assertThat(first.destinationPort()).isEqualTo(2000);
        assertThat(receive(traffic.udp(a, 1000, b, 2000))).isEqualTo(FlowState.NEW);
        assertThat(entry).as("the same flow").isSameAs(first);
        assertThat(send(traffic.udp(b, 2000, a, 1000))).isEqualTo(FlowState.ESTABLISHED);
        assertThat(entry).isSameAs(first);
        assertThat(receive(traffic.udp(a, 1000, b, 2000))).isEqualTo(FlowState.ESTABLISHED);
        assertThat(first.isAnswered()).isTrue();
        assertThat(first.packets()).isEqualTo(4);
        assertThat(tracker.flows()).isEqualTo(1);
        assertThat(receive(traffic.udp(a, 1001, b, 2000))).as("another port").isEqualTo(FlowState.NEW);
        assertThat(entry).isNotSameAs(first);
    }

    @Test
    @Covers({"SKB-44", "SKB-45"})
    void anErrorAboutAPacketOfAFlowIsRelatedToIt() {
        send(traffic.udp(A, 1000, B, 2000));
        FlowEntry flow = Objects.requireNonNull(entry);
        Gid router = Gid.ofIpv4(0x0A0000FE);
        assertThat(receive(traffic.error(router, A, 3, traffic.udp(A, 1000, B, 2000))))
                .isEqualTo(FlowState.RELATED);
        assertThat(entry).isSameAs(flow);
        assertThat(receive(traffic.error(router, A, 11, traffic.udp(A, 1000, B, 2001))))
                .as("about nothing that we know")
                .isEqualTo(FlowState.UNTRACKED);
        assertThat(entry).isNull();
        assertThat(flow.isAnswered()).as("an error is no answer").isFalse();

        send(traffic.udp(A6, 1000, B6, 2000));
        FlowEntry flow6 = entry;
        assertThat(receive(traffic.error(B6, A6, 1, traffic.udp(A6, 1000, B6, 2000))))
                .isEqualTo(FlowState.RELATED);
        assertThat(entry).isSameAs(flow6);
    }

    @Test
    @Covers("SKB-44")
    void anEchoIsAnsweredByTheReplyWithItsIdentifier() {
        assertThat(send(traffic.icmp(A, B, 8, 77))).isEqualTo(FlowState.NEW);
        assertThat(receive(traffic.icmp(B, A, 0, 78))).isEqualTo(FlowState.NEW);
        assertThat(receive(traffic.icmp(B, A, 0, 77))).isEqualTo(FlowState.ESTABLISHED);
        assertThat(send(traffic.icmp(A6, B6, 128, 5))).isEqualTo(FlowState.NEW);
        assertThat(receive(traffic.icmp(B6, A6, 129, 5))).isEqualTo(FlowState.ESTABLISHED);
        assertThat(receive(traffic.icmp(B6, A6, 135, 5)))
                .as("neighbour discovery is no flow")
                .isEqualTo(FlowState.UNTRACKED);
    }

    @Test
    void aFlowIsForgottenSomeTimeAfterItsLastPacket() {
        receive(traffic.udp(A, 1000, B, 2000));
        nowNs += 29;
        receive(traffic.udp(A, 1000, B, 2000));
        nowNs += 29;
        FlowEntry first = entry;
        send(traffic.udp(B, 2000, A, 1000));
        assertThat(entry).isSameAs(first);
        nowNs += 119;
        assertThat(receive(traffic.udp(A, 1000, B, 2000)))
                .as("an answered one stays longer")
                .isEqualTo(FlowState.ESTABLISHED);
        nowNs += 120;
        assertThat(receive(traffic.udp(A, 1000, B, 2000))).isEqualTo(FlowState.NEW);
        assertThat(entry).isNotSameAs(first);
    }

    @Test
    void aFlowWhoseFirstPacketIsDroppedIsNotRemembered() {
        FilterTable table = new FilterTable("filter", traffic.hooks, 0);
        table.append(HookPoint.INPUT, new FilterRule(FilterMatch.state(FlowState.NEW), FilterAction.drop()));
        receive(traffic.udp(A, 1000, B, 2000));
        assertThat(tracker.flows()).isZero();
        send(traffic.udp(B, 2000, A, 1000));
        assertThat(receive(traffic.udp(A, 1000, B, 2000)))
                .as("who is asked may answer")
                .isEqualTo(FlowState.ESTABLISHED);
    }

    @Test
    void aFullTableForgetsWhatNobodyAnsweredAndThenDrops() {
        for (int i = 0; i < CAPACITY; i++) {
            receive(traffic.udp(A, 1000 + i, B, 2000));
            if (i > 0) {
                send(traffic.udp(B, 2000, A, 1000 + i));
            }
        }
        assertThat(tracker.flows()).isEqualTo(CAPACITY);
        receive(traffic.udp(A, 2000, B, 2000));
        assertThat(tracker.full()).as("the unanswered one went").isZero();
        send(traffic.udp(B, 2000, A, 2000));
        receive(traffic.udp(A, 2001, B, 2000));
        assertThat(tracker.full()).isEqualTo(1);
        assertThat(tracker.flows()).isEqualTo(CAPACITY);
        nowNs += 120;
        receive(traffic.udp(A, 2001, B, 2000));
        assertThat(tracker.full()).as("all others have expired").isEqualTo(1);
    }

    @Test
    void twoFirstPacketsOfOneFlowMakeOneEntry() {
        SkBuff one = traffic.udp(A, 1, B, 2);
        SkBuff two = traffic.udp(A, 1, B, 2);
        traffic.pass(HookPoint.PREROUTING, one, ETH0, null);
        traffic.pass(HookPoint.PREROUTING, two, ETH0, null);
        traffic.pass(HookPoint.INPUT, one, ETH0, null);
        traffic.pass(HookPoint.INPUT, two, ETH0, null);
        assertThat(tracker.flows()).isEqualTo(1);
        assertThat(two.marks().flow()).isSameAs(one.marks().flow());
        one.free();
        two.free();
    }

    @Test
    @Covers("SKB-49")
    void whatALoadBalancerHasTakenIsNoFlowOfThisHost() {
        FilterTable balancer = new FilterTable("ipvs", traffic.hooks, FlowTracker.PRIORITY - 1);
        balancer.append(
                HookPoint.PREROUTING, new FilterRule(FilterMatch.destinationPort(80, 80), FilterAction.balanced()));
        SkBuff skb = traffic.udp(A, 1000, B, 80);
        traffic.pass(HookPoint.PREROUTING, skb, ETH0, null);
        assertThat(skb.marks().ipvsProperty()).isTrue();
        assertThat(skb.marks().flow()).isNull();
        assertThat(skb.marks().flowState()).isEqualTo(FlowState.UNTRACKED);
        traffic.pass(HookPoint.INPUT, skb, ETH0, null);
        assertThat(tracker.flows()).isZero();
        skb.free();
        assertThat(receive(traffic.udp(A, 1000, B, 81))).isEqualTo(FlowState.NEW);
    }

    @Test
    @Covers("SKB-46")
    void aPacketIsLookedUpOnceUntilItIsTakenOutOfItsFlow() {
        SkBuff skb = traffic.udp(A, 1, B, 2);
        traffic.pass(HookPoint.PREROUTING, skb, ETH0, null);
        FlowEntry first = (FlowEntry) Objects.requireNonNull(skb.marks().flow());
        traffic.pass(HookPoint.OUTPUT, skb, ETH0, null);
        assertThat(first.packets()).isEqualTo(1);
        skb.marks().resetFlow();
        traffic.pass(HookPoint.OUTPUT, skb, ETH0, null);
        assertThat(skb.marks().flow()).as("never confirmed, so begun anew").isNotSameAs(first);
        skb.free();
    }

    @Test
    void removedItLooksAtNothing() {
        tracker.remove(traffic.hooks);
        assertThat(receive(traffic.udp(A, 1, B, 2))).isEqualTo(FlowState.UNTRACKED);
        assertThatThrownBy(() -> new FlowTracker(() -> 0, 0, TIMEOUTS, new FlowHash(3)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void followingAKnownFlowAllocatesNothing() {
        receive(traffic.udp(A, 1, B, 2));
        SkBuff skb = traffic.udp(B, 2, A, 1);
        assertThat(AllocatedBytes.inSteadyState(() -> {
                    for (int i = 0; i < 10_000; i++) {
                        skb.marks().resetFlow();
                        traffic.pass(HookPoint.OUTPUT, skb, null, ETH0);
                        traffic.pass(HookPoint.POSTROUTING, skb, null, ETH0);
                    }
                }))
                .isZero();
        assertThat(skb.marks().flowState()).isEqualTo(FlowState.ESTABLISHED);
        skb.free();
    }
}
