// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sa;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.verbs.Port;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.sa.McMemberRecord;
import io.rdma4j.wire.mad.sa.ServiceRecord;
import io.rdma4j.wire.mad.sm.Notice;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Multicast groups at a scripted SA, over two real devices in virtual time. */
@ProvedOn("device")
class SaGroupTest {
    private static final Gid GROUP = Gid.parse("ff12::5");
    private static final int FULL = 1;
    private static final int NON_MEMBER = 2;
    private static final int SEND_ONLY = 4;

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

    private static SaRecord member(int joinState) {
        return SaRecord.of(MadAttribute.MC_MEMBER_RECORD)
                .set(McMemberRecord.MGID, GROUP)
                .set(McMemberRecord.JOIN_STATE, joinState);
    }

    private SaRegistration join(SaRecord member) {
        int before = results.size();
        SaRegistration membership = sa.join(member, results::add);
        network.await("the join", () -> results.size() > before);
        return membership;
    }

    @Test
    @Covers({"SA-7", "SA-8"})
    void theFirstMemberJoinsAndTheLastOneLeaves() {
        SaRegistration first = join(member(FULL));
        assertThat(results.getFirst().isSuccess()).isTrue();
        SaRecord group = results.getFirst().records().getFirst();
        assertThat(group.get(McMemberRecord.MLID)).isEqualTo(ScriptedSa.MLID);
        assertThat(group.get(McMemberRecord.QKEY)).isEqualTo(ScriptedSa.QKEY);
        assertThat(group.gid(McMemberRecord.PORT_GID)).isEqualTo(network.client.gid());
        SaClient other = SaClient.open(network.client.services, network.server.gid());
        SaRegistration second = other.join(member(FULL), results::add);
        network.await("the second join", () -> results.size() == 2);
        assertThat(results.getLast().isSuccess()).isTrue();
        first.close();
        first.close();
        network.pass(10);
        assertThat(server.log).containsExactly("SET MC_MEMBER_RECORD 1");
        second.close();
        network.await("the leave", () -> server.log.size() == 2);
        assertThat(server.log).last().isEqualTo("DELETE MC_MEMBER_RECORD 1");
        other.close();
        // A new member joins again.
        join(member(FULL)).close();
        network.await("the second life", () -> server.log.size() == 4);
    }

    @Test
    void eachJoinStateIsJoinedAndLeftOnItsOwn() {
        SaRegistration full = join(member(FULL));
        SaRegistration sender = join(member(SEND_ONLY));
        SaRegistration both = join(member(FULL | NON_MEMBER));
        full.close();
        sender.close();
        both.close();
        network.await("the leaves", () -> server.log.size() == 5);
        assertThat(server.log)
                .containsExactly(
                        "SET MC_MEMBER_RECORD 1",
                        "SET MC_MEMBER_RECORD 4",
                        "SET MC_MEMBER_RECORD 3",
                        "DELETE MC_MEMBER_RECORD 4",
                        "DELETE MC_MEMBER_RECORD 3");
    }

    @Test
    void aLaterMemberMustAgreeWithTheGroup() {
        join(member(FULL).set(McMemberRecord.QKEY, 1));
        join(member(FULL).set(McMemberRecord.QKEY, ScriptedSa.QKEY));
        assertThat(results.getLast().isSuccess()).isTrue();
        join(member(FULL).set(McMemberRecord.QKEY, 0x5555));
        assertThat(results.getLast().error()).isEqualTo(Errno.EINVAL);
        join(member(FULL).set(McMemberRecord.MTU_SELECTOR, 0).set(McMemberRecord.MTU, 3));
        assertThat(results.getLast().isSuccess()).isTrue();
        join(member(FULL).set(McMemberRecord.MTU_SELECTOR, 0).set(McMemberRecord.MTU, 4));
        assertThat(results.getLast().error()).isEqualTo(Errno.EINVAL);
        join(member(FULL).set(McMemberRecord.MTU_SELECTOR, 1).set(McMemberRecord.MTU, 5));
        assertThat(results.getLast().isSuccess()).isTrue();
        join(member(FULL).set(McMemberRecord.MTU_SELECTOR, 2).set(McMemberRecord.MTU, 5));
        assertThat(results.getLast().error()).isEqualTo(Errno.EINVAL);
        assertThat(server.log).hasSize(1);
    }

    @Test
    void aJoinThatIsClosedMeanwhileIsLeftAndNotReported() {
        SaRegistration membership = sa.join(member(FULL), results::add);
        membership.close();
        network.await("the leave", () -> server.log.size() == 2);
        assertThat(server.log).containsExactly("SET MC_MEMBER_RECORD 1", "DELETE MC_MEMBER_RECORD 1");
        assertThat(results).isEmpty();
    }

