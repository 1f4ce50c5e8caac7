// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import static io.rdma4j.cm.CmNetwork.NONE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.CmReq;
import io.rdma4j.wire.mad.CmSidrReq;
import io.rdma4j.wire.mad.RejectReason;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Floods of forged messages: memory stays within the limits, connections stay. */
class CmFloodTest {
    private static final int MESSAGES = 200_000;
    private static final CmOptions SMALL = new CmOptions(7, 1, 100, 50, 20, 24, CmIdRange.ALL, true);

    private final CmNetwork network = new CmNetwork();
    private final CmNetwork.Node server = network.node(1, "10.77.0.2", SMALL);
    private final CmNetwork.Node client = network.node(2, "10.77.0.3");
    private final SplittableRandom random = new SplittableRandom(42);

    private MemorySegment forgedReq() {
        MemorySegment req = CmWriter.req(
                ReqParameters.builder(client.pathTo(server), CmPair.SERVICE)
                        .queuePair(QpType.RC, random.nextInt(), 1)
                        .build(),
                new MessageIds(random.nextInt() | 1, 0, random.nextLong()),
                client);
        CmReq.LOCAL_CA_GUID.put(req, CmMessage.BODY, random.nextLong());
        return req;
    }

    private CmAddress forgedSource() {
        return server.wayBack(Gid.ofIpv4(random.nextInt()), 0);
    }

    private CmId connect() {
        CmId id = client.id();
        id.sendReq(ReqParameters.builder(client.pathTo(server), CmPair.SERVICE)
                .queuePair(QpType.RC, 5, 6)
                .build());
        network.settle();
        CmId passive = server.lastId();
        passive.sendRep(RepParameters.to(server.last(CmEvent.ReqReceived.class), 8, 9));
        network.settle();
        id.sendRtu(NONE);
        network.settle();
        assertThat(passive.state()).isEqualTo(CmState.ESTABLISHED);
        network.sent.clear();
        return passive;
    }

    @Test
    void theBacklogBoundsRequestsThatTheProgramDoesNotAnswer() {
        CmId listener = server.id();
        listener.listen(CmPair.SERVICE, -1, 10);
        CmId connection = connect();
        for (int i = 0; i < MESSAGES; i++) {
            server.cm.received(forgedReq(), forgedSource());
        }
        assertThat(listener.waiting).isEqualTo(10);
        // Listener, connection and ten requests: each has at most an id, a remote ID and two queue pair numbers.
        assertThat(server.cm.size()).isLessThan(60);
        assertThat(server.counters().dropped(CmDrop.BACKLOG)).isEqualTo(MESSAGES - 10);
        assertThat(connection.state()).isEqualTo(CmState.ESTABLISHED);
        assertThat(network.sent).isEmpty();
    }

    @Test
    void theLimitOfHalfOpenConnectionsBoundsThoseThatTheProgramAccepts() {
        server.listen(CmPair.SERVICE);
        CmId connection = connect();
        server.program = got -> {
            if (got.event() instanceof CmEvent.ReqReceived request) {
                got.id().sendRep(RepParameters.to(request, random.nextInt(0xFF_FFFF), 1));
            }
            server.events.clear();
        };
        for (int i = 0; i < MESSAGES; i++) {
            server.cm.received(forgedReq(), forgedSource());
        }
        assertThat(server.counters().dropped(CmDrop.HALF_OPEN)).isEqualTo(MESSAGES - SMALL.maxHalfOpen());
        assertThat(server.cm.size()).isLessThan(6 * (SMALL.maxHalfOpen() + 3));
        assertThat(connection.state()).isEqualTo(CmState.ESTABLISHED);
        // They end, and requests are accepted again.
        network.isLost = _ -> true;
        network.runToTheEnd();
        server.cm.received(forgedReq(), forgedSource());
        assertThat(server.counters().dropped(CmDrop.HALF_OPEN)).isEqualTo(MESSAGES - SMALL.maxHalfOpen());
    }

    @Test
    void theBacklogAndTheKeptAnswersBoundResolutions() {
        CmId listener = server.id();
        listener.listen(CmPair.SERVICE, -1, 10);
        server.program = got -> {
            if (random.nextInt(4) > 0) {
                got.id().sendSidrRep(SidrRepParameters.success(1, 2, NONE));
                got.id().destroy();
            }
            server.events.clear();
        };
        SidrReqParameters request = SidrReqParameters.of(client.pathTo(server), CmPair.SERVICE, NONE);
        for (int i = 0; i < MESSAGES; i++) {
            MemorySegment mad = CmWriter.sidrReq(request, new MessageIds(random.nextInt(), 0, 1));
            CmSidrReq.REQUEST_ID.put(mad, CmMessage.BODY, random.nextInt());
            server.cm.received(mad, forgedSource());
        }
        assertThat(listener.waiting).isEqualTo(10);
        assertThat(server.cm.size()).isLessThan(SMALL.maxSidrAnswers() + 3 * 12);
    }

    @Test
    void messagesWithGuessedIdsDoNothing() {
        server.listen(CmPair.SERVICE);
        CmId connection = connect();
        int size = server.cm.size();
        CmAddress source = server.wayBack(client.gid(), 0);
        for (int i = 0; i < MESSAGES; i++) {
            MessageIds ids = new MessageIds(random.nextInt(), connection.localId(), random.nextLong());
            if (ids.local() == connection.remoteId()) {
                continue;
            }
            MemorySegment mad = switch (random.nextInt(6)) {
                case 0 -> CmWriter.dreq(ids, 8, NONE);
                case 1 -> CmWriter.drep(ids, NONE);
                case 2 -> CmWriter.rej(ids, random.nextInt(4), RejectReason.NO_QP, NONE, NONE);
                case 3 -> CmWriter.rtu(ids, NONE);
                case 4 -> CmWriter.mra(ids, random.nextInt(4), 31, NONE);
                default -> CmWriter.lap(ids, connection.connection(), client.pathTo(server), 20, NONE);
            };
            server.cm.received(mad, source);
        }
        assertThat(connection.state()).isEqualTo(CmState.ESTABLISHED);
        assertThat(connection.lapState()).isEqualTo(LapState.LAP_UNINIT);
        assertThat(server.cm.size()).isEqualTo(size);
        // This end answers a DREQ of a connection that it does not know, from every sender.
        assertThat(network.sent).allMatch(flight -> flight.is(CmMessage.DREP));
        assertThat(server.counters().dropped(CmDrop.FOREIGN) + network.sent.size())
                .isEqualTo(MESSAGES);
    }

    @Test
    void anEstablishedConnectionIsSmall() {
        server.listen(CmPair.SERVICE);
        connect();
        // Local ID, remote ID, remote and local queue pair number; and the listener with three.
        assertThat(server.cm.size()).isEqualTo(4 + 3);
        assertThat(server.cm.nextDeadline()).isEqualTo(Deadline.NEVER);
    }
}
