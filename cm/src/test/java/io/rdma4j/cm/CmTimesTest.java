// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import static io.rdma4j.cm.CmNetwork.NONE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.CmReq;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Repetitions, timeouts and time-wait, to the millisecond of virtual time. */
class CmTimesTest {
    private final CmPair pair = new CmPair();
    private final CmNetwork network = pair.network;

    private List<Long> timesOf(CmMessage message) {
        List<Long> times = new ArrayList<>();
        network.isLost = flight -> {
            if (flight.is(message)) {
                times.add(network.nowMs());
                return true;
            }
            return false;
        };
        return times;
    }

    private void assertEvery(List<Long> times, long periodMs) {
        assertThat(times).hasSize(16);
        for (int i = 0; i < times.size(); i++) {
            assertThat(times.get(i)).isEqualTo(times.getFirst() + i * periodMs);
        }
    }

    @Test
    void exponentsBecomePowersOfTwoOfAMillisecond() {
        assertThat(CmTimes.nanos(0)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(1));
        assertThat(CmTimes.nanos(8)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(1));
        assertThat(CmTimes.nanos(16)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(256));
        assertThat(CmTimes.nanos(20)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(4096));
        assertThat(CmTimes.nanos(24)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(65_536));
    }

    @Test
    void theAckTimeoutCoversRoundTripAndDelay() {
        assertThat(CmTimes.ackTimeout(15, 18)).isEqualTo(19);
        assertThat(CmTimes.ackTimeout(15, 16)).isEqualTo(17);
        assertThat(CmTimes.ackTimeout(15, 14)).isEqualTo(16);
        assertThat(CmTimes.ackTimeout(20, 18)).isEqualTo(21);
        assertThat(CmTimes.ackTimeout(20, 10)).isEqualTo(20);
        assertThat(CmTimes.ackTimeout(0, 31)).isEqualTo(31);
        assertThat(CmTimes.ackTimeout(31, 31)).isEqualTo(31);
    }

    @Test
    void aRequestIsRepeatedFifteenTimesWithTheSameBytes() {
        List<Long> times = timesOf(CmMessage.REQ);
        pair.active.sendReq(pair.request().build());
        network.runToTheEnd();

        assertEvery(times, 6144);
        assertThat(network.nowMs()).isEqualTo(98_304);
        assertThat(pair.client.last(CmEvent.NoResponse.class).message()).isEqualTo(CmMessage.REQ);
        assertThat(pair.active.state()).isEqualTo(CmState.IDLE);
        assertThat(network.sent)
                .allSatisfy(flight -> assertThat(flight.bytes())
                        .isEqualTo(network.sent.getFirst().bytes()));
        assertThat(pair.client.counters().sent(CmMessage.REQ)).isEqualTo(16);
        assertThat(pair.client.counters().retried(CmMessage.REQ)).isEqualTo(15);
    }

    @Test
    void aShorterPacketLifetimeShortensTheRequest() {
        List<Long> times = timesOf(CmMessage.REQ);
        CmPath path = pair.client.pathTo(pair.server).withPacketLifetime(16);
        pair.active.sendReq(ReqParameters.builder(path, CmPair.SERVICE).build());
        network.runToTheEnd();
        assertEvery(times, 4608);
        assertThat(CmReq.PRIMARY_LOCAL_ACK_TIMEOUT.get(network.sent.getFirst().segment(), CmMessage.BODY))
                .isEqualTo(17);
    }

    @Test
    void aReplyIsRepeatedAsTheRequestDemands() {
        pair.requested();
        List<Long> times = timesOf(CmMessage.REP);
        pair.passive().sendRep(pair.reply(pair.server.events.getLast()));
        // The client would give up first.
        network.isLost = network.isLost.or(flight -> flight.from() == pair.client);
        network.runToTheEnd();

        assertEvery(times, 4096);
        assertThat(pair.server.last(CmEvent.NoResponse.class).message()).isEqualTo(CmMessage.REP);
        assertThat(pair.passive().state()).isEqualTo(CmState.IDLE);
    }

    @Test
    void theRequestSaysHowOftenTheReplyIsRepeated() {
        pair.server.listen(CmPair.SERVICE);
        pair.active.sendReq(pair.request().responseTimeouts(20, 18, 3).build());
        network.settle();
        List<Long> times = timesOf(CmMessage.REP);
        pair.server.lastId().sendRep(pair.reply(pair.server.events.getLast()));
        network.runToTheEnd();
        assertThat(times).containsExactly(0L, 1024L, 2048L, 3072L);
    }

    @Test
    void aDisconnectionWithoutAnswerEndsInTimeWait() {
        pair.established();
        List<Long> times = timesOf(CmMessage.DREQ);
        pair.active.sendDreq(NONE);
        network.runUntil(98_304);
        assertEvery(times, 6144);
        assertThat(pair.active.state()).isEqualTo(CmState.TIMEWAIT);
        assertThat(pair.client.last(CmEvent.NoResponse.class).message()).isEqualTo(CmMessage.DREQ);
        network.runUntil(98_304 + 2047);
        assertThat(pair.active.state()).isEqualTo(CmState.TIMEWAIT);
        network.runUntil(98_304 + 2048);
        assertThat(pair.active.state()).isEqualTo(CmState.IDLE);
    }

