// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sa;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.ib.IbManager;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.sm.SubnetPartition;
import io.rdma4j.sm.SubnetQos;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.sa.McMemberRecord;
import io.rdma4j.wire.mad.sa.PathRecord;
import io.rdma4j.wire.mad.sa.ServiceRecord;
import io.rdma4j.wire.mad.sa.SlToVlRecord;
import io.rdma4j.wire.mad.sa.VlArbitrationRecord;
import io.rdma4j.wire.mad.sm.Notice;
import io.rdma4j.wire.mad.sm.SlToVlTable;
import io.rdma4j.wire.mad.sm.TrapDetails;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients at InfiniBand devices ask the subnet administrator of this project, in virtual time. */
@ProvedOn("device")
class SubnetClientTest {
    private static final Gid GROUP = Gid.parse("ff12:401b:ffff::1:5");

    private final SubnetHosts subnet = new SubnetHosts(3);
    private final SubnetHosts.Side second = subnet.hosts.get(1);
    private final SubnetHosts.Side third = subnet.hosts.get(2);
    private final List<SaResult> results = new ArrayList<>();
    private IbManager manager = subnet.manage(0, SubnetOptions.DEFAULT);

    @AfterEach
    void close() {
        manager.close();
        subnet.close();
    }

    private SaResult result(int number) {
        subnet.await("result " + number, () -> results.size() >= number);
        return results.get(number - 1);
    }

    private SaRecord path(Gid from, Gid to) {
        return SaRecord.of(MadAttribute.PATH_RECORD)
                .set(PathRecord.SGID, from)
                .set(PathRecord.DGID, to)
                .set(PathRecord.PKEY, 0xFFFF)
                .set(PathRecord.REVERSIBLE, 1)
                .set(PathRecord.NUMB_PATH, 1);
    }

    /** As rdma_cm asks. The administrator answers at its own host as well. */
    @Test
    @Covers({"SA-1", "SA-2", "SA-3"})
    void aPathLeadsToTheLidOfThePeer() {
        second.sa.path(path(second.gid(), third.gid()), 2000, results::add);
        SaRecord path = result(1).records().getFirst();
        assertThat(path.get(PathRecord.SLID))
                .isEqualTo(second.context.queryPort(1).lid());
        assertThat(path.get(PathRecord.DLID))
                .isEqualTo(third.context.queryPort(1).lid());
        assertThat(path.get(PathRecord.MTU))
                .isEqualTo(second.context.queryPort(1).activeMtu().code());
        SubnetHosts.Side first = subnet.hosts.getFirst();
        first.sa.path(path(first.gid(), third.gid()), 2000, results::add);
        assertThat(result(2).records().getFirst().get(PathRecord.DLID))
                .isEqualTo(third.context.queryPort(1).lid());
        second.sa.path(path(second.gid(), Gid.parse("fe80::77")), 2000, results::add);
        assertThat(result(3)).isEqualTo(new SaResult(Errno.EINVAL, MadStatus.SA_NO_RECORDS, List.of()));
    }

    /** Two hosts of a partition get a path in it; the third one does not. */
    @Test
    @Covers("SA-4")
    void aPathNeedsACommonPartition() {
        manager.close();
        SubnetPartition partition = new SubnetPartition(
                0x12,
                SubnetPartition.Membership.NONE,
                Map.of(
                        subnet.hosts.getFirst().gid().interfaceId(),
                        SubnetPartition.Membership.FULL,
                        second.gid().interfaceId(),
                        SubnetPartition.Membership.LIMITED));
        manager = subnet.manage(0, SubnetOptions.DEFAULT.partitions(partition));
        Gid first = subnet.hosts.getFirst().gid();
        second.sa.path(path(second.gid(), first).set(PathRecord.PKEY, 0x12), 2000, results::add);
        assertThat(result(1).records().getFirst().get(PathRecord.PKEY)).isEqualTo(0x12);
        second.sa.path(path(second.gid(), third.gid()).set(PathRecord.PKEY, 0x12), 2000, results::add);
        assertThat(result(2).madStatus()).isEqualTo(MadStatus.SA_NO_RECORDS);
        second.sa.path(path(second.gid(), third.gid()), 2000, results::add); // limited members
        assertThat(result(3).madStatus()).isEqualTo(MadStatus.SA_NO_RECORDS);
        third.sa.join(member().set(McMemberRecord.PKEY, 0x8012), results::add);
        assertThat(result(4).madStatus()).isEqualTo(MadStatus.SA_INVALID_REQUEST);
    }

    /** A block for each half of two tables; a map of levels for each port at which packets arrive. */
    @Test
    void tablesOfVirtualLanesAreRead() {
        manager.close();
        List<Integer> lanes = Collections.nCopies(16, 1);
        SubnetQos qos = new SubnetQos(lanes, 0, List.of(), List.of(new SubnetQos.Share(1, 9)));
        manager = subnet.manage(0, SubnetOptions.DEFAULT.qos(qos));
        long lid = second.context.queryPort(1).lid();
        second.sa.query(
                MadMethod.GET_TABLE,
                SaRecord.of(MadAttribute.VL_ARBITRATION_RECORD).set(VlArbitrationRecord.LID, lid),
                2000,
                results::add);
        assertThat(result(1).records()).hasSize(4);
        second.sa.query(
                MadMethod.GET_TABLE,
                SaRecord.of(MadAttribute.SL_TO_VL_RECORD).set(SlToVlRecord.LID, lid),
                2000,
                results::add);
        assertThat(result(2).records()).hasSize(1);
        assertThat(SlToVlTable.LANES.getInt(result(2).records().getFirst().memory(), SlToVlRecord.TABLE, 7))
                .isEqualTo(1);
    }

