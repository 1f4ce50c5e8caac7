// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.rxe.datapath.MulticastTable;
import io.rdma4j.rxe.datapath.RxeQp;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MulticastTableTest {
    private final Bench bench = new Bench(Set.of());
    private final SkBuffPool pool = new SkBuffPool(1, 256);
    private final MulticastTable<RxeQp> table = new MulticastTable<>(new RxeQp[0]);
    private final RxeQp one = bench.rxeQp(bench.endpoint());
    private final RxeQp two = bench.rxeQp(bench.endpoint());

    @AfterEach
    void close() {
        pool.close();
        bench.close();
    }

    private RxeQp[] find(Gid group) {
        byte[] packet = new PlainPacket(group.isIpv4() ? Bench.PEER_V4 : Bench.PEER_V6, group).bytes();
        SkBuff skb = Objects.requireNonNull(pool.allocate());
        int at = skb.put(packet.length);
        MemorySegment.copy(packet, 0, skb.memory(), ValueLayout.JAVA_BYTE, at, packet.length);
        skb.setNetworkHeader(0);
        skb.setTransportHeader(group.isIpv4() ? Ipv4.BYTES : Ipv6.BYTES);
        RxeQp[] members = table.find(skb);
        skb.free();
        return members;
    }

    @Test
    void theFirstOpensAGroupAndTheLastClosesIt() {
        Gid group = Gid.parse("::ffff:239.1.2.3");
        assertThat(find(group)).isEmpty();
        assertThat(table.attach(group, one)).isTrue();
        assertThat(table.attach(group, two)).isFalse();
        assertThat(find(group)).containsExactly(one, two);
        assertThat(table.detach(group, one)).isFalse();
        assertThat(find(group)).containsExactly(two);
        assertThat(table.detach(group, two)).isTrue();
        assertThat(find(group)).isEmpty();
    }

    @Test
    @Covers("MCAST-8")
    void manyGroupsOfBothFamiliesAreTold() {
        List<Gid> groups = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            groups.add(Gid.ofIpv4(0xEF000000 | i));
            groups.add(new Gid(0xFF15_0000_0000_0000L, i));
        }
        for (int i = 0; i < groups.size(); i++) {
            table.attach(groups.get(i), i % 3 == 0 ? one : two);
        }
        for (int i = 0; i < groups.size(); i++) {
            assertThat(find(groups.get(i))).containsExactly(i % 3 == 0 ? one : two);
        }
        assertThat(find(Gid.ofIpv4(0xEF000000 | 500))).isEmpty();
        assertThat(find(new Gid(0xFF15_0000_0000_0001L, 3))).isEmpty();
    }
}
