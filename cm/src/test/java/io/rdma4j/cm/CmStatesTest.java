// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import static io.rdma4j.cm.CmNetwork.NONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.AlternatePathStatus;
import io.rdma4j.wire.mad.CmLap;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.RejectReason;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every call and every message in every state does what the table says, and nothing if it says nothing. */
class CmStatesTest {
    private static final int UNKNOWN_PEER_ID = 0x1234_5678;

    /** Messages that the states of connections are tried with. */
    private static final Set<CmTrigger> MESSAGES = EnumSet.of(
            CmTrigger.REPEATED_REQ,
            CmTrigger.MRA_OF_REQ,
            CmTrigger.MRA_OF_REP,
            CmTrigger.REP,
            CmTrigger.RTU,
            CmTrigger.REJ,
            CmTrigger.REJ_STALE,
            CmTrigger.DREQ,
            CmTrigger.DREP,
            CmTrigger.SIDR_REP);

    /** An id in some state, and its peer. */
    private record Subject(CmPair pair, CmNetwork.Node node, CmNetwork.Node peer, CmId id) {
        static Subject active(CmPair pair) {
            return new Subject(pair, pair.client, pair.server, pair.active);
        }

        static Subject passive(CmPair pair) {
            return new Subject(pair, pair.server, pair.client, pair.passive());
        }

        void receive(MemorySegment mad) {
            node.cm.received(mad, node.wayBack(peer.gid(), 0));
        }
    }

    private static Subject subject(CmState state) {
        CmPair pair = new CmPair();
        Subject subject = switch (state) {
            case IDLE -> Subject.active(pair);
            case LISTEN -> new Subject(pair, pair.server, pair.client, pair.server.listen(CmPair.SERVICE));
            case REQ_SENT -> Subject.active(pair.requested());
            case REQ_RCVD -> Subject.passive(pair.requested());
            case MRA_REQ_SENT -> Subject.passive(pair.requested());
            case MRA_REQ_RCVD -> Subject.active(pair.requested());
            case REP_SENT -> Subject.passive(pair.confirmable());
            case REP_RCVD, MRA_REP_SENT -> Subject.active(pair.confirmable());
            case MRA_REP_RCVD -> Subject.passive(pair.confirmable());
            case ESTABLISHED, DREQ_SENT, TIMEWAIT -> Subject.active(pair.established());
            case DREQ_RCVD -> Subject.passive(pair.established());
            case SIDR_REQ_SENT -> Subject.active(pair);
            case SIDR_REQ_RCVD -> sidr(pair);
        };
        switch (state) {
            case MRA_REQ_SENT, MRA_REQ_RCVD -> pair.passive().sendMra(20, false, NONE);
            case MRA_REP_SENT, MRA_REP_RCVD -> pair.active.sendMra(20, false, NONE);
            case DREQ_SENT, DREQ_RCVD, TIMEWAIT -> pair.active.sendDreq(NONE);
            case SIDR_REQ_SENT ->
                pair.active.sendSidrReq(SidrReqParameters.of(pair.client.pathTo(pair.server), CmPair.SERVICE, NONE));
            default -> {}
        }
        if (state == CmState.TIMEWAIT) {
            pair.network.settle();
            pair.passive().sendDrep(NONE);
        }
        if (state != CmState.SIDR_REQ_SENT) {
            pair.network.settle();
        }
        assertThat(subject.id().state()).isEqualTo(state);
        pair.client.events.clear();
        pair.server.events.clear();
        pair.network.sent.clear();
        return subject;
    }

    private static Subject sidr(CmPair pair) {
        pair.server.listen(CmPair.SERVICE);
        pair.active.sendSidrReq(SidrReqParameters.of(pair.client.pathTo(pair.server), CmPair.SERVICE, NONE));
        pair.network.settle();
        return new Subject(pair, pair.server, pair.client, pair.server.lastId());
    }

    private static MemorySegment message(Subject subject, CmTrigger trigger) {
        CmId id = subject.id();
        int peerId = id.remoteId() == 0 ? UNKNOWN_PEER_ID : id.remoteId();
        MessageIds ids = new MessageIds(peerId, id.localId(), 77);
        int rejected = id.remoteId() == 0 ? 0 : 2;
        int qpn = id.connection == null ? 0 : id.connection.localQpn;
        return switch (trigger) {
            case REPEATED_REQ ->
                CmWriter.req(subject.pair().request().build(), new MessageIds(peerId, 0, 77), subject.peer());
            case MRA_OF_REQ -> CmWriter.mra(ids, 0, 20, NONE);
            case MRA_OF_REP -> CmWriter.mra(ids, 1, 20, NONE);
            case REP ->
                CmWriter.rep(
                        new RepParameters(9, 9, 1, 1, 0, false, 7, false, Ece.NONE, NONE),
                        ids,
                        subject.peer(),
                        QpType.RC);
            case RTU -> CmWriter.rtu(ids, NONE);
            case REJ -> CmWriter.rej(ids, rejected, RejectReason.CONSUMER_DEFINED, NONE, NONE);
            case REJ_STALE -> CmWriter.rej(ids, rejected, RejectReason.STALE_CONNECTION, NONE, NONE);
            case DREQ -> CmWriter.dreq(ids, qpn, NONE);
            case DREP -> CmWriter.drep(ids, NONE);
            case SIDR_REP ->
                CmWriter.sidrRep(
                        SidrRepParameters.success(1, 2, NONE), new MessageIds(0, id.localId(), 77), CmPair.SERVICE);
            default -> throw new AssertionError(trigger);
        };
    }

