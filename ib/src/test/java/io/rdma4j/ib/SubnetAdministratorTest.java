// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.fabric.ForwardingTables;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.Rmpp;
import io.rdma4j.wire.mad.sa.GuidInfoRecord;
import io.rdma4j.wire.mad.sa.LinkRecord;
import io.rdma4j.wire.mad.sa.McMemberRecord;
import io.rdma4j.wire.mad.sa.MultiPathRecord;
import io.rdma4j.wire.mad.sa.MulticastForwardingRecord;
import io.rdma4j.wire.mad.sa.NodeRecord;
import io.rdma4j.wire.mad.sa.PathRecord;
import io.rdma4j.wire.mad.sa.PkeyTableRecord;
import io.rdma4j.wire.mad.sa.SaHeader;
import io.rdma4j.wire.mad.sm.GuidInfo;
import io.rdma4j.wire.mad.sm.MulticastForwardingTable;
import io.rdma4j.wire.mad.sm.PkeyTableBlock;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Queries of host 1 of a fat tree to the subnet administrator at host 0, in virtual time. */
class SubnetAdministratorTest {
    private static final int HOSTS_OF_LEAF = 2;
    private static final int SWITCHES = 5;
    private static final int JOIN_FULL = 1;
    private static final int SEND_ONLY = 4;
    private static final int GREATER = 0;
    private static final int EXACTLY = 2;
    private static final int LARGEST = 3;
    private static final int REFUSED = MadStatus.SA_INVALID_REQUEST;
    private static final Gid GROUP = Gid.parse("ff12:401b:ffff::1:5");
    private static final Gid BROADCAST = new Gid(0xFF12_401B_FFFF_0000L, 0xFFFF_FFFFL);

