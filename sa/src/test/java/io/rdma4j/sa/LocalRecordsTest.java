// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.mad.MadCounter;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.sa.McMemberRecord;
import io.rdma4j.wire.mad.sa.PathRecord;
import io.rdma4j.wire.mad.sa.ServiceRecord;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** On RoCE there is no SA: paths and groups are made without a datagram. */
class LocalRecordsTest {
    private final SaNetwork network = new SaNetwork();
    private final SaClient sa = SaClient.open(network.client.services);
    private final List<SaResult> results = new ArrayList<>();

    @AfterEach
    void close() {
        sa.close();
        assertThat(network.client.services.mad().counters().get(MadCounter.SENT))
                .isZero();
        network.close();
    }

    private SaRecord wanted() {
        return SaRecord.of(MadAttribute.PATH_RECORD)
                .set(PathRecord.SGID, network.client.gid())
                .set(PathRecord.DGID, network.server.gid());
    }

    @Test
    void aPathHasTheAttributesOfThePort() {
        sa.path(wanted().set(PathRecord.FLOW_LABEL, 0x12345), 1000, results::add);
        assertThat(results).isEmpty();
        network.pass(0);
        SaRecord path = results.getFirst().records().getFirst();
        assertThat(path.gid(PathRecord.SGID)).isEqualTo(network.client.gid());
        assertThat(path.gid(PathRecord.DGID)).isEqualTo(network.server.gid());
        assertThat(path.get(PathRecord.PKEY)).isEqualTo(0xFFFF);
        assertThat(path.get(PathRecord.HOP_LIMIT)).isEqualTo(64);
        assertThat(path.get(PathRecord.REVERSIBLE)).isEqualTo(1);
        assertThat(path.get(PathRecord.NUMB_PATH)).isEqualTo(1);
        assertThat(path.get(PathRecord.MTU)).isEqualTo(5);
        assertThat(path.get(PathRecord.PACKET_LIFE_TIME)).isEqualTo(18);
        assertThat(path.get(PathRecord.FLOW_LABEL)).isEqualTo(0x12345);
        assertThat(path.get(PathRecord.DLID)).isZero();
    }

    @Test
    void aCancelledPathIsNotReportedTwice() {
        SaQuery query = sa.path(wanted(), 1000, results::add);
        query.cancel();
        network.pass(0);
        assertThat(results).hasSize(1);
    }

    @Test
    void aPathNeedsTwoGidsOfWhichOneIsOfThePort() {
        SaRecord half = SaRecord.of(MadAttribute.PATH_RECORD).set(PathRecord.DGID, network.server.gid());
        assertRefused(Errno.EINVAL, () -> sa.path(half, 1000, results::add));
        SaRecord foreign = wanted().set(PathRecord.SGID, network.server.gid());
        assertRefused(Errno.EINVAL, () -> sa.path(foreign, 1000, results::add));
    }

    @Test
    void aGroupIsJoinedAtOnce() {
        Gid mgid = Gid.parse("239.1.1.1");
        SaRecord member = SaRecord.of(MadAttribute.MC_MEMBER_RECORD)
                .set(McMemberRecord.MGID, mgid)
                .set(McMemberRecord.JOIN_STATE, 1);
        SaRegistration membership = sa.join(member, results::add);
        network.pass(0);
        SaRecord group = results.getFirst().records().getFirst();
        assertThat(group.gid(McMemberRecord.MGID)).isEqualTo(mgid);
        assertThat(group.get(McMemberRecord.PKEY)).isEqualTo(0xFFFF);
        assertThat(group.get(McMemberRecord.QKEY)).isEqualTo(0x0123_4567);
        assertThat(group.get(McMemberRecord.HOP_LIMIT)).isEqualTo(64);
        assertThat(group.get(McMemberRecord.MLID)).isZero();
        sa.join(member.copy().set(McMemberRecord.QKEY, 5), results::add);
        network.pass(0);
        assertThat(results.getLast().error()).isEqualTo(Errno.EINVAL);
        membership.close();
        network.pass(0);
        sa.join(member.copy().set(McMemberRecord.QKEY, 5), results::add);
        network.pass(0);
        assertThat(results.getLast().isSuccess()).isTrue();
    }

    @Test
    void otherQueriesFindNoSa() {
        SaRecord service = SaRecord.of(MadAttribute.SERVICE_RECORD).set(ServiceRecord.SERVICE_ID, 1);
        assertRefused(Errno.EAGAIN, () -> sa.query(MadMethod.GET, service, 1000, results::add));
        assertRefused(Errno.EAGAIN, () -> sa.register(service, results::add));
    }

    private static void assertRefused(Errno errno, Runnable call) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(call::run)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(errno));
    }
}