    @Test
    void thePassiveSideRepeatsItsDisconnectionLikeItsReply() {
        pair.established();
        List<Long> times = timesOf(CmMessage.DREQ);
        pair.passive().sendDreq(NONE);
        network.runToTheEnd();
        assertEvery(times, 4096);
    }

    @Test
    void anMraGivesThePeerMoreTime() {
        pair.requested();
        pair.passive().sendMra(24, false, NONE);
        List<Long> times = timesOf(CmMessage.REQ);
        network.settle();
        assertThat(pair.active.state()).isEqualTo(CmState.MRA_REQ_RCVD);
        assertThat(pair.client.last(CmEvent.MraReceived.class).serviceTimeout()).isEqualTo(24);
        network.runUntil(200_000);
        // The service timeout and that of the path.
        assertThat(times).startsWith(65_536L + 2048, 2 * (65_536L + 2048));
        network.runToTheEnd();
        assertThat(times).hasSize(15);
        assertThat(pair.client.last(CmEvent.NoResponse.class).message()).isEqualTo(CmMessage.REQ);
    }

    @Test
    void aDelayedMraWaitsForTheRepeatedRequest() {
        pair.requested();
        pair.passive().sendMra(24, true, NONE);
        network.settle();
        assertThat(network.count(CmMessage.MRA)).isZero();
        assertThat(pair.passive().state()).isEqualTo(CmState.MRA_REQ_SENT);
        network.runUntil(6144);
        assertThat(network.count(CmMessage.MRA)).isOne();
        assertThat(pair.active.state()).isEqualTo(CmState.MRA_REQ_RCVD);
        network.runUntil(14_000);
        assertThat(network.count(CmMessage.REQ)).isEqualTo(2);
        pair.passive().sendRep(pair.reply(pair.server.events.getFirst()));
        network.settle();
        assertThat(pair.active.state()).isEqualTo(CmState.REP_RCVD);
    }

    @Test
    void anMraForTheReplyGivesTheActiveSideMoreTime() {
        pair.confirmable();
        pair.active.sendMra(20, false, NONE);
        network.settle();
        assertThat(pair.passive().state()).isEqualTo(CmState.MRA_REP_RCVD);
        assertThat(pair.server.last(CmEvent.MraReceived.class).message()).isEqualTo(CmMessage.REP);
        network.runUntil(4096 + 2048 - 1);
        assertThat(network.count(CmMessage.REP)).isOne();
        network.runUntil(4096 + 2048);
        // The repeated reply is answered by the MRA again.
        assertThat(network.count(CmMessage.REP)).isEqualTo(2);
        assertThat(network.count(CmMessage.MRA)).isEqualTo(2);
        assertThat(pair.server.counters().duplicates(CmMessage.MRA)).isOne();
        pair.active.sendRtu(NONE);
        network.settle();
        assertThat(pair.passive().state()).isEqualTo(CmState.ESTABLISHED);
    }

    @Test
    void timeoutsOfThePeerAreCutToTheOption() {
        pair.server.listen(CmPair.SERVICE);
        pair.active.sendReq(pair.request().responseTimeouts(20, 31, 0).build());
        network.settle();
        pair.server.lastId().sendRep(pair.reply(pair.server.events.getLast()));
        network.isLost = _ -> true;
        network.flights.clear();
        network.runToTheEnd();
        assertThat(network.nowMs()).isEqualTo(65_536);
    }

    @Test
    void aManagerWithoutExchangesHasNoDeadline() {
        pair.server.listen(CmPair.SERVICE);
        assertThat(pair.server.cm.nextDeadline()).isEqualTo(Deadline.NEVER);
        assertThat(pair.server.cm.advance(5)).isEqualTo(Deadline.NEVER);
    }

    @Test
    void moreTimeWaitsThanTheLimitEndTheOldestEarly() {
        CmNetwork.Node small = network.node(9, "10.77.0.9", new CmOptions(9, 1, 10, 2, 10, 24, CmIdRange.ALL, true));
        pair.server.listen(CmPair.SERVICE);
        pair.server.program = got -> {
            switch (got.event()) {
                case CmEvent.ReqReceived request ->
                    got.id().sendRep(RepParameters.to(request, 100 + pair.server.events.size(), 1));
                case CmEvent.DreqReceived _ -> got.id().sendDrep(NONE);
                default -> {}
            }
        };
        List<CmId> ids = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            CmId id = small.id();
            id.sendReq(ReqParameters.builder(small.pathTo(pair.server), CmPair.SERVICE)
                    .queuePair(QpType.RC, 50 + i, 0)
                    .build());
            network.settle();
            id.sendRtu(NONE);
            id.sendDreq(NONE);
            network.settle();
            ids.add(id);
        }
        assertThat(ids).extracting(CmId::state).containsExactly(CmState.IDLE, CmState.TIMEWAIT, CmState.TIMEWAIT);
        assertThat(small.count(CmEvent.TimewaitExit.class)).isOne();
    }
}
