// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import static io.rdma4j.ip.LinkBench.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.base.MacAddress;
import io.rdma4j.ip.neighbour.NeighbourSettings;
import io.rdma4j.ip.neighbour.NeighbourState;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.wire.ip.Icmpv6;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.NeighbourMessage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Differences between the neighbour table for IPv6 and that for IPv4. */
class NeighbourDiscoveryTest {
    private static final long HOST_GROUP = MacAddress.parse("33:33:ff:00:00:01");
    private static final Gid HOST_SOLICITED = Gid.parse("ff02::1:ff00:1");
    private static final Gid ALL = Gid.parse("ff02::1");
    private static final String QUESTION = "33:33:ff:00:00:02 ND who has fd00::2";
    private static final String UNICAST_QUESTION = "02:00:00:00:00:02 ND who has fd00::2";
    private static final String ANSWER = "02:00:00:00:00:02 ND fd00::1 is here solicited override";
    private static final String PACKET = " packet 49";
    private static final int SOLICITED_OVERRIDE = NeighbourMessage.SOLICITED | NeighbourMessage.OVERRIDE;

    private final LinkBench bench = new LinkBench(NeighbourSettings.DEFAULT);

    @AfterEach
    void close() {
        bench.close();
    }

    private static byte[] message(Gid source, Gid destination, int type, int flags, Gid target, long link) {
        byte[] bytes = new byte[Ipv6.BYTES + NeighbourMessage.BYTES_WITH_LINK];
        MemorySegment memory = MemorySegment.ofArray(bytes);
        Ipv6.write(
                memory,
                0,
                0,
                0,
                NeighbourMessage.BYTES_WITH_LINK,
                Icmpv6.NEXT_HEADER,
                255,
                source.prefix(),
                source.interfaceId(),
                destination.prefix(),
                destination.interfaceId());
        int option =
                type == Icmpv6.NEIGHBOUR_SOLICITATION ? NeighbourMessage.SOURCE_LINK : NeighbourMessage.TARGET_LINK;
        NeighbourMessage.write(memory, Ipv6.BYTES, type, flags, target.prefix(), target.interfaceId(), option, link);
        return finished(bytes);
    }

    private static byte[] withoutLink(byte[] message) {
        byte[] bytes = Arrays.copyOf(message, Ipv6.BYTES + NeighbourMessage.BYTES);
        Ipv6.payloadLength(MemorySegment.ofArray(bytes), 0, NeighbourMessage.BYTES);
        return finished(bytes);
    }

    private static byte[] finished(byte[] bytes) {
        Icmpv6.updateChecksum(MemorySegment.ofArray(bytes), 0, Ipv6.BYTES, bytes.length - Ipv6.BYTES);
        return bytes;
    }

    private void arrives(byte[] message) {
        bench.forge(HOST_LINK, EtherType.IPV6, message);
    }

    private byte[] advertisement(int flags, long link) {
        return message(PEER_V6, HOST_V6, Icmpv6.NEIGHBOUR_ADVERTISEMENT, flags, PEER_V6, link);
    }

    private byte[] solicitation(Gid source, Gid destination, Gid target) {
        return message(source, destination, Icmpv6.NEIGHBOUR_SOLICITATION, 0, target, PEER_LINK);
    }

    private void becomeReachable() {
        bench.send(PEER_V6, 1);
        arrives(advertisement(SOLICITED_OVERRIDE, PEER_LINK));
        bench.heard();
        assertThat(bench.state(PEER_V6)).isEqualTo(NeighbourState.REACHABLE);
    }

    @Test
    void theGroupOfAnAddressIsAskedAndWhatWaitsIsSentWhenTheAnswerComes() {
        bench.send(PEER_V6, 1);
        assertThat(bench.heard()).containsExactly(QUESTION);
        arrives(advertisement(SOLICITED_OVERRIDE, PEER_LINK));
        assertThat(bench.heard()).containsExactly("02:00:00:00:00:02" + PACKET);
        assertThat(bench.state(PEER_V6)).isEqualTo(NeighbourState.REACHABLE);
    }

    @Test
    void aNeighbourInUseIsAskedWhereItWas() {
        becomeReachable();
        bench.pass(29_000);
        bench.send(PEER_V6, 1);
        bench.heard();
        bench.pass(1_000 + 5_000);
        assertThat(bench.heard()).containsExactly(UNICAST_QUESTION);
        arrives(withoutLink(advertisement(NeighbourMessage.SOLICITED, PEER_LINK)));
        assertThat(bench.state(PEER_V6))
                .as("an answer need not repeat the link address")
                .isEqualTo(NeighbourState.REACHABLE);
    }

