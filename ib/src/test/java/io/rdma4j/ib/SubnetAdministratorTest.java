// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.Rmpp;
import io.rdma4j.wire.mad.RmppType;
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
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
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
    private static final int GREATER = 0;
    private static final int EXACTLY = 2;
    private static final int LARGEST = 3;
    private static final int REFUSED = MadStatus.SA_INVALID_REQUEST;
    private static final Gid GROUP = Gid.parse("ff12:401b:ffff::1:5");
    private static final Gid BROADCAST = new Gid(0xFF12_401B_FFFF_0000L, 0xFFFF_FFFFL);

    private final VirtualFabric tree = new VirtualFabric(3, 2, HOSTS_OF_LEAF, null);
    private final IbManager manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT.lmc(1));
    private final NodeAgents requester = tree.hosts.get(1).agents();
    private final List<MemorySegment> responses = new ArrayList<>();
    private final MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
    private long transactionId;
    private boolean acknowledges = true;

    private final ManagementListener listener = (memory, offset, _, _, destinationQpn) -> {
        if (destinationQpn == 1) {
            MemorySegment copy = MemorySegment.ofArray(new byte[Mad.BYTES]);
            MemorySegment.copy(memory, offset, copy, 0, Mad.BYTES);
            responses.add(copy);
            acknowledge(copy);
        }
        return destinationQpn == 1;
    };

    @BeforeEach
    void sweep() {
        tree.runUntilUp(manager);
        tree.fabric.exclusively(() -> requester.add(listener));
    }

    @AfterEach
    void close() {
        tree.fabric.exclusively(() -> requester.remove(listener));
        manager.close();
        tree.close();
    }

    private void acknowledge(MemorySegment response) {
        if (Rmpp.isActive(response, Rmpp.OFFSET) && acknowledges) {
            MemorySegment ack = MemorySegment.ofArray(new byte[Mad.BYTES]).copyFrom(response);
            int segment = Rmpp.SEGMENT_NUMBER.getInt(response, Rmpp.OFFSET);
            Rmpp.TYPE.put(ack, Rmpp.OFFSET, RmppType.ACK.code());
            Rmpp.FLAGS.put(ack, Rmpp.OFFSET, Rmpp.ACTIVE);
            Rmpp.NEW_WINDOW_LAST.put(ack, Rmpp.OFFSET, segment + 2);
            requester.sendGeneral(ack, tree.lid(0), 1);
        }
    }

    private void begin(MadMethod method, MadAttribute attribute) {
        Mad.write(mad, 0, MadClass.SUBN_ADM, method.code(), attribute.attributeId(), ++transactionId);
    }

    private void component(MadField field, long value) {
        field.put(mad, SaHeader.DATA, value);
        mask(field);
    }

    private void component(MadField field, Gid value) {
        field.put(mad, SaHeader.DATA, value);
        mask(field);
    }

    private void mask(MadField field) {
        SaHeader.COMPONENT_MASK.put(
                mad, SaHeader.OFFSET, SaHeader.COMPONENT_MASK.get(mad, SaHeader.OFFSET) | field.componentMask());
    }

    private void ask(IbDevice from) {
        responses.clear();
        tree.fabric.exclusively(() -> from.agents().sendGeneral(mad, tree.lid(0), 1));
        tree.run(100_000_000);
    }

    private MemorySegment answer() {
        ask(tree.hosts.get(1));
        assertThat(responses).hasSize(1);
        assertThat(Mad.TRANSACTION_ID.get(responses.getFirst(), 0)).isEqualTo(transactionId);
        return responses.getFirst();
    }

    private int status() {
        return Mad.STATUS.getInt(answer(), 0);
    }

    /** The records of a table, put together from its segments. */
    private List<MemorySegment> table() {
        ask(tree.hosts.get(1));
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        for (MemorySegment segment : responses) {
            int flags = Rmpp.FLAGS.getInt(segment, Rmpp.OFFSET);
            int length = (flags & Rmpp.LAST) == 0
                    ? Mad.BYTES - SaHeader.DATA
                    : Rmpp.PAYLOAD_LENGTH.getInt(segment, Rmpp.OFFSET) - 20;
            data.writeBytes(segment.asSlice(SaHeader.DATA, length).toArray(ValueLayout.JAVA_BYTE));
        }
        MemorySegment all = MemorySegment.ofArray(data.toByteArray());
        int distance = SaHeader.ATTRIBUTE_OFFSET.getInt(responses.getFirst(), SaHeader.OFFSET) * 8;
        List<MemorySegment> records = new ArrayList<>();
        for (long at = 0; distance != 0 && at < all.byteSize(); at += distance) {
            records.add(all.asSlice(at, distance));
        }
        return records;
    }

    @Test
    void aTableComesInSegmentsThatAreAcknowledged() {
        begin(MadMethod.GET_TABLE, MadAttribute.NODE_RECORD);
        List<MemorySegment> nodes = table();

        assertThat(nodes).hasSize(tree.hosts.size() + SWITCHES);
        assertThat(responses).hasSizeGreaterThan(4);
        Set<String> names = new HashSet<>();
        nodes.forEach(node -> names.add(NodeRecord.NODE_DESCRIPTION.text(node, 0)));
        assertThat(names).contains("ib0", "ib5", "leaf2", "spine1");
    }

    @Test
    void aTableThatNoneAcknowledgesIsRepeatedThreeTimes() {
        acknowledges = false;
        begin(MadMethod.GET_TABLE, MadAttribute.NODE_RECORD);
        ask(tree.hosts.get(1));
        tree.run(5_000_000_000L);
        assertThat(responses)
                .hasSize(3)
                .allSatisfy(segment -> assertThat(Rmpp.SEGMENT_NUMBER.getInt(segment, Rmpp.OFFSET))
                        .isEqualTo(1));
    }

    @Test
    void componentsSelectRecords() {
        begin(MadMethod.GET, MadAttribute.NODE_RECORD);
        component(NodeRecord.LID, tree.lid(5) + 1L);
        assertThat(NodeRecord.NODE_DESCRIPTION.text(answer(), SaHeader.DATA)).isEqualTo("ib5");

        begin(MadMethod.GET, MadAttribute.NODE_RECORD);
        assertThat(status()).isEqualTo(MadStatus.SA_TOO_MANY_RECORDS);
        begin(MadMethod.GET, MadAttribute.NODE_RECORD);
        component(NodeRecord.LID, 0xBFFF);
        assertThat(status()).isEqualTo(MadStatus.SA_NO_RECORDS);
        begin(MadMethod.GET_TABLE, MadAttribute.LINK_RECORD);
        component(LinkRecord.FROM_LID, tree.lid(3));
        assertThat(table()).hasSize(1);
        begin(MadMethod.GET, MadAttribute.TRACE_RECORD);
        assertThat(status()).isEqualTo(MadStatus.BAD_METHOD);
    }

    @Test
    void aRequestWithAForeignKeyIsDropped() {
        begin(MadMethod.GET_TABLE, MadAttribute.SWITCH_INFO_RECORD);
        SaHeader.SM_KEY.put(mad, SaHeader.OFFSET, 5);
        ask(tree.hosts.get(1));
        assertThat(responses).isEmpty();
        assertThat(manager.dropped()).isEqualTo(1);
        begin(MadMethod.GET_TABLE, MadAttribute.SWITCH_INFO_RECORD);
        SaHeader.SM_KEY.put(mad, SaHeader.OFFSET, SubnetOptions.DEFAULT.smKey());
        assertThat(table()).hasSize(SWITCHES);
    }

    @Test
    void tablesOfKeysAndGuidsAreRead() {
        begin(MadMethod.GET, MadAttribute.P_KEY_TABLE_RECORD);
        component(PkeyTableRecord.LID, tree.lid(4));
        assertThat(status()).isEqualTo(MadStatus.SA_INVALID_REQUEST);
        SaHeader.SM_KEY.put(mad, SaHeader.OFFSET, SubnetOptions.DEFAULT.smKey());
        MemorySegment keys = answer();
        assertThat(PkeyTableBlock.PKEYS.getInt(keys, SaHeader.DATA + PkeyTableRecord.TABLE, 0))
                .isEqualTo(0xFFFF);
        begin(MadMethod.GET, MadAttribute.GUID_INFO_RECORD);
        component(GuidInfoRecord.LID, tree.lid(4));
        assertThat(GuidInfo.GUIDS.get(answer(), SaHeader.DATA + GuidInfoRecord.TABLE, 0))
                .isEqualTo(tree.portGuid(4));
    }

    @Test
    void aPathIsTheWayThatTheTablesGive() {
        begin(MadMethod.GET, MadAttribute.PATH_RECORD);
        component(PathRecord.SGID, new Gid(Gid.LINK_LOCAL_PREFIX, tree.portGuid(1)));
        component(PathRecord.DGID, new Gid(Gid.LINK_LOCAL_PREFIX, tree.portGuid(4)));
        component(PathRecord.NUMB_PATH, 1);
        MemorySegment path = answer();
        assertThat(PathRecord.SLID.getInt(path, SaHeader.DATA)).isEqualTo(tree.lid(1));
        assertThat(PathRecord.DLID.getInt(path, SaHeader.DATA)).isEqualTo(tree.lid(4));
        assertThat(PathRecord.MTU.getInt(path, SaHeader.DATA)).isEqualTo(5);
        assertThat(PathRecord.RATE.getInt(path, SaHeader.DATA)).isEqualTo(3);
        assertThat(PathRecord.REVERSIBLE.getInt(path, SaHeader.DATA)).isEqualTo(1);

        begin(MadMethod.GET_TABLE, MadAttribute.PATH_RECORD);
        component(PathRecord.SLID, tree.lid(1));
        component(PathRecord.DLID, tree.lid(4) + 1L);
        assertThat(table()).hasSize(1);
        begin(MadMethod.GET_TABLE, MadAttribute.PATH_RECORD);
        component(PathRecord.SGID, new Gid(Gid.LINK_LOCAL_PREFIX, 0x77));
        assertThat(table()).isEmpty();
        begin(MadMethod.GET, MadAttribute.PATH_RECORD);
        component(PathRecord.DLID, tree.lid(4));
        component(PathRecord.MTU_SELECTOR, 0);
        component(PathRecord.MTU, 5);
        assertThat(status()).isEqualTo(MadStatus.SA_NO_RECORDS);
    }

    private void join(Gid group, int host, MadMethod method) {
        begin(method, MadAttribute.MC_MEMBER_RECORD);
        component(McMemberRecord.MGID, group);
        component(McMemberRecord.PORT_GID, new Gid(Gid.LINK_LOCAL_PREFIX, tree.portGuid(host)));
        component(McMemberRecord.JOIN_STATE, JOIN_FULL);
    }

    private void join(int host, MadMethod method, boolean creates) {
        join(GROUP, host, method);
        if (creates) {
            creating();
        }
    }

    private void creating() {
        component(McMemberRecord.QKEY, 0x0B1B);
        component(McMemberRecord.PKEY, 0xFFFF);
        component(McMemberRecord.TRAFFIC_CLASS, 0);
        component(McMemberRecord.FLOW_LABEL, 0);
        component(McMemberRecord.SL, 0);
    }

    @Test
    void membersAreShownToTrustedRequestersOnly() {
        join(1, MadMethod.SET, true);
        assertThat(status()).isZero();
        join(4, MadMethod.SET, false);
        assertThat(status()).isZero();
        begin(MadMethod.GET_TABLE, MadAttribute.MC_MEMBER_RECORD);
        assertThat(table())
                .extracting(group -> McMemberRecord.MGID.gid(group, 0))
                .containsExactly(BROADCAST, GROUP);
        begin(MadMethod.GET_TABLE, MadAttribute.MC_MEMBER_RECORD);
        assertThat(table())
                .allSatisfy(group ->
                        assertThat(McMemberRecord.JOIN_STATE.getInt(group, 0)).isZero());
        begin(MadMethod.GET_TABLE, MadAttribute.MC_MEMBER_RECORD);
        SaHeader.SM_KEY.put(mad, SaHeader.OFFSET, SubnetOptions.DEFAULT.smKey());
        assertThat(table())
                .extracting(member -> McMemberRecord.PORT_GID.gid(member, 0).interfaceId())
                .containsExactly(tree.portGuid(1), tree.portGuid(4));

        pathToGroup(1);
        assertThat(status()).isZero();
        pathToGroup(3);
        assertThat(status()).isEqualTo(MadStatus.SA_NO_RECORDS);
    }

    private void pathToGroup(int host) {
        begin(MadMethod.GET, MadAttribute.PATH_RECORD);
        component(PathRecord.SGID, new Gid(Gid.LINK_LOCAL_PREFIX, tree.portGuid(host)));
        component(PathRecord.DGID, GROUP);
    }

    @Test
    void portsJoinAndLeaveAGroupWhoseTreeIsWritten() {
        join(1, MadMethod.SET, false);
        assertThat(status()).isEqualTo(MadStatus.SA_INSUFFICIENT_COMPONENTS);
        join(1, MadMethod.SET, true);
        MemorySegment joined = answer();
        assertThat(Mad.STATUS.getInt(joined, 0)).isZero();
        int mlid = McMemberRecord.MLID.getInt(joined, SaHeader.DATA);
        assertThat(mlid).isEqualTo(0xC001);
        join(4, MadMethod.SET, false);
        assertThat(status()).isZero();
        tree.run(1_000_000_000);
        assertThat(tree.leaves.get(0).tables().isMulticastMember(mlid, 2)).isTrue();
        assertThat(tree.leaves.get(2).tables().isMulticastMember(mlid, 1)).isTrue();
        assertThat(manager.isUp()).isTrue();

        begin(MadMethod.GET_TABLE, MadAttribute.MULTICAST_FORWARDING_RECORD);
        List<MemorySegment> blocks = table();
        assertThat(blocks).hasSize(3); // two leaves, and the spine between them
        assertThat(blocks)
                .allSatisfy(block -> assertThat(MulticastForwardingTable.MASKS.getInt(
                                block, MulticastForwardingRecord.TABLE, mlid - 0xC000))
                        .isNotZero());

        begin(MadMethod.GET, MadAttribute.PATH_RECORD);
        component(PathRecord.DGID, GROUP);
        assertThat(PathRecord.DLID.getInt(answer(), SaHeader.DATA)).isEqualTo(mlid);

        join(4, MadMethod.DELETE, false);
        assertThat(status()).isZero();
        join(4, MadMethod.DELETE, false);
        assertThat(status()).isEqualTo(MadStatus.SA_INVALID_REQUEST);
        join(1, MadMethod.DELETE, false);
        assertThat(status()).isZero();
        tree.run(1_000_000_000);
        assertThat(tree.leaves.get(0).tables().isMulticastMember(mlid, 2)).isFalse();
        begin(MadMethod.GET_TABLE, MadAttribute.MC_MEMBER_RECORD);
        assertThat(table()).hasSize(1);
    }

    private int joinWith(MadField selector, MadField value, int how, int wanted) {
        join(1, MadMethod.SET, true);
        component(selector, how);
        component(value, wanted);
        return status();
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
        assertThat(McMemberRecord.RATE.getInt(responses.getFirst(), SaHeader.DATA))
                .isEqualTo(3);
        join(1, MadMethod.DELETE, false);
        assertThat(status()).isZero();

        assertThat(joinWith(McMemberRecord.MTU_SELECTOR, McMemberRecord.MTU, LARGEST, 1))
                .isEqualTo(0);
        assertThat(McMemberRecord.MTU.getInt(responses.getFirst(), SaHeader.DATA))
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
        Gid made = McMemberRecord.MGID.gid(answer(), SaHeader.DATA);
        assertThat(made.isMulticast()).isTrue();
        join(1, MadMethod.SET, true);
        component(McMemberRecord.JOIN_STATE, 2);
        assertThat(status()).isEqualTo(REFUSED);
        begin(MadMethod.GET, MadAttribute.MC_MEMBER_RECORD);
        component(McMemberRecord.MGID, GROUP);
        assertThat(status()).isEqualTo(MadStatus.SA_NO_RECORDS);
    }

    private void guids(MadMethod method, int host, long... entries) {
        begin(method, MadAttribute.GUID_INFO_RECORD);
        component(GuidInfoRecord.LID, tree.lid(host));
        component(GuidInfoRecord.BLOCK, 0);
        long mask = SaHeader.COMPONENT_MASK.get(mad, SaHeader.OFFSET);
        for (int i = 0; i < entries.length; i++) {
            GuidInfo.GUIDS.elements().get(1 + i).put(mad, SaHeader.DATA + GuidInfoRecord.TABLE, entries[i]);
            mask |= 1L << 5 + i;
        }
        SaHeader.COMPONENT_MASK.put(mad, SaHeader.OFFSET, mask);
    }

    private static long guid(MemorySegment response, int entry) {
        return GuidInfo.GUIDS.get(response, SaHeader.DATA + GuidInfoRecord.TABLE, entry);
    }

    /** A further GUID becomes a GID of the port, with paths and groups; the port keeps it when its link was down. */
    @Test
    @Covers("PORT-46")
    void aPortHasFurtherGuids() {
        guids(MadMethod.SET, 4, 0x77, 0);
        MemorySegment set = answer();
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
        begin(MadMethod.GET, MadAttribute.PATH_RECORD);
        component(PathRecord.DGID, alias);
        MemorySegment path = answer();
        assertThat(PathRecord.DLID.getInt(path, SaHeader.DATA)).isEqualTo(tree.lid(4));
        assertThat(PathRecord.DGID.gid(path, SaHeader.DATA)).isEqualTo(alias);

        guids(MadMethod.SET, 3, 0x77);
        assertThat(guid(answer(), 1)).as("in use").isZero();
        guids(MadMethod.SET, 4, 0x78);
        component(GuidInfoRecord.BLOCK, 1);
        assertThat(status()).isEqualTo(MadStatus.SA_NO_RECORDS);
        guids(MadMethod.DELETE, 4, 0x77);
        assertThat(guid(answer(), 1)).isZero();
        begin(MadMethod.GET, MadAttribute.GUID_INFO_RECORD);
        component(GuidInfoRecord.LID, tree.lid(4));
        MemorySegment left = answer();
        assertThat(guid(left, 1)).isZero();
        assertThat(guid(left, 2)).isEqualTo(made);
    }

    /** From host 1 to hosts 4 and 5, each with two LIDs: by both spines. */
    @Test
    @Covers("SA-2")
    void pathsAmongManyPortsAreAskedForAtOnce() {
        multi(0);
        List<MemorySegment> paths = table();
        assertThat(Mad.METHOD.getInt(responses.getFirst(), 0)).isEqualTo(MadMethod.GET_MULTI.responseCode());
        assertThat(paths).hasSize(4);
        assertThat(paths)
                .extracting(path -> PathRecord.DGID.gid(path, 0).interfaceId())
                .containsOnly(tree.portGuid(4), tree.portGuid(5));
        multi(2);
        List<MemorySegment> independent = table();
        assertThat(independent).hasSize(2);
        assertThat(tree.walk(1, PathRecord.DLID.getInt(independent.getFirst(), 0))
                        .get(1))
                .isNotSameAs(tree.walk(1, PathRecord.DLID.getInt(independent.getLast(), 0))
                        .get(1));

        begin(MadMethod.GET_MULTI, MadAttribute.MULTI_PATH_RECORD);
        component(MultiPathRecord.SGID_COUNT, 200);
        component(MultiPathRecord.DGID_COUNT, 1);
        assertThat(status()).isEqualTo(REFUSED);
    }

    private void multi(int independence) {
        begin(MadMethod.GET_MULTI, MadAttribute.MULTI_PATH_RECORD);
        component(MultiPathRecord.SGID_COUNT, 1);
        component(MultiPathRecord.DGID_COUNT, 2);
        component(MultiPathRecord.NUMB_PATH, 2);
        component(MultiPathRecord.INDEPENDENCE_SELECTOR, independence);
        int[] hosts = {1, 4, 5};
        for (int i = 0; i < hosts.length; i++) {
            byte[] gid = new Gid(Gid.LINK_LOCAL_PREFIX, tree.portGuid(hosts[i])).toBytes();
            MemorySegment.copy(MemorySegment.ofArray(gid), 0, mad, SaHeader.DATA + 24 + 16L * i, gid.length);
        }
    }

    /** As OpenSM, the manager has made it: a join needs no components to create it, and it stays without members. */
    @Test
    @Covers("SM-8")
    void theBroadcastGroupOfTheDefaultPartitionIsAlwaysThere() {
        for (int round = 0; round < 2; round++) {
            join(BROADCAST, 1, MadMethod.SET);
            MemorySegment joined = answer();
            assertThat(Mad.STATUS.getInt(joined, 0)).isZero();
            assertThat(McMemberRecord.MLID.getInt(joined, SaHeader.DATA)).isEqualTo(0xC000);
            assertThat(McMemberRecord.QKEY.getInt(joined, SaHeader.DATA)).isEqualTo(0x0B1B);
            assertThat(McMemberRecord.PKEY.getInt(joined, SaHeader.DATA)).isEqualTo(0xFFFF);
            assertThat(McMemberRecord.MTU.getInt(joined, SaHeader.DATA)).isEqualTo(4);
            assertThat(McMemberRecord.RATE.getInt(joined, SaHeader.DATA)).isEqualTo(3);
            assertThat(McMemberRecord.SCOPE.getInt(joined, SaHeader.DATA)).isEqualTo(2);
            join(BROADCAST, 1, MadMethod.DELETE);
            assertThat(status()).isZero();
        }
    }
}