    private final VirtualFabric tree = new VirtualFabric(3, 2, HOSTS_OF_LEAF, null);
    private final IbManager manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT.lmc(1));
    private final SaRequester sa = new SaRequester(tree, 1);

    @BeforeEach
    void sweep() {
        tree.runUntilUp(manager);
    }

    @AfterEach
    void close() {
        sa.close();
        manager.close();
        tree.close();
    }

    @Test
    void aTableComesInSegmentsThatAreAcknowledged() {
        sa.begin(MadMethod.GET_TABLE, MadAttribute.NODE_RECORD);
        List<MemorySegment> nodes = sa.table();

        assertThat(nodes).hasSize(tree.hosts.size() + SWITCHES);
        assertThat(sa.responses).hasSizeGreaterThan(4);
        Set<String> names = new HashSet<>();
        nodes.forEach(node -> names.add(NodeRecord.NODE_DESCRIPTION.text(node, 0)));
        assertThat(names).contains("ib0", "ib5", "leaf2", "spine1");
    }

    @Test
    void aTableThatNoneAcknowledgesIsRepeatedThreeTimes() {
        sa.acknowledges = _ -> false;
        sa.begin(MadMethod.GET_TABLE, MadAttribute.NODE_RECORD);
        sa.ask();
        tree.run(5_000_000_000L);
        assertThat(sa.responses)
                .hasSize(3)
                .allSatisfy(segment -> assertThat(Rmpp.SEGMENT_NUMBER.getInt(segment, Rmpp.OFFSET))
                        .isEqualTo(1));
    }

    @Test
    void componentsSelectRecords() {
        sa.begin(MadMethod.GET, MadAttribute.NODE_RECORD);
        sa.component(NodeRecord.LID, tree.lid(5) + 1L);
        assertThat(NodeRecord.NODE_DESCRIPTION.text(sa.answer(), SaHeader.DATA)).isEqualTo("ib5");

        sa.begin(MadMethod.GET, MadAttribute.NODE_RECORD);
        assertThat(sa.status()).isEqualTo(MadStatus.SA_TOO_MANY_RECORDS);
        sa.begin(MadMethod.GET, MadAttribute.NODE_RECORD);
        sa.component(NodeRecord.LID, 0xBFFF);
        assertThat(sa.status()).isEqualTo(MadStatus.SA_NO_RECORDS);
        sa.begin(MadMethod.GET_TABLE, MadAttribute.LINK_RECORD);
        sa.component(LinkRecord.FROM_LID, tree.lid(3));
        assertThat(sa.table()).hasSize(1);
        sa.begin(MadMethod.GET, MadAttribute.TRACE_RECORD);
        assertThat(sa.status()).isEqualTo(MadStatus.BAD_METHOD);
    }

    @Test
    void aRequestWithAForeignKeyIsDropped() {
        sa.begin(MadMethod.GET_TABLE, MadAttribute.SWITCH_INFO_RECORD);
        SaHeader.SM_KEY.put(sa.mad, SaHeader.OFFSET, 5);
        sa.ask();
        assertThat(sa.responses).isEmpty();
        assertThat(manager.dropped()).isEqualTo(1);
        sa.begin(MadMethod.GET_TABLE, MadAttribute.SWITCH_INFO_RECORD);
        SaHeader.SM_KEY.put(sa.mad, SaHeader.OFFSET, SubnetOptions.DEFAULT.smKey());
        assertThat(sa.table()).hasSize(SWITCHES);
    }

    @Test
    void tablesOfKeysAndGuidsAreRead() {
        sa.begin(MadMethod.GET, MadAttribute.P_KEY_TABLE_RECORD);
        sa.component(PkeyTableRecord.LID, tree.lid(4));
        assertThat(sa.status()).isEqualTo(MadStatus.SA_INVALID_REQUEST);
        SaHeader.SM_KEY.put(sa.mad, SaHeader.OFFSET, SubnetOptions.DEFAULT.smKey());
        MemorySegment keys = sa.answer();
        assertThat(PkeyTableBlock.PKEYS.getInt(keys, SaHeader.DATA + PkeyTableRecord.TABLE, 0))
                .isEqualTo(0xFFFF);
        sa.begin(MadMethod.GET, MadAttribute.GUID_INFO_RECORD);
        sa.component(GuidInfoRecord.LID, tree.lid(4));
        assertThat(GuidInfo.GUIDS.get(sa.answer(), SaHeader.DATA + GuidInfoRecord.TABLE, 0))
                .isEqualTo(tree.portGuid(4));
    }

    @Test
    void aPathIsTheWayThatTheTablesGive() {
        sa.begin(MadMethod.GET, MadAttribute.PATH_RECORD);
        sa.component(PathRecord.SGID, new Gid(Gid.LINK_LOCAL_PREFIX, tree.portGuid(1)));
        sa.component(PathRecord.DGID, new Gid(Gid.LINK_LOCAL_PREFIX, tree.portGuid(4)));
        sa.component(PathRecord.NUMB_PATH, 1);
        MemorySegment path = sa.answer();
        assertThat(PathRecord.SLID.getInt(path, SaHeader.DATA)).isEqualTo(tree.lid(1));
        assertThat(PathRecord.DLID.getInt(path, SaHeader.DATA)).isEqualTo(tree.lid(4));
        assertThat(PathRecord.MTU.getInt(path, SaHeader.DATA)).isEqualTo(5);
        assertThat(PathRecord.RATE.getInt(path, SaHeader.DATA)).isEqualTo(3);
        assertThat(PathRecord.REVERSIBLE.getInt(path, SaHeader.DATA)).isEqualTo(1);

        sa.begin(MadMethod.GET_TABLE, MadAttribute.PATH_RECORD);
        sa.component(PathRecord.SLID, tree.lid(1));
        sa.component(PathRecord.DLID, tree.lid(4) + 1L);
        assertThat(sa.table()).hasSize(1);
        sa.begin(MadMethod.GET_TABLE, MadAttribute.PATH_RECORD);
        sa.component(PathRecord.SGID, new Gid(Gid.LINK_LOCAL_PREFIX, 0x77));
        assertThat(sa.table()).isEmpty();
        sa.begin(MadMethod.GET, MadAttribute.PATH_RECORD);
        sa.component(PathRecord.DLID, tree.lid(4));
        sa.component(PathRecord.MTU_SELECTOR, 0);
        sa.component(PathRecord.MTU, 5);
        assertThat(sa.status()).isEqualTo(MadStatus.SA_NO_RECORDS);
    }

    private void join(Gid group, int host, MadMethod method) {
        sa.begin(method, MadAttribute.MC_MEMBER_RECORD);
        sa.component(McMemberRecord.MGID, group);
        sa.component(McMemberRecord.PORT_GID, new Gid(Gid.LINK_LOCAL_PREFIX, tree.portGuid(host)));
        sa.component(McMemberRecord.JOIN_STATE, JOIN_FULL);
    }

    private void join(int host, MadMethod method, boolean creates) {
        join(GROUP, host, method);
        if (creates) {
            creating();
        }
    }

    private void creating() {
        sa.component(McMemberRecord.QKEY, 0x0B1B);
        sa.component(McMemberRecord.PKEY, 0xFFFF);
        sa.component(McMemberRecord.TRAFFIC_CLASS, 0);
        sa.component(McMemberRecord.FLOW_LABEL, 0);
        sa.component(McMemberRecord.SL, 0);
    }

    @Test
    void membersAreShownToTrustedRequestersOnly() {
        join(1, MadMethod.SET, true);
        assertThat(sa.status()).isZero();
        join(4, MadMethod.SET, false);
        assertThat(sa.status()).isZero();
        sa.begin(MadMethod.GET_TABLE, MadAttribute.MC_MEMBER_RECORD);
        assertThat(sa.table())
                .extracting(group -> McMemberRecord.MGID.gid(group, 0))
                .containsExactly(BROADCAST, GROUP);
        sa.begin(MadMethod.GET_TABLE, MadAttribute.MC_MEMBER_RECORD);
        assertThat(sa.table())
                .allSatisfy(group ->
                        assertThat(McMemberRecord.JOIN_STATE.getInt(group, 0)).isZero());
        sa.begin(MadMethod.GET_TABLE, MadAttribute.MC_MEMBER_RECORD);
        SaHeader.SM_KEY.put(sa.mad, SaHeader.OFFSET, SubnetOptions.DEFAULT.smKey());
        assertThat(sa.table())
                .extracting(member -> McMemberRecord.PORT_GID.gid(member, 0).interfaceId())
                .containsExactly(tree.portGuid(1), tree.portGuid(4));

        pathToGroup(1);
        assertThat(sa.status()).isZero();
        pathToGroup(3);
        assertThat(sa.status()).isEqualTo(MadStatus.SA_NO_RECORDS);
    }

    private void pathToGroup(int host) {
        sa.begin(MadMethod.GET, MadAttribute.PATH_RECORD);
        sa.component(PathRecord.SGID, new Gid(Gid.LINK_LOCAL_PREFIX, tree.portGuid(host)));
        sa.component(PathRecord.DGID, GROUP);
    }

    @Test
    void portsJoinAndLeaveAGroupWhoseTreeIsWritten() {
        join(1, MadMethod.SET, false);
        assertThat(sa.status()).isEqualTo(MadStatus.SA_INSUFFICIENT_COMPONENTS);
        join(1, MadMethod.SET, true);
        MemorySegment joined = sa.answer();
        assertThat(Mad.STATUS.getInt(joined, 0)).isZero();
        int mlid = McMemberRecord.MLID.getInt(joined, SaHeader.DATA);
        assertThat(mlid).isEqualTo(0xC001);
        join(4, MadMethod.SET, false);
        assertThat(sa.status()).isZero();
        tree.run(1_000_000_000);
        assertThat(tree.leaves.get(0).tables().isMulticastMember(mlid, 2)).isTrue();
        assertThat(tree.leaves.get(2).tables().isMulticastMember(mlid, 1)).isTrue();
        assertThat(manager.isUp()).isTrue();

        sa.begin(MadMethod.GET_TABLE, MadAttribute.MULTICAST_FORWARDING_RECORD);
        List<MemorySegment> blocks = sa.table();
        assertThat(blocks).hasSize(3); // two leaves, and the spine between them
        assertThat(blocks)
                .allSatisfy(block -> assertThat(MulticastForwardingTable.MASKS.getInt(
                                block, MulticastForwardingRecord.TABLE, mlid - 0xC000))
                        .isNotZero());

        sa.begin(MadMethod.GET, MadAttribute.PATH_RECORD);
        sa.component(PathRecord.DGID, GROUP);
        assertThat(PathRecord.DLID.getInt(sa.answer(), SaHeader.DATA)).isEqualTo(mlid);

        join(4, MadMethod.DELETE, false);
        assertThat(sa.status()).isZero();
        join(4, MadMethod.DELETE, false);
        assertThat(sa.status()).isEqualTo(MadStatus.SA_INVALID_REQUEST);
        join(1, MadMethod.DELETE, false);
        assertThat(sa.status()).isZero();
        tree.run(1_000_000_000);
        assertThat(tree.leaves.get(0).tables().isMulticastMember(mlid, 2)).isFalse();
        sa.begin(MadMethod.GET_TABLE, MadAttribute.MC_MEMBER_RECORD);
        assertThat(sa.table()).hasSize(1);
    }

    private long datagramsOf(Runnable change) {
        long before = manager.datagramsSent();
        change.run();
        assertThat(sa.status()).isZero();
        tree.run(1_000_000_000);
        return manager.datagramsSent() - before;
    }

    /** A join changes the tables of the switches of the tree, and causes no sweep. */
    @Test
    @Covers("SA-7")
    void aJoinWritesTheTablesOfItsGroupOnly() {
        int sweeps = manager.sweeps();
        assertThat(datagramsOf(() -> join(1, MadMethod.SET, true))).isEqualTo(1); // the leaf of host 1
        assertThat(datagramsOf(() -> join(4, MadMethod.SET, false))).isEqualTo(3); // two leaves and a spine
        assertThat(datagramsOf(() -> join(4, MadMethod.SET, false))).isZero(); // is a member already
        assertThat(datagramsOf(() -> join(0, MadMethod.SET, false))).isEqualTo(1);
        assertThat(datagramsOf(() -> join(4, MadMethod.DELETE, false))).isEqualTo(3);
        assertThat(manager.sweeps()).isEqualTo(sweeps);
        assertThat(manager.isUp()).isTrue();
    }

    /** The tree leads from its switch to the members, and not to the port itself. */
    @Test
    @Covers("SA-7")
    void aPortThatOnlySendsReceivesNothing() {
        join(1, MadMethod.SET, true);
        int mlid = McMemberRecord.MLID.getInt(sa.answer(), SaHeader.DATA);
        join(4, MadMethod.SET, false);
        sa.component(McMemberRecord.JOIN_STATE, SEND_ONLY);
        assertThat(sa.status()).isZero();
        tree.run(1_000_000_000);
        ForwardingTables leaf = tree.leaves.get(2).tables();
        assertThat(leaf.isMulticastMember(mlid, 1)).isFalse();
        assertThat(leaf.isMulticastMember(mlid, 3) || leaf.isMulticastMember(mlid, 4))
                .isTrue();

        join(4, MadMethod.SET, false);
        assertThat(sa.status()).isZero();
        tree.run(1_000_000_000);
        assertThat(leaf.isMulticastMember(mlid, 1)).isTrue();
        join(4, MadMethod.DELETE, false);
        assertThat(sa.status()).isZero();
        tree.run(1_000_000_000);
        assertThat(leaf.isMulticastMember(mlid, 1)).isFalse();
    }

    private int joinWith(MadField selector, MadField value, int how, int wanted) {
        join(1, MadMethod.SET, true);
        sa.component(selector, how);
        sa.component(value, wanted);
        return sa.status();
    }

    /** Ports of the tree have an MTU of 4096 bytes and 10 Gb/s. Rates compare by their value, not by their code. */
    @Test
    @Covers("SA-7")
    void mtuAndRateOfAGroupMustBePossibleForItsMembers() {
        assertThat(joinWith(McMemberRecord.RATE_SELECTOR, McMemberRecord.RATE, EXACTLY, 6))
                .isEqualTo(REFUSED); // 20 Gb/s
        assertThat(joinWith(McMemberRecord.RATE_SELECTOR, McMemberRecord.RATE, GREATER, 3))
                .isEqualTo(REFUSED);
        assertThat(joinWith(McMemberRecord.RATE_SELECTOR, McMemberRecord.RATE, GREATER, 5))
                .isZero(); // 5 Gb/s
        assertThat(McMemberRecord.RATE.getInt(sa.responses.getFirst(), SaHeader.DATA))
                .isEqualTo(3);
        join(1, MadMethod.DELETE, false);
        assertThat(sa.status()).isZero();

        assertThat(joinWith(McMemberRecord.MTU_SELECTOR, McMemberRecord.MTU, LARGEST, 1))
                .isEqualTo(0);
        assertThat(McMemberRecord.MTU.getInt(sa.responses.getFirst(), SaHeader.DATA))
                .isEqualTo(5);
        assertThat(joinWith(McMemberRecord.MTU_SELECTOR, McMemberRecord.MTU, EXACTLY, 4))
                .isEqualTo(REFUSED);
        assertThat(joinWith(McMemberRecord.MTU_SELECTOR, McMemberRecord.MTU, GREATER, 4))
                .isZero();
    }

    /** The administrator makes an MGID; a member that does not keep a group alive cannot begin one. */
    @Test
    @Covers("SA-7")
    void aGroupIsBegunByAFullMember() {
        join(Gid.ZERO, 1, MadMethod.SET);
        creating();
        Gid made = McMemberRecord.MGID.gid(sa.answer(), SaHeader.DATA);
        assertThat(made.isMulticast()).isTrue();
        join(1, MadMethod.SET, true);
        sa.component(McMemberRecord.JOIN_STATE, 2);
        assertThat(sa.status()).isEqualTo(REFUSED);
        sa.begin(MadMethod.GET, MadAttribute.MC_MEMBER_RECORD);
        sa.component(McMemberRecord.MGID, GROUP);
        assertThat(sa.status()).isEqualTo(MadStatus.SA_NO_RECORDS);
    }

    private void guids(MadMethod method, int host, long... entries) {
        sa.begin(method, MadAttribute.GUID_INFO_RECORD);
        sa.component(GuidInfoRecord.LID, tree.lid(host));
        sa.component(GuidInfoRecord.BLOCK, 0);
        long mask = SaHeader.COMPONENT_MASK.get(sa.mad, SaHeader.OFFSET);
        for (int i = 0; i < entries.length; i++) {
            GuidInfo.GUIDS.elements().get(1 + i).put(sa.mad, SaHeader.DATA + GuidInfoRecord.TABLE, entries[i]);
            mask |= 1L << 5 + i;
        }
        SaHeader.COMPONENT_MASK.put(sa.mad, SaHeader.OFFSET, mask);
    }

    private static long guid(MemorySegment response, int entry) {
        return GuidInfo.GUIDS.get(response, SaHeader.DATA + GuidInfoRecord.TABLE, entry);
    }

    /** A further GUID becomes a GID of the port, with paths and groups; the port keeps it when its link was down. */
    @Test
    @Covers("PORT-46")
    void aPortHasFurtherGuids() {
        guids(MadMethod.SET, 4, 0x77, 0);
        MemorySegment set = sa.answer();
        assertThat(Mad.STATUS.getInt(set, 0)).isZero();
        assertThat(guid(set, 0)).isEqualTo(tree.portGuid(4));
        assertThat(guid(set, 1)).isEqualTo(0x77);
        long made = guid(set, 2);
        assertThat(made).isNotZero();
        Gid alias = new Gid(Gid.LINK_LOCAL_PREFIX, 0x77);
        try (Host host = tree.open(4);
                Context context = host.open("ib4")) {
            assertThat(context.queryGid(1, 1)).isEqualTo(alias);
            assertThat(context.queryGid(1, 2).interfaceId()).isEqualTo(made);
        }
        sa.begin(MadMethod.GET, MadAttribute.PATH_RECORD);
        sa.component(PathRecord.DGID, alias);
        MemorySegment path = sa.answer();
        assertThat(PathRecord.DLID.getInt(path, SaHeader.DATA)).isEqualTo(tree.lid(4));
        assertThat(PathRecord.DGID.gid(path, SaHeader.DATA)).isEqualTo(alias);

        guids(MadMethod.SET, 3, 0x77);
        assertThat(guid(sa.answer(), 1)).as("in use").isZero();
        guids(MadMethod.SET, 4, 0x78);
        sa.component(GuidInfoRecord.BLOCK, 1);
        assertThat(sa.status()).isEqualTo(MadStatus.SA_NO_RECORDS);
        guids(MadMethod.DELETE, 4, 0x77);
        assertThat(guid(sa.answer(), 1)).isZero();
        sa.begin(MadMethod.GET, MadAttribute.GUID_INFO_RECORD);
        sa.component(GuidInfoRecord.LID, tree.lid(4));
        MemorySegment left = sa.answer();
        assertThat(guid(left, 1)).isZero();
        assertThat(guid(left, 2)).isEqualTo(made);
    }

    /** From host 1 to hosts 4 and 5, each with two LIDs: by both spines. */
    @Test
    @Covers("SA-2")
    void pathsAmongManyPortsAreAskedForAtOnce() {
        multi(0);
        List<MemorySegment> paths = sa.table();
        assertThat(Mad.METHOD.getInt(sa.responses.getFirst(), 0)).isEqualTo(MadMethod.GET_MULTI.responseCode());
        assertThat(paths).hasSize(4);
        assertThat(paths)
                .extracting(path -> PathRecord.DGID.gid(path, 0).interfaceId())
                .containsOnly(tree.portGuid(4), tree.portGuid(5));
        multi(2);
        List<MemorySegment> independent = sa.table();
        assertThat(independent).hasSize(2);
        assertThat(tree.walk(1, PathRecord.DLID.getInt(independent.getFirst(), 0))
                        .get(1))
                .isNotSameAs(tree.walk(1, PathRecord.DLID.getInt(independent.getLast(), 0))
                        .get(1));

        sa.begin(MadMethod.GET_MULTI, MadAttribute.MULTI_PATH_RECORD);
        sa.component(MultiPathRecord.SGID_COUNT, 200);
        sa.component(MultiPathRecord.DGID_COUNT, 1);
        assertThat(sa.status()).isEqualTo(REFUSED);
    }

    private void multi(int independence) {
        sa.begin(MadMethod.GET_MULTI, MadAttribute.MULTI_PATH_RECORD);
        sa.component(MultiPathRecord.SGID_COUNT, 1);
        sa.component(MultiPathRecord.DGID_COUNT, 2);
        sa.component(MultiPathRecord.NUMB_PATH, 2);
        sa.component(MultiPathRecord.INDEPENDENCE_SELECTOR, independence);
        int[] hosts = {1, 4, 5};
        for (int i = 0; i < hosts.length; i++) {
            byte[] gid = new Gid(Gid.LINK_LOCAL_PREFIX, tree.portGuid(hosts[i])).toBytes();
            MemorySegment.copy(MemorySegment.ofArray(gid), 0, sa.mad, SaHeader.DATA + 24 + 16L * i, gid.length);
        }
    }

    /** As OpenSM, the manager has made it: a join needs no components to create it, and it stays without members. */
    @Test
    @Covers("SM-8")
    void theBroadcastGroupOfTheDefaultPartitionIsAlwaysThere() {
        for (int round = 0; round < 2; round++) {
            join(BROADCAST, 1, MadMethod.SET);
            MemorySegment joined = sa.answer();
            assertThat(Mad.STATUS.getInt(joined, 0)).isZero();
            assertThat(McMemberRecord.MLID.getInt(joined, SaHeader.DATA)).isEqualTo(0xC000);
            assertThat(McMemberRecord.QKEY.getInt(joined, SaHeader.DATA)).isEqualTo(0x0B1B);
            assertThat(McMemberRecord.PKEY.getInt(joined, SaHeader.DATA)).isEqualTo(0xFFFF);
            assertThat(McMemberRecord.MTU.getInt(joined, SaHeader.DATA)).isEqualTo(4);
            assertThat(McMemberRecord.RATE.getInt(joined, SaHeader.DATA)).isEqualTo(3);
            assertThat(McMemberRecord.SCOPE.getInt(joined, SaHeader.DATA)).isEqualTo(2);
            join(BROADCAST, 1, MadMethod.DELETE);
            assertThat(sa.status()).isZero();
        }
    }
}
