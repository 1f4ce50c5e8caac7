// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.sa.McMemberRecord;
import io.rdma4j.wire.mad.sa.PathRecord;
import io.rdma4j.wire.mad.sa.ServiceRecord;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Queries to an SA at another real device, over the MAD layer, in virtual time. */
@ProvedOn("device")
class SaQueryTest {
    private final SaNetwork network = new SaNetwork();
    private final ScriptedSa server = new ScriptedSa(network.server.services);
    private final SaClient sa = SaClient.open(network.client.services, network.server.gid());
    private final List<SaResult> results = new ArrayList<>();

    @AfterEach
    void close() {
        sa.close();
        server.close();
        network.close();
    }

    private SaRecord wanted() {
        return SaRecord.of(MadAttribute.PATH_RECORD)
                .set(PathRecord.DGID, Gid.parse("fe80::17"))
                .set(PathRecord.SGID, network.client.gid())
                .set(PathRecord.PKEY, 0xFFFF)
                .set(PathRecord.NUMB_PATH, 1);
    }

    private SaResult await() {
        network.await("a result", () -> !results.isEmpty());
        return results.getFirst();
    }

    private static SaRecord service(long id, String name) {
        return SaRecord.of(MadAttribute.SERVICE_RECORD)
                .set(ServiceRecord.SERVICE_ID, id)
                .set(ServiceRecord.SERVICE_NAME, name)
                .set(ServiceRecord.SERVICE_LEASE, 0xFFFF_FFFFL);
    }

    private static long mask(MadField... fields) {
        long mask = 0;
        for (MadField field : fields) {
            mask |= field.componentMask();
        }
        return mask;
    }

    @Test
    @Covers({"SA-1", "SA-2", "SA-3", "SA-4"})
    void aPathRecordIsAskedForByItsComponents() {
        SaQuery query = sa.path(wanted(), 1000, results::add);
        assertThat(results).isEmpty();
        SaResult result = await();
        assertThat(result.isSuccess()).isTrue();
        assertThat(result.records()).hasSize(1);
        SaRecord path = result.records().getFirst();
        assertThat(path.get(PathRecord.DLID)).isEqualTo(ScriptedSa.LID_OF_PEER);
        assertThat(path.get(PathRecord.MTU)).isEqualTo(4);
        assertThat(path.get(PathRecord.SL)).isEqualTo(3);
        assertThat(path.gid(PathRecord.SGID)).isEqualTo(network.client.gid());
        assertThat(server.log).containsExactly("GET PATH_RECORD");
        assertThat(server.masks)
                .containsExactly(mask(PathRecord.DGID, PathRecord.SGID, PathRecord.PKEY, PathRecord.NUMB_PATH));
        assertThat(query.id()).isPositive();
        query.cancel();
        network.pass(1000);
        assertThat(results).hasSize(1);
    }

    /** Eleven tries share the timeout; below 11 ms there is one each millisecond. */
    @ParameterizedTest
    @CsvSource({"1000, 91, 11", "2500, 228, 11", "5, 1, 5"})
    @Covers("SA-5")
    void withoutAnswerTheTimeoutIsReportedAndTheQueryCanBeRepeated(int timeoutMs, int eachMs, int tries) {
        server.silent = true;
        sa.path(wanted(), timeoutMs, results::add);
        assertThat(await().error()).isEqualTo(Errno.ETIMEDOUT);
        assertThat(await().records()).isEmpty();
        assertThat(network.nowMs()).isEqualTo((long) eachMs * tries);
        assertThat(server.log).hasSize(tries);
        server.silent = false;
        results.clear();
        sa.path(wanted(), timeoutMs, results::add);
        assertThat(await().isSuccess()).isTrue();
    }

    @Test
    @Covers("SA-6")
    void aCancelledQueryEndsWithEintr() {
        server.silent = true;
        SaQuery first = sa.path(wanted(), 60_000, results::add);
        SaQuery second = sa.path(wanted(), 60_000, results::add);
        assertThat(second.id()).isNotEqualTo(first.id());
        network.pass(10);
        first.cancel();
        network.pass(0);
        assertThat(results).extracting(SaResult::error).containsExactly(Errno.EINTR);
        second.cancel();
        first.cancel();
        network.pass(100_000);
        assertThat(results).extracting(SaResult::error).containsExactly(Errno.EINTR, Errno.EINTR);
    }