    @Test
    void whoAsksTheGroupOfOurAddressGetsAnAnswerAndIsKnownFromThen() {
        bench.forge(HOST_GROUP, EtherType.IPV6, solicitation(PEER_V6, HOST_SOLICITED, HOST_V6));
        assertThat(bench.heard()).containsExactly(ANSWER);
        bench.send(PEER_V6, 1);
        assertThat(bench.heard()).containsExactly("02:00:00:00:00:02" + PACKET);
    }

    @Test
    void whoDoesNotSayWhereItIsIsAskedBeforeItGetsItsAnswer() {
        arrives(withoutLink(solicitation(PEER_V6, HOST_V6, HOST_V6)));
        assertThat(bench.heard()).containsExactly(QUESTION);
        arrives(advertisement(SOLICITED_OVERRIDE, PEER_LINK));
        assertThat(bench.heard()).containsExactly(ANSWER);
    }

    @Test
    void whoLooksForAFreeAddressIsToldThatOursIsTaken() {
        byte[] probe = withoutLink(solicitation(Gid.ZERO, HOST_SOLICITED, HOST_V6));
        bench.forge(HOST_GROUP, EtherType.IPV6, probe);
        assertThat(bench.heard()).containsExactly("33:33:00:00:00:01 ND fd00::1 is here override");
        assertThat(bench.table.list()).isEmpty();
    }

    @Test
    void anotherLinkAddressCountsOnlyIfItOverrides() {
        becomeReachable();
        arrives(advertisement(NeighbourMessage.SOLICITED, THIRD_LINK));
        assertThat(bench.state(PEER_V6)).as("in doubt").isEqualTo(NeighbourState.STALE);
        bench.send(PEER_V6, 1);
        assertThat(bench.heard()).containsExactly("02:00:00:00:00:02" + PACKET);
        arrives(message(PEER_V6, ALL, Icmpv6.NEIGHBOUR_ADVERTISEMENT, NeighbourMessage.OVERRIDE, PEER_V6, THIRD_LINK));
        bench.send(PEER_V6, 1);
        assertThat(bench.heard()).containsExactly("02:00:00:00:00:03" + PACKET);
    }

    @Test
    void anAdvertisementMakesNobodyKnown() {
        arrives(advertisement(SOLICITED_OVERRIDE, PEER_LINK));
        assertThat(bench.table.list()).isEmpty();
    }

    @Test
    void messagesThatDidNotComeFromTheLinkOrAreDamagedOnlyCount() {
        byte[] routed = solicitation(PEER_V6, HOST_V6, HOST_V6);
        routed[7] = (byte) 254;
        byte[] damaged = solicitation(PEER_V6, HOST_V6, HOST_V6);
        damaged[damaged.length - 1] ^= 1;
        byte[] coded = solicitation(PEER_V6, HOST_V6, HOST_V6);
        coded[Ipv6.BYTES + 1] = 1;
        List<byte[]> bad = List.of(
                routed,
                damaged,
                finished(coded),
                solicitation(PEER_V6, HOST_V6, ALL),
                solicitation(Gid.ZERO, HOST_SOLICITED, HOST_V6),
                withoutLink(solicitation(Gid.ZERO, HOST_V6, HOST_V6)),
                message(PEER_V6, ALL, Icmpv6.NEIGHBOUR_ADVERTISEMENT, SOLICITED_OVERRIDE, PEER_V6, PEER_LINK),
                message(PEER_V6, HOST_V6, Icmpv6.NEIGHBOUR_ADVERTISEMENT, 0, PEER_V6, MacAddress.BROADCAST));
        bad.forEach(this::arrives);
        assertThat(bench.ip.malformed()).isEqualTo(bad.size());
        assertThat(bench.heard()).isEmpty();
        assertThat(bench.table.list()).isEmpty();
    }

    @Test
    void otherMessagesAreCounted() {
        byte[] redirect = solicitation(PEER_V6, HOST_V6, HOST_V6);
        MemorySegment.ofArray(redirect).set(ValueLayout.JAVA_BYTE, Ipv6.BYTES, (byte) 137);
        arrives(finished(redirect));
        assertThat(bench.ip.unknown()).isEqualTo(1);
    }

    @Test
    @Covers("NDEV-183")
    void theGroupsOfAnAddressAreThoseOfTheDevice() {
        long all = MacAddress.parse("33:33:00:00:00:01");
        long allHosts = MacAddress.parse("01:00:5e:00:00:01");
        assertThat(bench.device.link().multicast()).containsExactlyInAnyOrder(allHosts, all, HOST_GROUP);
        bench.device.ip().setGids(List.of(Gid.parse("fd00::12:3456")));
        assertThat(bench.device.link().multicast())
                .containsExactlyInAnyOrder(all, MacAddress.parse("33:33:ff:12:34:56"));
        bench.device.ip().setGids(List.of(HOST_V4));
        assertThat(bench.device.link().multicast()).containsExactly(allHosts);
    }
}
