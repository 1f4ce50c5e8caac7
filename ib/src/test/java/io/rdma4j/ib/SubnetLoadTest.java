// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.Rmpp;
import io.rdma4j.wire.mad.RmppType;
import io.rdma4j.wire.mad.sa.McMemberRecord;
import io.rdma4j.wire.mad.sa.NodeRecord;
import io.rdma4j.wire.mad.sa.PathRecord;
import io.rdma4j.wire.mad.sa.SaHeader;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** More requests, groups and records than a subnet administrator can serve at once, in virtual time. */
class SubnetLoadTest {
    private static final long SECOND_NS = 1_000_000_000;
    private static final long MILLISECOND_NS = 1_000_000;
    /** Groups of an administrator, with the broadcast group. */
    private static final int MAX_GROUPS = 1022;

    private static void create(SaRequester sa, VirtualFabric tree, int number) {
        sa.begin(MadMethod.SET, MadAttribute.MC_MEMBER_RECORD);
        sa.component(McMemberRecord.MGID, new Gid(0xFF12_0000_0000_0000L, number));
        sa.component(McMemberRecord.PORT_GID, new Gid(Gid.LINK_LOCAL_PREFIX, tree.portGuid(1)));
        sa.component(McMemberRecord.JOIN_STATE, 1);
        sa.component(McMemberRecord.QKEY, 1);
        sa.component(McMemberRecord.PKEY, 0xFFFF);
        sa.component(McMemberRecord.TRAFFIC_CLASS, 0);
        sa.component(McMemberRecord.FLOW_LABEL, 0);
        sa.component(McMemberRecord.SL, 0);
    }

    /** The tables of switches have no room for all groups: the last ones are refused, and the others work. */
    @Test
    void groupsEndWithTheMulticastLids() {
        try (VirtualFabric tree = new VirtualFabric(1, 0, 2, null);
                IbManager manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT);
                SaRequester sa = new SaRequester(tree, 1)) {
            tree.runUntilUp(manager);
            for (int i = 1; i <= 2000; i++) {
                create(sa, tree, i);
                assertThat(sa.send()).isTrue();
                tree.run(i % 50 == 0 ? MILLISECOND_NS : 1);
            }
            tree.run(SECOND_NS);
            List<Integer> statuses = sa.responses.stream()
                    .map(response -> Mad.STATUS.getInt(response, 0))
                    .toList();
            assertThat(statuses).hasSize(2000);
            assertThat(statuses.subList(0, MAX_GROUPS - 1)).containsOnly(MadStatus.SUCCESS);
            assertThat(statuses.subList(MAX_GROUPS - 1, 2000)).containsOnly(MadStatus.SA_NO_RESOURCES);

            Set<Integer> mlids = new HashSet<>();
            sa.responses.subList(0, MAX_GROUPS - 1).forEach(response -> {
                int mlid = McMemberRecord.MLID.getInt(response, SaHeader.DATA);
                mlids.add(mlid);
                assertThat(tree.leaves.getFirst().tables().isMulticastMember(mlid, 2))
                        .isTrue();
            });
            assertThat(mlids).hasSize(MAX_GROUPS - 1);
            assertThat(manager.isUp()).isTrue();

            create(sa, tree, 7);
            Mad.METHOD.put(sa.mad, 0, MadMethod.DELETE.code());
            int free = McMemberRecord.MLID.getInt(sa.answer(), SaHeader.DATA);
            create(sa, tree, 3000);
            assertThat(McMemberRecord.MLID.getInt(sa.answer(), SaHeader.DATA)).isEqualTo(free);
        }
    }

    /** Requests that find no buffer are lost, and their senders repeat them. */
    @Test
    void tenThousandQueriesAtOnceAreAnswered() {
        int queries = 10_000;
        try (VirtualFabric tree = new VirtualFabric(2, 1, 2, null);
                IbManager manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT);
                SaRequester sa = new SaRequester(tree, 3)) {
            tree.runUntilUp(manager);
            Set<Long> open = new HashSet<>();
            for (long id = 1; id <= queries; id++) {
                open.add(id);
            }
            sa.begin(MadMethod.GET, MadAttribute.PATH_RECORD);
            sa.component(PathRecord.SGID, new Gid(Gid.LINK_LOCAL_PREFIX, tree.portGuid(3)));
            sa.component(PathRecord.DGID, new Gid(Gid.LINK_LOCAL_PREFIX, tree.portGuid(1)));
            int rounds = 0;
            while (!open.isEmpty() && rounds < 20) {
                rounds++;
                for (long id : open) {
                    Mad.TRANSACTION_ID.put(sa.mad, 0, id);
                    sa.send();
                }
                tree.run(SECOND_NS);
                sa.responses.forEach(response -> {
                    assertThat(Mad.STATUS.getInt(response, 0)).isZero();
                    assertThat(open.remove(Mad.TRANSACTION_ID.get(response, 0))).isTrue();
                });
                sa.responses.clear();
            }
            assertThat(open).isEmpty();
            assertThat(rounds).isBetween(2, 19);
        }
    }

    /** The records of 1,000 hosts and 27 switches have some 600 segments, of which some are lost at first. */
    @Test
    void aTableOfAThousandNodesArrives() {
        try (VirtualFabric tree = VirtualFabric.plain(25, 2, 40);
                IbManager manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT);
                SaRequester sa = new SaRequester(tree, 999)) {
            tree.runUntilUp(manager);
            Set<Integer> lost = new HashSet<>();
            sa.acknowledges = segment -> segment % 100 != 0 || !lost.add(segment);
            sa.begin(MadMethod.GET_TABLE, MadAttribute.NODE_RECORD);
            sa.ask();
            tree.run(10 * SECOND_NS);
            List<MemorySegment> nodes = sa.records();
            assertThat(nodes).hasSize(1027);
            assertThat(nodes.stream().map(node -> NodeRecord.LID.getInt(node, 0)))
                    .doesNotHaveDuplicates();
            assertThat(lost).hasSizeGreaterThan(4);

            sa.acknowledges = segment -> segment < 50;
            sa.begin(MadMethod.GET_TABLE, MadAttribute.NODE_RECORD);
            sa.ask();
            int sent = sa.responses.size();
            Rmpp.VERSION.put(sa.mad, Rmpp.OFFSET, Rmpp.VERSION_1);
            Rmpp.TYPE.put(sa.mad, Rmpp.OFFSET, RmppType.ABORT.code());
            Rmpp.FLAGS.put(sa.mad, Rmpp.OFFSET, Rmpp.ACTIVE);
            assertThat(sa.send()).isTrue();
            tree.run(10 * SECOND_NS);
            assertThat(sa.responses).as("after an ABORT").hasSize(sent);
        }
    }
}