    @ParameterizedTest
    @EnumSource
    void everyMessageDoesWhatTheTableSays(CmState state) {
        for (CmTrigger trigger : MESSAGES) {
            Subject subject = subject(state);
            boolean isNewRequest =
                    trigger == CmTrigger.REPEATED_REQ && subject.id().remoteId() == 0;
            boolean isUnanswerable = state == CmState.SIDR_REQ_RCVD || state == CmState.MRA_REQ_RCVD;
            if (isNewRequest || isUnanswerable && trigger == CmTrigger.REPEATED_REQ) {
                continue;
            }
            CmStateTable.Step step = CmStateTable.step(state, trigger);
            subject.receive(message(subject, trigger));

            CmState next = step == null ? state : step.next();
            assertThat(subject.id().state()).as("%s in %s", trigger, state).isEqualTo(next);
            boolean proceeds = step != null && step.action() == CmAction.PROCEED;
            assertThat(subject.node().events).as("%s in %s", trigger, state).hasSize(proceeds ? 1 : 0);
            // A DREQ of a connection that the id does not have is answered for the sake of the peer.
            boolean isUnknown = subject.id().connection == null || subject.id().remoteId() == 0;
            boolean answers = trigger == CmTrigger.DREQ && step == null && isUnknown
                    || step != null
                            && (step.action() == CmAction.REPEAT_ANSWER || step.action() == CmAction.REJECT_STALE);
            assertThat(subject.pair().network.sent)
                    .as("%s in %s", trigger, state)
                    .hasSize(answers ? 1 : 0);
        }
    }

    private static final Map<CmTrigger, Function<Subject, Runnable>> CALLS = new EnumMap<>(CmTrigger.class);

    static {
        call(CmTrigger.LISTEN, subject -> () -> subject.id().listen(1, -1, 1));
        call(
                CmTrigger.SEND_REQ,
                subject -> () -> subject.id().sendReq(subject.pair().request().build()));
        call(
                CmTrigger.SEND_REP,
                subject ->
                        () -> subject.id().sendRep(new RepParameters(9, 9, 1, 1, 0, false, 7, false, Ece.NONE, NONE)));
        call(CmTrigger.SEND_RTU, subject -> () -> subject.id().sendRtu(NONE));
        call(CmTrigger.SEND_MRA, subject -> () -> subject.id().sendMra(20, true, NONE));
        call(CmTrigger.SEND_REJ, subject -> () -> subject.id().sendRej(RejectReason.NO_RESOURCES, NONE, NONE));
        call(CmTrigger.SEND_DREQ, subject -> () -> subject.id().sendDreq(NONE));
        call(CmTrigger.SEND_DREP, subject -> () -> subject.id().sendDrep(NONE));
        call(
                CmTrigger.SEND_SIDR_REQ,
                subject -> () -> subject.id()
                        .sendSidrReq(
                                SidrReqParameters.of(subject.node().pathTo(subject.peer()), CmPair.SERVICE, NONE)));
        call(CmTrigger.SEND_SIDR_REP, subject -> () -> subject.id().sendSidrRep(SidrRepParameters.success(1, 2, NONE)));
    }

    private static void call(CmTrigger trigger, Function<Subject, Runnable> code) {
        CALLS.put(trigger, code);
    }

