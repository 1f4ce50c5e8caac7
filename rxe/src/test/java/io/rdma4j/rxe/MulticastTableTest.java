// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.hca.qp.HcaQp;
import io.rdma4j.hca.qp.MulticastTable;
import io.rdma4j.testing.ledger.Covers;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MulticastTableTest {
    private final Bench bench = new Bench(Set.of());
    private final MulticastTable<HcaQp> table = new MulticastTable<>(new HcaQp[0]);
    private final HcaQp one = bench.rxeQp(bench.endpoint());
    private final HcaQp two = bench.rxeQp(bench.endpoint());

    @AfterEach
    void close() {
        bench.close();
    }

    private HcaQp[] find(Gid group) {
        return table.find(group.prefix(), group.interfaceId());
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