    private static SaRecord member() {
        return SaRecord.of(MadAttribute.MC_MEMBER_RECORD)
                .set(McMemberRecord.MGID, GROUP)
                .set(McMemberRecord.JOIN_STATE, 1)
                .set(McMemberRecord.PKEY, 0xFFFF)
                .set(McMemberRecord.QKEY, 0x0B1B)
                .set(McMemberRecord.TRAFFIC_CLASS, 0)
                .set(McMemberRecord.FLOW_LABEL, 0)
                .set(McMemberRecord.SL, 0);
    }

    @Test
    @Covers({"SA-7", "SA-8", "SA-9"})
    void membersOfAGroupGetItsLid() {
        SaRegistration membership = second.sa.join(member(), results::add);
        long mlid = result(1).records().getFirst().get(McMemberRecord.MLID);
        third.sa.join(member(), results::add);
        assertThat(result(2).records().getFirst().get(McMemberRecord.MLID)).isEqualTo(mlid);
        subnet.pass(1000);
        assertThat(subnet.node.tables().isMulticastMember((int) mlid, 2)).isTrue();
        membership.close();
        subnet.pass(1000);
        assertThat(subnet.node.tables().isMulticastMember((int) mlid, 2)).isFalse();
        assertThat(subnet.node.tables().isMulticastMember((int) mlid, 3)).isTrue();
    }

    private static SaRecord service(long id) {
        return SaRecord.of(MadAttribute.SERVICE_RECORD)
                .set(ServiceRecord.SERVICE_ID, id)
                .set(ServiceRecord.SERVICE_NAME, "storage");
    }

    private void find(long id) {
        SaRecord wanted = SaRecord.of(MadAttribute.SERVICE_RECORD).set(ServiceRecord.SERVICE_ID, id);
        third.sa.query(MadMethod.GET_TABLE, wanted, 2000, results::add);
    }

    @Test
    @Covers("SA-10")
    void servicesOfOneHostAreFoundByAnother() {
        SaRegistration registration = second.sa.register(service(7), results::add);
        assertThat(result(1).isSuccess()).isTrue();
        third.sa.query(
                MadMethod.GET,
                SaRecord.of(MadAttribute.SERVICE_RECORD).set(ServiceRecord.SERVICE_NAME, "storage"),
                2000,
                results::add);
        SaRecord found = result(2).records().getFirst();
        assertThat(found.gid(ServiceRecord.SERVICE_GID)).isEqualTo(second.gid());
        assertThat(found.get(ServiceRecord.SERVICE_LEASE)).isEqualTo(0xFFFF_FFFFL);
        registration.close();
        subnet.pass(10);
        find(7);
        assertThat(result(3).records()).isEmpty();
    }

    @Test
    void aServiceEndsWithItsLease() {
        second.sa.register(service(8).set(ServiceRecord.SERVICE_LEASE, 3), results::add);
        result(1);
        subnet.pass(1500);
        find(8);
        assertThat(result(2).records().getFirst().get(ServiceRecord.SERVICE_LEASE))
                .isEqualTo(2);
        subnet.pass(1500);
        find(8);
        assertThat(result(3).records()).isEmpty();
    }

    /** A new manager knows neither groups nor services nor subscriptions, and asks for all of them. */
    @Test
    @Covers({"SA-11", "EVT-24"})
    void aNewManagerGetsAllRegistrations() {
        second.sa.join(member(), _ -> {});
        second.sa.register(service(9), _ -> {});
        List<SaResult> notices = new ArrayList<>();
        second.sa.subscribe(TrapDetails.GID_OUT_OF_SERVICE, notices::add);
        subnet.pass(100);
        manager.close();
        manager = subnet.manage(2, SubnetOptions.DEFAULT);
        subnet.pass(1000);

        find(9);
        assertThat(result(1).records()).hasSize(1);
        third.sa.query(
                MadMethod.GET,
                SaRecord.of(MadAttribute.MC_MEMBER_RECORD).set(McMemberRecord.MGID, GROUP),
                2000,
                results::add);
        assertThat(result(2).isSuccess()).isTrue();
        Gid gone = subnet.hosts.getFirst().gid();
        subnet.fabric.exclusively(() -> subnet.hosts.getFirst().link.unplug());
        subnet.await("the report", () -> !notices.isEmpty());
        SaRecord notice = notices.getFirst().records().getFirst();
        assertThat(notice.get(Notice.TRAP_NUMBER)).isEqualTo(TrapDetails.GID_OUT_OF_SERVICE);
        assertThat(TrapDetails.GID.gid(notice.memory(), Notice.DATA_DETAILS.offset()))
                .isEqualTo(gone);
        subnet.pass(30_000);
        assertThat(notices).hasSize(1);
    }

    @Test
    void subscribersHearOfGroupsUntilTheyEndTheirSubscription() {
        List<SaResult> notices = new ArrayList<>();
        SaRegistration made = third.sa.subscribe(TrapDetails.MULTICAST_CREATED, notices::add);
        third.sa.subscribe(TrapDetails.MULTICAST_DELETED, notices::add);
        subnet.pass(100);
        SaRegistration membership = second.sa.join(member(), _ -> {});
        subnet.await("a group", () -> notices.size() == 1);
        made.close();
        membership.close();
        subnet.await("the end of the group", () -> notices.size() == 2);
        second.sa.join(member(), _ -> {});
        subnet.pass(10_000);
        assertThat(notices)
                .extracting(notice -> notice.records().getFirst().get(Notice.TRAP_NUMBER))
                .containsExactly((long) TrapDetails.MULTICAST_CREATED, (long) TrapDetails.MULTICAST_DELETED);
    }
}