    @ParameterizedTest
    @EnumSource
    void everyCallDoesWhatTheTableSays(CmState state) {
        CALLS.forEach((trigger, code) -> {
            Subject subject = subject(state);
            CmStateTable.Step step = CmStateTable.step(state, trigger);
            Runnable call = code.apply(subject);
            if (step == null) {
                assertThatExceptionOfType(RdmaException.class)
                        .as("%s in %s", trigger, state)
                        .isThrownBy(call::run)
                        .withMessageContaining(state.toString())
                        .extracting(RdmaException::errno)
                        .isEqualTo(Errno.EINVAL);
                assertThat(subject.id().state()).isEqualTo(state);
                assertThat(subject.pair().network.sent).isEmpty();
            } else {
                call.run();
                assertThat(subject.id().state()).as("%s in %s", trigger, state).isEqualTo(step.next());
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void destroyInEachStateSendsWhatTheTableSaysAndLeavesNothing(CmState state) {
        Subject subject = subject(state);
        CmAction action = Objects.requireNonNull(CmStateTable.step(state, CmTrigger.DESTROY))
                .action();
        subject.id().destroy();
        subject.id().destroy();

        CmMessage expected = switch (action) {
            case REJECT_TIMEOUT, REJECT_CONSUMER -> CmMessage.REJ;
            case DISCONNECT -> CmMessage.DREQ;
            case ANSWER_DREQ -> CmMessage.DREP;
            case REJECT_SIDR -> CmMessage.SIDR_REP;
            default -> null;
        };
        assertThat(subject.pair().network.sent)
                .extracting(CmNetwork.Flight::message)
                .isEqualTo(expected == null ? List.of() : List.of(expected));
        assertThat(subject.node().cm.ids()).doesNotContain(subject.id());
        subject.pair().network.isLost = _ -> true;
        subject.pair().network.flights.clear();
        subject.pair().network.runToTheEnd();
        subject.node().cm.destroyIds();
        subject.pair().network.runToTheEnd();
        assertThat(subject.node().events).isEmpty();
        int answers = state == CmState.SIDR_REQ_RCVD ? 1 : 0;
        assertThat(subject.node().cm.size()).isEqualTo(answers);
    }

    /** The states of the alternate path, of an established connection. */
    private static Subject subject(LapState state) {
        CmPair pair = new CmPair();
        pair.client.addGid("10.78.0.3");
        pair.server.addGid("10.78.0.2");
        pair.established();
        CmPath alternate = pair.client.pathTo(pair.server, 1, 1);
        Subject subject = switch (state) {
            case LAP_UNINIT, LAP_SENT, MRA_LAP_RCVD, LAP_IDLE -> Subject.active(pair);
            case LAP_RCVD, MRA_LAP_SENT -> Subject.passive(pair);
        };
        if (state != LapState.LAP_UNINIT) {
            pair.active.sendLap(alternate, NONE);
        }
        if (state == LapState.LAP_SENT) {
            pair.network.flights.clear();
        }
        pair.network.settle();
        if (state == LapState.MRA_LAP_SENT || state == LapState.MRA_LAP_RCVD) {
            pair.passive().sendMra(20, false, NONE);
        }
        if (state == LapState.LAP_IDLE) {
            pair.passive().sendApr(AlternatePathStatus.SUCCESS, NONE, NONE);
        }
        pair.network.settle();
        assertThat(subject.id().lapState()).isEqualTo(state);
        subject.node().events.clear();
        return subject;
    }

    @ParameterizedTest
    @EnumSource
    void everyMessageAndCallOfTheAlternatePathDoesWhatTheTableSays(LapState state) {
        for (CmTrigger trigger : EnumSet.of(
                CmTrigger.LAP,
                CmTrigger.APR,
                CmTrigger.MRA_OF_LAP,
                CmTrigger.SEND_LAP,
                CmTrigger.SEND_APR,
                CmTrigger.SEND_MRA)) {
            Subject subject = subject(state);
            CmId id = subject.id();
            MessageIds ids = new MessageIds(id.remoteId(), id.localId(), id.lapTransaction);
            CmPath fromPeer = subject.peer().pathTo(subject.node(), 1, 1);
            Runnable act = switch (trigger) {
                case LAP -> () -> subject.receive(lap(subject, fromPeer));
                case APR -> () -> subject.receive(CmWriter.apr(ids, AlternatePathStatus.REJECT, NONE, NONE));
                case MRA_OF_LAP -> () -> subject.receive(CmWriter.mra(ids, 2, 20, NONE));
                case SEND_LAP -> () -> id.sendLap(subject.node().pathTo(subject.peer(), 1, 1), NONE);
                case SEND_APR -> () -> id.sendApr(AlternatePathStatus.REJECT, NONE, NONE);
                case SEND_MRA -> () -> id.sendMra(20, true, NONE);
                default -> throw new AssertionError(trigger);
            };
            CmStateTable.LapStep step = CmStateTable.lapStep(state, trigger);
            if (step == null && trigger.kind() == CmTrigger.Kind.CALL) {
                assertThatExceptionOfType(RdmaException.class)
                        .as("%s in %s", trigger, state)
                        .isThrownBy(act::run)
                        .withMessageContaining(state.toString());
            } else {
                act.run();
            }
            LapState next = step == null ? state : step.next();
            if (trigger == CmTrigger.LAP && state == LapState.LAP_IDLE) {
                next = LapState.LAP_IDLE; // The path is the current one, which is answered at once.
            }
            assertThat(id.lapState()).as("%s in %s", trigger, state).isEqualTo(next);
        }
    }

    private static MemorySegment lap(Subject subject, CmPath path) {
        CmId id = subject.id();
        MessageIds ids = new MessageIds(id.remoteId(), id.localId(), 4711);
        MemorySegment mad = CmWriter.lap(ids, id.connection(), path, 20, NONE);
        CmLap.REMOTE_QPN.put(mad, Mad.HEADER_BYTES, id.connection().localQpn);
        return mad;
    }
}
