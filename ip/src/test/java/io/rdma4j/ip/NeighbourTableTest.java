// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import static io.rdma4j.ip.LinkBench.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.ip.neighbour.NeighbourSettings;
import io.rdma4j.ip.neighbour.NeighbourState;
import io.rdma4j.ip.neighbour.NeighbourTable;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.LoopbackDevice;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.wire.ip.Arp;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The neighbour table, driven by ARP and by packets to IPv4 addresses. */
class NeighbourTableTest {
    private static final String QUESTION = "ff:ff:ff:ff:ff:ff ARP who has 10.0.0.2? tell 10.0.0.1";
    private static final String UNICAST_QUESTION = "02:00:00:00:00:02 ARP who has 10.0.0.2? tell 10.0.0.1";
    private static final String TO_PEER = "02:00:00:00:00:02 packet ";
    private static final String TO_THIRD = "02:00:00:00:00:03 packet ";
    private static final int HEADERS = 28;
    private static final int QUEUE = 3;
    private static final int CAPACITY = 4;

    private final LinkBench bench = new LinkBench(settings());
    private final NeighbourTable table = bench.table;

    /** Times and counts of Linux, but a short queue and a small table. */
    private static NeighbourSettings settings() {
        NeighbourSettings linux = NeighbourSettings.DEFAULT;
        return new NeighbourSettings(
                linux.reachableNs(),
                linux.retransmitNs(),
                linux.delayNs(),
                linux.lockNs(),
                linux.unicastProbes(),
                linux.multicastProbes(),
                QUEUE,
                CAPACITY);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private void becomeReachable() {
        bench.send(PEER_V4, 1);
        bench.answerArp();
        bench.heard();
        assertThat(bench.state(PEER_V4)).isEqualTo(NeighbourState.REACHABLE);
    }

    private void becomeStale() {
        becomeReachable();
        bench.pass(30_000);
        assertThat(bench.state(PEER_V4)).isEqualTo(NeighbourState.STALE);
    }

    @Test
    void packetsToAnUnknownStationWaitForTheAnswerAndAreSentInTheirOrder() {
        bench.send(PEER_V4, 1);
        bench.send(PEER_V4, 2);
        assertThat(bench.heard()).as("one question for both").containsExactly(QUESTION);
        assertThat(bench.state(PEER_V4)).isEqualTo(NeighbourState.INCOMPLETE);
        bench.answerArp();
        assertThat(bench.state(PEER_V4)).isEqualTo(NeighbourState.REACHABLE);
        bench.send(PEER_V4, 3);
        assertThat(bench.heard())
                .containsExactly(TO_PEER + (HEADERS + 1), TO_PEER + (HEADERS + 2), TO_PEER + (HEADERS + 3));
        assertThat(table.unresolved()).isZero();
    }

    @Test
    void whoDoesNotAnswerIsAskedThreeTimesASecondApartAndThenThePacketsAreDropped() {
        bench.send(PEER_V4, 1);
        bench.pass(999);
        assertThat(bench.heard()).containsExactly(QUESTION);
        bench.pass(1);
        assertThat(bench.heard()).containsExactly(QUESTION);
        bench.pass(1_000);
        assertThat(bench.heard()).containsExactly(QUESTION);
        assertThat(table.unresolved()).isZero();
        bench.pass(1_000);
        assertThat(bench.heard()).isEmpty();
        assertThat(bench.state(PEER_V4)).isEqualTo(NeighbourState.FAILED);
        assertThat(table.failed()).isEqualTo(1);
        assertThat(table.unresolved()).isEqualTo(1);
        assertThat(table.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
        bench.send(PEER_V4, 1);
        assertThat(bench.heard()).as("the next packet asks again").containsExactly(QUESTION);
    }

    @Test
    void theOldestPacketThatWaitsMakesRoom() {
        for (int i = 1; i <= QUEUE + 1; i++) {
            bench.send(PEER_V4, i);
        }
        assertThat(table.unresolved()).isEqualTo(1);
        bench.heard();
        bench.answerArp();
        assertThat(bench.heard())
                .containsExactly(TO_PEER + (HEADERS + 2), TO_PEER + (HEADERS + 3), TO_PEER + (HEADERS + 4));
    }

    @Test
    void aStationThatIsNotUsedGetsStaleWithoutAQuestion() {
        becomeReachable();
        bench.pass(29_999);
        assertThat(bench.state(PEER_V4)).isEqualTo(NeighbourState.REACHABLE);
        bench.pass(1);
        assertThat(bench.state(PEER_V4)).isEqualTo(NeighbourState.STALE);
        assertThat(bench.heard()).isEmpty();
        assertThat(table.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
    }

    @Test
    void aStaleStationIsSentToAndAskedWhereItWasFiveSecondsLater() {
        becomeStale();
        bench.send(PEER_V4, 1);
        assertThat(bench.state(PEER_V4)).isEqualTo(NeighbourState.DELAY);
        assertThat(bench.heard()).containsExactly(TO_PEER + (HEADERS + 1));
        bench.pass(5_000);
        assertThat(bench.state(PEER_V4)).isEqualTo(NeighbourState.PROBE);
        assertThat(bench.heard()).containsExactly(UNICAST_QUESTION);
        bench.answerArp();
        assertThat(bench.state(PEER_V4)).isEqualTo(NeighbourState.REACHABLE);
    }

    @Test
    void aStationInUseIsAskedWhenItsTimeIsOverAndIsLostIfItNoLongerAnswers() {
        becomeReachable();
        bench.pass(28_000);
        bench.send(PEER_V4, 1);
        bench.heard();
        bench.pass(2_000);
        assertThat(bench.state(PEER_V4)).isEqualTo(NeighbourState.DELAY);
        bench.pass(5_000 + 2_999);
        assertThat(bench.heard()).containsExactly(UNICAST_QUESTION, UNICAST_QUESTION, UNICAST_QUESTION);
        bench.send(PEER_V4, 1);
        assertThat(bench.heard()).as("packets go there meanwhile").containsExactly(TO_PEER + (HEADERS + 1));
        bench.pass(1);
        assertThat(bench.state(PEER_V4)).isEqualTo(NeighbourState.FAILED);
    }

    @Test
    void anAnswerCountsFromWhenItCame() {
        becomeReachable();
        bench.pass(20_000);
        bench.answerArp();
        bench.pass(29_999);
        assertThat(bench.state(PEER_V4)).isEqualTo(NeighbourState.REACHABLE);
        bench.pass(1);
        assertThat(bench.state(PEER_V4)).isEqualTo(NeighbourState.STALE);
    }

    @Test
    void whoAsksForOurAddressGetsAnAnswerAndIsKnownFromThen() {
        bench.arp(MacAddress.BROADCAST, Arp.REQUEST, PEER_LINK, PEER_V4, HOST_V4);
        assertThat(bench.heard()).containsExactly("02:00:00:00:00:02 ARP 10.0.0.1 is at 02:00:00:00:00:01");
        assertThat(bench.state(PEER_V4)).isEqualTo(NeighbourState.STALE);
        bench.send(PEER_V4, 1);
        assertThat(bench.heard()).containsExactly(TO_PEER + (HEADERS + 1));
    }

    @Test
    @Covers("NDEV-182")
    void theAddressesThatADeviceAnswersForAreThoseItHasNow() {
        Gid further = Gid.parse("10.0.0.9");
        bench.device.ip().setGids(List.of(further));
        bench.arp(MacAddress.BROADCAST, Arp.REQUEST, PEER_LINK, PEER_V4, HOST_V4);
        assertThat(bench.heard()).isEmpty();
        bench.arp(MacAddress.BROADCAST, Arp.REQUEST, PEER_LINK, PEER_V4, further);
        assertThat(bench.heard()).containsExactly("02:00:00:00:00:02 ARP 10.0.0.9 is at 02:00:00:00:00:01");
    }

    @Test
    void aDeviceHasOneIpLayer() {
        try (IpStack second = new IpStack(IpSettings.DEFAULT, () -> 0)) {
            assertThatThrownBy(() -> second.add(bench.device))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
        }
    }

    @Test
    void whoAsksForAnothersAddressGetsNoAnswerAndIsNotLearned() {
        bench.arp(MacAddress.BROADCAST, Arp.REQUEST, PEER_LINK, PEER_V4, Gid.parse("10.0.0.9"));
        assertThat(bench.heard()).isEmpty();
        assertThat(table.list()).isEmpty();
    }

    @Test
    void whoLooksForAFreeAddressIsToldThatOursIsTakenAndIsNotLearned() {
        bench.arp(MacAddress.BROADCAST, Arp.REQUEST, PEER_LINK, Gid.ofIpv4(0), HOST_V4);
        assertThat(bench.heard()).containsExactly("02:00:00:00:00:02 ARP 10.0.0.1 is at 02:00:00:00:00:01");
        assertThat(table.list()).isEmpty();
    }

    @Test
    void whoClaimsOurOwnAddressIsNotListenedTo() {
        bench.arp(MacAddress.BROADCAST, Arp.REQUEST, PEER_LINK, HOST_V4, HOST_V4);
        bench.arp(HOST_LINK, Arp.REPLY, PEER_LINK, HOST_V4, HOST_V4);
        assertThat(bench.heard()).isEmpty();
        assertThat(table.list()).isEmpty();
    }

    @Test
    void anAnnouncementMovesAKnownNeighbourButMakesNoneKnown() {
        bench.arp(MacAddress.BROADCAST, Arp.REQUEST, THIRD_LINK, PEER_V4, PEER_V4);
        assertThat(table.list()).isEmpty();
        becomeReachable();
        bench.arp(MacAddress.BROADCAST, Arp.REQUEST, THIRD_LINK, PEER_V4, PEER_V4);
        assertThat(bench.state(PEER_V4)).isEqualTo(NeighbourState.STALE);
        bench.send(PEER_V4, 1);
        assertThat(bench.heard()).containsExactly(TO_THIRD + (HEADERS + 1));
    }

    @Test
    void ofTwoAnswersTheFirstCountsForASecond() {
        becomeReachable();
        bench.pass(1_000);
        bench.arp(HOST_LINK, Arp.REPLY, THIRD_LINK, PEER_V4, HOST_V4);
        bench.send(PEER_V4, 1);
        assertThat(bench.heard()).containsExactly(TO_PEER + (HEADERS + 1));
        bench.pass(1);
        bench.arp(HOST_LINK, Arp.REPLY, THIRD_LINK, PEER_V4, HOST_V4);
        bench.send(PEER_V4, 1);
        assertThat(bench.heard()).containsExactly(TO_THIRD + (HEADERS + 1));
        assertThat(bench.state(PEER_V4)).isEqualTo(NeighbourState.REACHABLE);
    }

    @Test
    void anAnswerToAllDoesNotShowThatTheStationCanBeReached() {
        bench.send(PEER_V4, 1);
        bench.arp(MacAddress.BROADCAST, Arp.REPLY, PEER_LINK, PEER_V4, HOST_V4);
        assertThat(bench.heard()).containsExactly(QUESTION, TO_PEER + (HEADERS + 1));
        assertThat(bench.state(PEER_V4)).as("stale, and a packet was sent").isEqualTo(NeighbourState.DELAY);
    }

    @Test
    void arpThatMakesNoSenseOnlyCounts() {
        bench.forge(HOST_LINK, 0x0806, new byte[Arp.BYTES - 1]);
        bench.forge(HOST_LINK, 0x0806, new byte[Arp.BYTES]);
        bench.arp(HOST_LINK, Arp.REQUEST, MacAddress.BROADCAST, PEER_V4, HOST_V4);
        assertThat(bench.ip.malformed()).isEqualTo(3);
        bench.arp(HOST_LINK, 3, PEER_LINK, PEER_V4, HOST_V4);
        assertThat(bench.heard()).isEmpty();
        assertThat(table.list()).isEmpty();
    }

    @Test
    void whatWasMadeByHandStays() {
        table.add(PEER_V4, THIRD_LINK);
        bench.answerArp();
        bench.pass(3_600_000);
        assertThat(bench.state(PEER_V4)).isEqualTo(NeighbourState.PERMANENT);
        bench.send(PEER_V4, 1);
        assertThat(bench.heard()).containsExactly(TO_THIRD + (HEADERS + 1));
        table.remove(PEER_V4);
        assertThat(table.find(PEER_V4)).isNull();
    }

    @Test
    void whatIsMadeByHandSendsWhatWaits() {
        bench.send(PEER_V4, 1);
        bench.heard();
        table.add(PEER_V4, THIRD_LINK);
        assertThat(bench.heard()).containsExactly(TO_THIRD + (HEADERS + 1));
        assertThat(table.nextDeadlineNs() - bench.nowNs).isPositive();
        bench.pass(10_000);
        assertThat(bench.heard()).as("nobody is asked any more").isEmpty();
    }

    @Test
    void onlyOneStationCanAnswerToOneAddress() {
        assertRefused(Gid.parse("ff02::1"), PEER_LINK);
        assertRefused(PEER_V4, MacAddress.BROADCAST);
        assertRefused(PEER_V4, 0);
    }

    private void assertRefused(Gid address, long mac) {
        assertThatThrownBy(() -> table.add(address, mac))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    void inAFullTableTheNeighbourThatWasNotSentToForLongestMakesRoom() {
        for (int i = 0; i < CAPACITY; i++) {
            bench.arp(HOST_LINK, Arp.REQUEST, PEER_LINK + i, Gid.ofIpv4(PEER_V4.ipv4() + i), HOST_V4);
            bench.pass(1);
        }
        bench.send(PEER_V4, 1);
        Gid further = Gid.parse("10.0.0.99");
        bench.send(further, 1);
        assertThat(table.list()).hasSize(CAPACITY);
        assertThat(table.find(PEER_V4)).isNotNull();
        assertThat(table.find(Gid.ofIpv4(PEER_V4.ipv4() + 1))).isNull();
        assertThat(bench.state(further)).isEqualTo(NeighbourState.INCOMPLETE);
    }

    @Test
    void ifNoNeighbourCanGoThePacketIsDropped() {
        for (int i = 0; i < CAPACITY; i++) {
            table.add(Gid.ofIpv4(PEER_V4.ipv4() + i), PEER_LINK);
        }
        bench.send(Gid.parse("10.0.0.99"), 1);
        assertThat(table.full()).isEqualTo(1);
        assertThat(table.unresolved()).isEqualTo(1);
        assertThatThrownBy(() -> table.add(Gid.parse("10.0.0.99"), PEER_LINK))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOSPC));
    }

    @Test
    void whatWasLearnedIsForgottenWithTheLink() {
        becomeReachable();
        table.add(Gid.parse("10.0.0.3"), THIRD_LINK);
        bench.peer.down();
        bench.peer.up();
        bench.send(PEER_V4, 1);
        assertThat(bench.heard()).containsExactly(QUESTION);
        assertThat(bench.state(Gid.parse("10.0.0.3"))).isEqualTo(NeighbourState.PERMANENT);
    }

    @Test
    void packetsThatWaitMayBeTakenBack() {
        bench.send(PEER_V4, 1);
        bench.send(PEER_V4, 2);
        assertThat(table.dropWaiting(skb -> skb.len() == HEADERS + 1)).isEqualTo(1);
        bench.heard();
        bench.answerArp();
        assertThat(bench.heard()).containsExactly(TO_PEER + (HEADERS + 2));
    }

    @Test
    void aPacketToAGroupGoesToTheGroupOfStations() {
        bench.send(Gid.parse("224.0.0.9"), 1);
        assertThat(bench.heard()).containsExactly("01:00:5e:00:00:09 packet " + (HEADERS + 1));
    }

    @Test
    void anIpDeviceNeedsNoNeighbours() {
        NetDevice loopback = LoopbackDevice.create("lo", 1, List.of(), 4);
        try (IpStack stack = new IpStack(IpSettings.DEFAULT, () -> 0)) {
            IpInterface ip = stack.add(loopback);
            SkBuff skb = Packets.udp(bench.pool, HOST_V4, PORT, PEER_V4, PORT, new byte[1]);
            assertThat(ip.neighbours().resolve(skb, PEER_V4)).isTrue();
            assertThat(skb.len()).isEqualTo(HEADERS + 1);
            skb.free();
            loopback.unregister();
        }
    }

    @Test
    void sendingToAReachableStationAllocatesNothing() {
        becomeReachable();
        SkBuff skb = Packets.udp(bench.pool, HOST_V4, PORT, PEER_V4, PORT, new byte[1]);
        long bytes = AllocatedBytes.inSteadyState(() -> {
            for (int i = 0; i < 10_000; i++) {
                if (table.resolve(skb, PEER_V4)) {
                    skb.pull(14);
                }
                bench.nowNs += TimeUnit.MICROSECONDS.toNanos(1);
            }
        });
        skb.free();
        assertThat(bytes).isZero();
    }
}
