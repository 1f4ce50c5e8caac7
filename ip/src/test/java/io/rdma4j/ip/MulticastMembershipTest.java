// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import static io.rdma4j.ip.LinkBench.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.ip.neighbour.NeighbourSettings;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.wire.ip.GroupRecord;
import io.rdma4j.wire.ip.Icmpv6;
import io.rdma4j.wire.ip.Igmp;
import io.rdma4j.wire.ip.InternetChecksum;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Mld;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reports of a host about its multicast groups to the routers of the link. */
class MulticastMembershipTest {
    private static final Gid GROUP = Gid.parse("239.1.2.3");
    private static final Gid GROUP_V6 = Gid.parse("ff05::1234");
    private static final Gid ALL = Gid.parse("224.0.0.1");
    private static final Gid ALL_V6 = Gid.parse("ff02::1");
    private static final Gid ROUTER_V6 = Gid.parse("fe80::99");
    private static final int IPV6_HEADERS = Ipv6.BYTES + Ipv6.ROUTER_ALERT_BYTES;

    private final LinkBench bench = new LinkBench(NeighbourSettings.DEFAULT);

    /** Destination, message, record type and group of the sent packets. */
    private final List<String> told = new ArrayList<>();

    @BeforeEach
    void listen() {
        bench.peer.protocols().addTap(EtherType.IPV4, skb -> {
            MemorySegment memory = skb.memory();
            int ip = skb.data();
            if (Ipv4.protocol(memory, ip) == Igmp.PROTOCOL) {
                assertThat(Ipv4.isIntact(memory, ip)).isTrue();
                assertThat(Ipv4.timeToLive(memory, ip)).isEqualTo(1);
                int at = ip + Ipv4.headerBytes(memory, ip);
                int type = Igmp.type(memory, at);
                boolean newer = type == Igmp.REPORT_V3;
                told.add(Ipv4.toString(Ipv4.destination(memory, ip)) + " "
                        + (newer ? "v3 " + Igmp.recordType(memory, at) : "v2 " + Integer.toHexString(type)) + " "
                        + Ipv4.toString(newer ? Igmp.recordGroup(memory, at) : Igmp.group(memory, at)));
            }
        });
        bench.peer.protocols().addTap(EtherType.IPV6, skb -> {
            MemorySegment memory = skb.memory();
            int ip = skb.data();
            if (Ipv6.nextHeader(memory, ip) == Ipv6.NEXT_HEADER_HOP_BY_HOP) {
                int at = ip + IPV6_HEADERS;
                assertThat(Icmpv6.isIntact(memory, ip, at, skb.len() - IPV6_HEADERS))
                        .isTrue();
                assertThat(Ipv6.hopLimit(memory, ip)).isEqualTo(1);
                int type = Icmpv6.type(memory, at);
                boolean newer = type == Mld.REPORT_V2;
                long group = newer ? Mld.recordInterfaceId(memory, at) : Mld.groupInterfaceId(memory, at);
                told.add(Ipv6.destination(memory, ip) + " "
                        + (newer ? "v2 " + Mld.recordType(memory, at) : "v1 " + type) + " "
                        + Long.toHexString(group));
            }
        });
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private List<String> told() {
        bench.heard();
        List<String> all = List.copyOf(told);
        told.clear();
        return all;
    }

    @Test
    void whoComesInSaysSoTwiceAndWhoLeavesOnce() {
        bench.ip.join(GROUP);
        assertThat(bench.device.link().multicast()).contains(MacAddress.ofGroup(GROUP));
        assertThat(told()).containsExactly("224.0.0.22 v3 " + GroupRecord.JOINS + " 239.1.2.3");
        bench.pass(1_000);
        assertThat(told()).containsExactly("224.0.0.22 v3 " + GroupRecord.JOINS + " 239.1.2.3");
        bench.ip.join(GROUP);
        bench.ip.leave(GROUP);
        bench.pass(20_000);
        assertThat(told()).as("somebody is still in").isEmpty();
        bench.ip.leave(GROUP);
        assertThat(told()).containsExactly("224.0.0.22 v3 " + GroupRecord.LEAVES + " 239.1.2.3");
        assertThat(bench.device.link().multicast()).doesNotContain(MacAddress.ofGroup(GROUP));
        assertThatThrownBy(() -> bench.ip.leave(GROUP))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT));
    }

    @Test
    void theSameInIpv6() {
        bench.ip.join(GROUP_V6);
        bench.pass(1_000);
        String joins = "ff02::16 v2 " + GroupRecord.JOINS + " 1234";
        assertThat(told()).containsExactly(joins, joins);
        bench.ip.leave(GROUP_V6);
        assertThat(told()).containsExactly("ff02::16 v2 " + GroupRecord.LEAVES + " 1234");
    }

    @Test
    void theGroupOfAnAddressIsToldOf() {
        bench.device.ip().setGids(List.of(Gid.parse("fd00::12:3456")));
        bench.pass(20_000);
        assertThat(told())
                .contains("ff02::16 v2 " + GroupRecord.LEAVES + " 1ff000001")
                .contains("ff02::16 v2 " + GroupRecord.JOINS + " 1ff123456");
        bench.device.down();
        bench.pass(1);
        bench.device.up();
        bench.pass(20_000);
        assertThat(told()).contains("ff02::16 v2 " + GroupRecord.JOINS + " 1ff123456");
    }

    private void query(Gid group, int tenths, boolean newer) {
        byte[] packet = new byte[Ipv4.BYTES + (newer ? Igmp.QUERY_V3_BYTES : Igmp.BYTES)];
        MemorySegment memory = MemorySegment.ofArray(packet);
        int destination = group.ipv4() == 0 ? ALL.ipv4() : group.ipv4();
        Ipv4.write(memory, 0, packet.length, 0, 0, 1, Igmp.PROTOCOL, PEER_V4.ipv4(), destination);
        Igmp.write(memory, Ipv4.BYTES, Igmp.QUERY | tenths, group.ipv4());
        memory.set(ValueLayout.JAVA_BYTE, Ipv4.BYTES, (byte) Igmp.QUERY);
        memory.set(ValueLayout.JAVA_BYTE, Ipv4.BYTES + 1L, (byte) tenths);
        memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, Ipv4.BYTES + 2L, (short) 0);
        int sum = InternetChecksum.of(InternetChecksum.add(0, memory, Ipv4.BYTES, packet.length - Ipv4.BYTES, false));
        memory.set(ValueLayout.JAVA_BYTE, Ipv4.BYTES + 2L, (byte) (sum >>> 8));
        memory.set(ValueLayout.JAVA_BYTE, Ipv4.BYTES + 3L, (byte) sum);
        bench.forge(MacAddress.ofGroup(Gid.ofIpv4(destination)), EtherType.IPV4, packet);
    }

    private void join() {
        bench.ip.join(GROUP);
        bench.pass(20_000);
        told();
    }

    @Test
    void aQuestionIsAnsweredInTime() {
        join();
        query(Gid.ofIpv4(0), 50, true);
        assertThat(told()).as("not at once: others may answer, too").isEmpty();
        bench.pass(5_000);
        assertThat(told()).containsExactly("224.0.0.22 v3 " + GroupRecord.IS_MEMBER + " 239.1.2.3");
        query(GROUP, 10, true);
        bench.pass(1_000);
        assertThat(told()).hasSize(1);
        query(Gid.parse("239.1.2.4"), 10, true);
        bench.pass(1_000);
        assertThat(told()).as("not about us").isEmpty();
    }

    @Test
    void anOlderRouterIsAnsweredInItsWordsAndOnceByAllTogether() {
        join();
        query(Gid.ofIpv4(0), 50, false);
        bench.pass(5_000);
        assertThat(told()).containsExactly("239.1.2.3 v2 16 239.1.2.3");

        query(Gid.ofIpv4(0), 50, false);
        byte[] report = new byte[Ipv4.BYTES + Igmp.BYTES];
        MemorySegment memory = MemorySegment.ofArray(report);
        Ipv4.write(memory, 0, report.length, 0, 0, 1, Igmp.PROTOCOL, PEER_V4.ipv4(), GROUP.ipv4());
        Igmp.write(memory, Ipv4.BYTES, Igmp.REPORT_V2, GROUP.ipv4());
        bench.forge(MacAddress.ofGroup(GROUP), EtherType.IPV4, report);
        bench.pass(5_000);
        assertThat(told()).as("another one has answered").isEmpty();
        bench.ip.leave(GROUP);
        assertThat(told()).containsExactly("224.0.0.2 v2 17 239.1.2.3");
        bench.pass(500_000);
        bench.ip.join(GROUP);
        assertThat(told()).as("no old router any more").containsExactly("224.0.0.22 v3 4 239.1.2.3");
    }

    private void queryIpv6(int milliseconds, int length, int hopLimit) {
        byte[] packet = new byte[Ipv6.BYTES + length];
        MemorySegment memory = MemorySegment.ofArray(packet);
        Ipv6.write(
                memory,
                0,
                0,
                0,
                length,
                Icmpv6.NEXT_HEADER,
                hopLimit,
                ROUTER_V6.prefix(),
                ROUTER_V6.interfaceId(),
                ALL_V6.prefix(),
                ALL_V6.interfaceId());
        Mld.write(memory, Ipv6.BYTES, Mld.QUERY, 0, 0);
        memory.set(ValueLayout.JAVA_BYTE, Ipv6.BYTES + 4L, (byte) (milliseconds >>> 8));
        memory.set(ValueLayout.JAVA_BYTE, Ipv6.BYTES + 5L, (byte) milliseconds);
        Icmpv6.updateChecksum(memory, 0, Ipv6.BYTES, length);
        bench.forge(MacAddress.ofGroup(ALL_V6), EtherType.IPV6, packet);
    }

    @Test
    void questionsOfIpv6AreAnsweredForEachGroup() {
        bench.ip.join(GROUP_V6);
        bench.pass(20_000);
        told();
        queryIpv6(2_000, Mld.QUERY_V2_BYTES, 1);
        bench.pass(2_000);
        assertThat(told())
                .containsExactlyInAnyOrder(
                        "ff02::16 v2 " + GroupRecord.IS_MEMBER + " 1234",
                        "ff02::16 v2 " + GroupRecord.IS_MEMBER + " 1ff000001");
        queryIpv6(2_000, Mld.BYTES, 1);
        bench.pass(2_000);
        assertThat(told()).containsExactlyInAnyOrder("ff05::1234 v1 131 1234", "ff02::1:ff00:1 v1 131 1ff000001");
        queryIpv6(2_000, Mld.BYTES, 64);
        bench.pass(2_000);
        assertThat(told()).as("a question from behind a router").isEmpty();
    }

    @Test
    void whatIsSentToAGroupIsHeardByItsMembersOnly() {
        UdpEndpoint endpoint = bench.stack.ports().bind(PORT);
        byte[] packet = new byte[Ipv4.BYTES + 8];
        MemorySegment memory = MemorySegment.ofArray(packet);
        Ipv4.write(memory, 0, packet.length, 0, 0, 1, Ipv4.PROTOCOL_UDP, PEER_V4.ipv4(), GROUP.ipv4());
        Udp.write(memory, Ipv4.BYTES, 1, PORT, 8);
        bench.device.link().setAllMulticast(1);
        bench.forge(MacAddress.ofGroup(GROUP), EtherType.IPV4, packet);
        assertThat(endpoint.waiting()).isZero();
        bench.ip.join(GROUP);
        bench.forge(MacAddress.ofGroup(GROUP), EtherType.IPV4, packet);
        assertThat(endpoint.waiting()).isEqualTo(1);
        endpoint.close();
    }
}