    @Test
    void aRejectionOfTheSaHasItsStatus() {
        server.status = MadStatus.SA_NO_RECORDS;
        sa.path(wanted(), 1000, results::add);
        assertThat(await()).isEqualTo(new SaResult(Errno.EINVAL, MadStatus.SA_NO_RECORDS, List.of()));
    }

    @Test
    @Covers("SA-9")
    void aGroupIsAskedForWithoutJoiningIt() {
        SaRecord group = SaRecord.of(MadAttribute.MC_MEMBER_RECORD).set(McMemberRecord.MGID, Gid.parse("ff12::5"));
        sa.query(MadMethod.GET, group, 1000, results::add);
        assertThat(await().records().getFirst().get(McMemberRecord.MLID)).isEqualTo(ScriptedSa.MLID);
        assertThat(server.log).containsExactly("GET MC_MEMBER_RECORD 0");
    }

    @Test
    @Covers("SA-10")
    void servicesAreRegisteredAndFound() {
        List<SaRegistration> registrations = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            registrations.add(sa.register(service(100 + i, "service " + i), results::add));
        }
        network.await("the registrations", () -> results.size() == 30);
        assertThat(results).allSatisfy(result -> assertThat(result.isSuccess()).isTrue());
        results.clear();
        SaRecord wanted = SaRecord.of(MadAttribute.SERVICE_RECORD).set(ServiceRecord.SERVICE_ID, 107);
        sa.query(MadMethod.GET, wanted, 1000, results::add);
        assertThat(await().records().getFirst().text(ServiceRecord.SERVICE_NAME))
                .isEqualTo("service 7");

        // All of them: a table of many datagrams.
        results.clear();
        sa.query(MadMethod.GET_TABLE, SaRecord.of(MadAttribute.SERVICE_RECORD), 10_000, results::add);
        assertThat(await().records()).hasSize(30);
        assertThat(await().records())
                .extracting(record -> record.get(ServiceRecord.SERVICE_ID))
                .contains(100L, 129L);

        registrations.forEach(SaRegistration::close);
        registrations.forEach(SaRegistration::close);
        network.await("the deletions", () -> server.services() == 0);
    }

    @Test
    void whatIsNoQueryIsRefused() {
        SaRecord group = SaRecord.of(MadAttribute.MC_MEMBER_RECORD);
        assertRefused(() -> sa.path(group, 1000, results::add), "PATH_RECORD");
        assertRefused(() -> sa.path(wanted(), 0, results::add), "0 ms");
        assertRefused(() -> sa.query(MadMethod.GET, group, 0, results::add), "0 ms");
        assertRefused(() -> sa.join(group, results::add), "MGID");
        assertRefused(() -> sa.join(wanted(), results::add), "MGID");
        assertRefused(() -> sa.register(wanted(), results::add), "ServiceRecord");
        assertRefused(() -> group.set(PathRecord.DLID, 1), "MC_MEMBER_RECORD");
        assertRefused(() -> service(1, "x".repeat(65)), "64");
        SaClient closed = SaClient.open(network.client.services, network.server.gid());
        closed.close();
        closed.close();
        assertRefused(() -> closed.path(wanted(), 1000, results::add), "closed");
    }

    private static void assertRefused(Runnable call, String word) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(call::run)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                .satisfies(e -> assertThat(e.getMessage()).contains(word));
    }

    @Test
    void closingTheLastUserEndsItsQueries() {
        server.silent = true;
        SaClient second = SaClient.open(network.client.services, network.server.gid());
        sa.path(wanted(), 60_000, results::add);
        network.pass(1);
        sa.close();
        assertThat(results).isEmpty();
        second.close();
        assertThat(results).extracting(SaResult::error).containsExactly(Errno.EINTR);
    }

    @Test
    void anAttributeOfAnotherClassIsNoRecord() {
        assertThatThrownBy(() -> SaRecord.of(MadAttribute.PORT_INFO))
                .hasMessageContaining("PORT_INFO is no attribute of subnet administration");
    }
}