    /** 3 s for each of three tries. */
    @Test
    void aJoinWithoutAnswerFails() {
        server.silent = true;
        join(member(FULL));
        assertThat(results.getFirst().error()).isEqualTo(Errno.ETIMEDOUT);
        assertThat(network.nowMs()).isEqualTo(9000);
        assertThat(server.log).hasSize(3);
        server.silent = false;
        server.status = MadStatus.SA_INSUFFICIENT_COMPONENTS;
        join(member(FULL));
        assertThat(results.getLast().error()).isEqualTo(Errno.EINVAL);
        assertThat(results.getLast().madStatus()).isEqualTo(MadStatus.SA_INSUFFICIENT_COMPONENTS);
    }

    private void reregister() {
        Port port = network.client.context.port(1);
        port.setInfo(port.info().toBuilder().clientReregister(true).build());
    }

    /** A new subnet manager knows nothing: groups and services are registered again. */
    @Test
    @Covers("SA-11")
    void clientReregisterRepeatsAllRegistrations() {
        SaRegistration first = join(member(FULL));
        join(member(FULL));
        SaRecord service = SaRecord.of(MadAttribute.SERVICE_RECORD).set(ServiceRecord.SERVICE_ID, 9);
        sa.register(service, results::add);
        network.await("the service", () -> results.size() == 3);
        results.clear();
        server.log.clear();
        server.forgetServices();

        reregister();
        network.await("five reports", () -> results.size() == 5);
        assertThat(results.stream().filter(result -> result.error() == Errno.ENETRESET))
                .hasSize(2);
        assertThat(results.stream().filter(SaResult::isSuccess)).hasSize(3);
        assertThat(server.log).containsExactlyInAnyOrder("SET MC_MEMBER_RECORD 1", "SET SERVICE_RECORD");
        assertThat(server.services()).isEqualTo(1);

        // A member that left meanwhile is not joined again.
        first.close();
        server.log.clear();
        results.clear();
        reregister();
        network.await("three reports", () -> results.size() == 3);
        assertThat(server.log).hasSize(2);
    }

    @Test
    void noticesReachTheirSubscribers() {
        List<SaResult> first = new ArrayList<>();
        List<SaResult> second = new ArrayList<>();
        SaRegistration one = sa.subscribe(64, first::add);
        SaRegistration two = sa.subscribe(64, second::add);
        sa.subscribe(65, second::add);
        network.await("the subscriptions", () -> server.subscriptions.size() == 2);
        server.report(64);
        server.report(65);
        server.report(66);
        network.await("the answers", () -> server.reports.size() == 3);
        network.pass(1);
        assertThat(server.reports).containsOnly(WcStatus.SUCCESS);
        assertThat(first).hasSize(1);
        assertThat(first.getFirst().records().getFirst().get(Notice.TRAP_NUMBER))
                .isEqualTo(64);
        assertThat(second).hasSize(2);

        server.subscriptions.clear();
        reregister();
        network.await("the repetition", () -> server.subscriptions.size() == 2);
        one.close();
        one.close();
        network.pass(100);
        assertThat(server.subscriptions).contains(64L);
        two.close();
        network.await("the end", () -> !server.subscriptions.contains(64L));

        server.status = MadStatus.SA_DENIED;
        sa.subscribe(67, first::add);
        network.await("the refusal", () -> first.size() == 2);
        assertThat(first.getLast().madStatus()).isEqualTo(MadStatus.SA_DENIED);
    }

    @Test
    void aJoinThatFailsAfterAChangeIsRepeatedAtTheNextOne() {
        join(member(FULL));
        results.clear();
        server.silent = true;
        reregister();
        network.await("the failure", () -> results.size() == 2);
        assertThat(results).extracting(SaResult::error).containsExactly(Errno.ENETRESET, Errno.ETIMEDOUT);
        server.silent = false;
        results.clear();
        reregister();
        network.await("the join", () -> results.size() == 2);
        assertThat(results.getLast().isSuccess()).isTrue();
    }

    /** The subnet changes while a join is in progress: the answer of the old SA does not count. */
    @Test
    void aChangeDuringAJoinRepeatsIt() {
        sa.join(member(FULL), results::add);
        reregister();
        network.await("the join", () -> !results.isEmpty());
        network.pass(100);
        assertThat(results)
                .hasSize(1)
                .allSatisfy(result -> assertThat(result.isSuccess()).isTrue());
        assertThat(server.log).containsExactly("SET MC_MEMBER_RECORD 1", "SET MC_MEMBER_RECORD 1");
    }
}
