// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import static io.rdma4j.cm.CmNetwork.NONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.RejectReason;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Connections without loss: messages, events, attributes of the queue pairs, wrong use. */
class CmConnectionTest {
    private final CmPair pair = new CmPair();

    private static void assertInvalid(ThrowingCallable call, String text) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(call)
                .withMessageContaining(text)
                .extracting(RdmaException::errno)
                .isEqualTo(Errno.EINVAL);
    }

    @Test
    void requestReplyAndReadyToUseEstablishAConnection() {
        pair.established();

        assertThat(pair.client.eventTypes()).isEqualTo(List.of(CmEvent.RepReceived.class));
        assertThat(pair.server.eventTypes()).isEqualTo(List.of(CmEvent.ReqReceived.class, CmEvent.RtuReceived.class));
        assertThat(pair.network.sent)
                .extracting(CmNetwork.Flight::message)
                .containsExactly(CmMessage.REQ, CmMessage.REP, CmMessage.RTU);
        assertThat(pair.active.remoteId()).isEqualTo(pair.passive().localId());
        assertThat(pair.passive().remoteId()).isEqualTo(pair.active.localId());
        assertThat(pair.active.localId()).isNotZero();
    }

    @Test
    void theEventOfARequestHasItsContentsCrossed() {
        pair.server.listen(CmPair.SERVICE);
        pair.active.sendReq(pair.request()
                .resources(3, 5)
                .retryCounts(4, 6)
                .responseTimeouts(18, 19, 9)
                .receiveQueue(true, true)
                .ece(new Ece(0x12_3456, 0xABCD))
                .privateData(CmPair.bytes(56))
                .build());
        pair.network.settle();

        CmEvent.ReqReceived event = pair.server.last(CmEvent.ReqReceived.class);
        assertThat(event.responderResources()).isEqualTo(5);
        assertThat(event.initiatorDepth()).isEqualTo(3);
        assertThat(event.retryCount()).isEqualTo(4);
        assertThat(event.rnrRetryCount()).isEqualTo(6);
        assertThat(event.localCmResponseTimeout()).isEqualTo(18);
        assertThat(event.remoteCmResponseTimeout()).isEqualTo(19);
        assertThat(event.flowControl()).isTrue();
        assertThat(event.srq()).isTrue();
        assertThat(event.ece()).isEqualTo(new Ece(0x12_3456, 0xABCD));
        assertThat(event.serviceId()).isEqualTo(CmPair.SERVICE);
        assertThat(event.remoteCaGuid()).isEqualTo(pair.client.guid());
        assertThat(event.remoteQpn()).isEqualTo(CmPair.CLIENT_QPN);
        assertThat(event.startingPsn()).isEqualTo(CmPair.CLIENT_PSN);
        assertThat(event.qpType()).isEqualTo(QpType.RC);
        assertThat(event.path().destinationGid()).isEqualTo(pair.client.gid());
        assertThat(event.path().sourceGid()).isEqualTo(pair.server.gid());
        assertThat(event.alternatePath()).isNull();
        assertThat(event.privateData().byteSize()).isEqualTo(92);
        assertThat(event.privateData().asSlice(0, 56).mismatch(CmPair.bytes(56)))
                .isEqualTo(-1);
        assertThat(event.privateData().asSlice(56).mismatch(MemorySegment.ofArray(new byte[36])))
                .isEqualTo(-1);
    }

    @Test
    void theIdOfARequestKnowsItsListenerAndMayHaveAHandlerOfItsOwn() {
        CmId listener = pair.server.listen(CmPair.SERVICE);
        pair.active.sendReq(pair.request().build());
        pair.network.settle();
        CmId child = pair.server.lastId();
        assertThat(child.listenId()).isSameAs(listener);
        assertThat(child.serviceId()).isEqualTo(CmPair.SERVICE);

        List<CmEvent> own = new ArrayList<>();
        child.setHandler((_, event) -> own.add(event));
        child.sendRep(pair.reply(pair.server.events.getLast()));
        pair.network.settle();
        pair.active.sendRtu(NONE);
        pair.network.settle();

        assertThat(own).hasExactlyElementsOfTypes(CmEvent.RtuReceived.class);
        assertThat(pair.server.events).hasSize(1);
    }

    @Test
    void bothEndsGetTheAttributesOfTheirQueuePairs() {
        pair.server.listen(CmPair.SERVICE);
        pair.active.sendReq(pair.request().resources(2, 3).retryCounts(5, 1).build());
        QpAttributes init = pair.active.initQpAttributes(QpState.INIT);
        assertThat(init.mask())
                .isEqualTo(
                        Set.of(QpAttribute.STATE, QpAttribute.PKEY_INDEX, QpAttribute.PORT, QpAttribute.ACCESS_FLAGS));
        assertThat(init.accessFlags())
                .isEqualTo(Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC));
        pair.network.settle();
        CmId passive = pair.server.lastId();
        passive.sendRep(new RepParameters(
                CmPair.SERVER_QPN, CmPair.SERVER_PSN, 3, 2, 0, false, 6, false, Ece.NONE, MemorySegment.NULL));
        pair.network.settle();

        QpAttributes active = pair.active.initQpAttributes(QpState.RTR);
        assertThat(active.destinationQpn()).isEqualTo(CmPair.SERVER_QPN);
        assertThat(active.rqPsn()).isEqualTo(CmPair.CLIENT_PSN);
        assertThat(active.pathMtu()).isEqualTo(Mtu.MTU_1024);
        assertThat(active.maxDestRdAtomic()).isEqualTo(2);
        assertThat(Objects.requireNonNull(
                                Objects.requireNonNull(active.addressVector()).route())
                        .destination())
                .isEqualTo(pair.server.gid());
        QpAttributes activeRts = pair.active.initQpAttributes(QpState.RTS);
        assertThat(activeRts.sqPsn()).isEqualTo(CmPair.SERVER_PSN);
        assertThat(activeRts.retryCount()).isEqualTo(5);
        assertThat(activeRts.rnrRetry()).isEqualTo(6);
        assertThat(activeRts.maxRdAtomic()).isEqualTo(3);
        assertThat(activeRts.timeout()).isEqualTo(19);

        QpAttributes server = passive.initQpAttributes(QpState.RTR);
        assertThat(server.destinationQpn()).isEqualTo(CmPair.CLIENT_QPN);
        assertThat(server.rqPsn()).isEqualTo(CmPair.SERVER_PSN);
        assertThat(server.maxDestRdAtomic()).isEqualTo(3);
        QpAttributes serverRts = passive.initQpAttributes(QpState.RTS);
        assertThat(serverRts.sqPsn()).isEqualTo(CmPair.CLIENT_PSN);
        assertThat(serverRts.retryCount()).isEqualTo(5);
        assertThat(serverRts.rnrRetry()).isEqualTo(1);
        assertThat(serverRts.maxRdAtomic()).isEqualTo(2);
        assertThat(serverRts.timeout()).isEqualTo(19);
    }

    @Test
    void withoutResponderResourcesTheQueuePairServesWritesOnly() {
        pair.active.sendReq(pair.request().resources(0, 0).build());
        assertThat(pair.active.initQpAttributes(QpState.INIT).accessFlags()).isEqualTo(Set.of(AccessFlag.REMOTE_WRITE));
    }

    @Test
    void anUnreliableConnectionHasNoAttributesOfReliability() {
        pair.server.listen(CmPair.SERVICE);
        pair.active.sendReq(pair.request().queuePair(QpType.UC, 7, 8).build());
        pair.network.settle();
        assertThat(pair.server.last(CmEvent.ReqReceived.class).qpType()).isEqualTo(QpType.UC);
        pair.server.lastId().sendRep(pair.reply(pair.server.events.getLast()));
        pair.network.settle();

        assertThat(pair.active.initQpAttributes(QpState.RTR).mask())
                .doesNotContain(QpAttribute.MAX_DEST_RD_ATOMIC, QpAttribute.MIN_RNR_TIMER);
        assertThat(pair.active.initQpAttributes(QpState.RTS).mask())
                .isEqualTo(Set.of(QpAttribute.STATE, QpAttribute.SQ_PSN));
    }

    @Test
    void anXrcTargetAnswersInTheFieldOfTheEndToEndContext() {
        pair.server.listen(CmPair.SERVICE);
        pair.active.sendReq(pair.request().queuePair(QpType.XRC_INI, 7, 8).build());
        pair.network.settle();
        assertThat(pair.server.last(CmEvent.ReqReceived.class).qpType()).isEqualTo(QpType.XRC_TGT);
        CmId target = pair.server.lastId();
        target.sendRep(pair.reply(pair.server.events.getLast()));
        pair.network.settle();

        assertThat(pair.client.last(CmEvent.RepReceived.class).remoteQpn()).isEqualTo(CmPair.SERVER_QPN);
        assertThat(pair.client.last(CmEvent.RepReceived.class).srq()).isTrue();
        assertThat(pair.active.initQpAttributes(QpState.RTR).mask()).doesNotContain(QpAttribute.MAX_DEST_RD_ATOMIC);
        assertThat(target.initQpAttributes(QpState.RTR).mask()).contains(QpAttribute.MAX_DEST_RD_ATOMIC);
        assertThat(target.initQpAttributes(QpState.RTS).mask())
                .isEqualTo(Set.of(QpAttribute.STATE, QpAttribute.SQ_PSN, QpAttribute.TIMEOUT));
    }

    @Test
    void attributesExistOnlyWhileTheMessagesTellThem() {
        assertInvalid(() -> pair.active.initQpAttributes(QpState.INIT), "IDLE");
        pair.requested();
        assertInvalid(() -> pair.active.initQpAttributes(QpState.RTR), "REQ_SENT");
        pair.passive().sendRep(pair.reply(pair.server.events.getLast()));
        pair.network.settle();
        assertInvalid(() -> pair.active.initQpAttributes(QpState.SQD), "SQD");
        pair.active.sendRtu(NONE);
        pair.network.settle();
        pair.active.sendDreq(NONE);
        assertInvalid(() -> pair.active.initQpAttributes(QpState.INIT), "DREQ_SENT");
    }

    @Test
    void privateDataOfEachMessageArrives() {
        pair.requested();
        pair.passive().sendMra(20, false, CmPair.bytes(222));
        pair.network.settle();
        assertData(pair.client.last(CmEvent.MraReceived.class).privateData(), 222, 222);
        pair.passive().sendRep(pair.reply(pair.server.events.getFirst()).withPrivateData(CmPair.bytes(196)));
        pair.network.settle();
        assertData(pair.client.last(CmEvent.RepReceived.class).privateData(), 196, 196);
        pair.active.sendRtu(CmPair.bytes(10));
        pair.network.settle();
        assertData(pair.server.last(CmEvent.RtuReceived.class).privateData(), 10, 224);
        pair.active.sendDreq(CmPair.bytes(220));
        pair.network.settle();
        assertData(pair.server.last(CmEvent.DreqReceived.class).privateData(), 220, 220);
        pair.passive().sendDrep(CmPair.bytes(1));
        pair.network.settle();
        assertData(pair.client.last(CmEvent.DrepReceived.class).privateData(), 1, 224);
    }

    private static void assertData(MemorySegment data, int used, int length) {
        assertThat(data.byteSize()).isEqualTo(length);
        assertThat(data.asSlice(0, used).mismatch(CmPair.bytes(used))).isEqualTo(-1);
        assertThat(data.asSlice(used).mismatch(MemorySegment.ofArray(new byte[length - used])))
                .isEqualTo(-1);
    }

    @Test
    void longerPrivateDataIsInvalidAndChangesNothing() {
        assertInvalid(
                () -> pair.active.sendReq(
                        pair.request().privateData(CmPair.bytes(93)).build()),
                "private data of a REQ has 93 bytes, at most 92");
        assertThat(pair.active.state()).isEqualTo(CmState.IDLE);
        pair.requested();
        CmNetwork.Got request = pair.server.events.getLast();
        assertInvalid(() -> pair.passive().sendRep(pair.reply(request).withPrivateData(CmPair.bytes(197))), "197");
        assertInvalid(() -> pair.passive().sendMra(20, false, CmPair.bytes(223)), "223");
        assertInvalid(() -> pair.passive().sendRej(RejectReason.CONSUMER_DEFINED, NONE, CmPair.bytes(149)), "149");
        assertInvalid(() -> pair.passive().sendRej(RejectReason.CONSUMER_DEFINED, CmPair.bytes(73), NONE), "73");
        assertThat(pair.passive().state()).isEqualTo(CmState.REQ_RCVD);
        pair.passive().sendRep(pair.reply(request));
        pair.network.settle();
        assertInvalid(() -> pair.active.sendRtu(CmPair.bytes(225)), "225");
        pair.active.sendRtu(NONE);
        pair.network.settle();
        assertInvalid(() -> pair.active.sendDreq(CmPair.bytes(221)), "221");
        pair.active.sendDreq(NONE);
        pair.network.settle();
        assertInvalid(() -> pair.passive().sendDrep(CmPair.bytes(225)), "225");
        assertThat(pair.passive().state()).isEqualTo(CmState.DREQ_RCVD);
    }

    @Test
    void valuesWiderThanTheirFieldAreInvalid() {
        assertInvalid(() -> pair.active.sendReq(pair.request().retryCounts(8, 0).build()), "retryCount is 8");
        assertInvalid(() -> pair.active.sendReq(pair.request().retryCounts(0, 8).build()), "rnrRetryCount");
        assertInvalid(
                () -> pair.active.sendReq(
                        pair.request().responseTimeouts(32, 0, 0).build()),
                "remoteCmTimeout");
        assertInvalid(
                () -> pair.active.sendReq(
                        pair.request().responseTimeouts(0, 0, 16).build()),
                "maxCmRetries");
        assertInvalid(() -> pair.active.sendReq(pair.request().resources(256, 0).build()), "responderResources");
        assertInvalid(
                () -> pair.active.sendReq(
                        pair.request().queuePair(QpType.UD, 1, 1).build()),
                "UD");
    }

    @Test
    void anAlternatePathWithAnotherMtuIsInvalid() {
        CmPath path = pair.client.pathTo(pair.server);
        CmPath other = CmPath.roce(path.addressVector(), path.sourceGid(), Mtu.MTU_512);
        assertInvalid(
                () -> pair.active.sendReq(pair.request().alternatePath(other).build()), "MTU");
    }

    @Test
    void aCallInTheWrongStateNamesTheStates() {
        assertInvalid(() -> pair.active.sendRtu(NONE), "SEND_RTU in state IDLE; allowed in [REP_RCVD, MRA_REP_SENT]");
        assertInvalid(() -> pair.active.sendLap(pair.client.pathTo(pair.server), NONE), "SEND_LAP in state IDLE");
        assertInvalid(pair.active::establish, "COMM_EST in state IDLE");
    }

    @Test
    void disconnectingLeadsBothEndsThroughTimeWaitToIdle() {
        pair.established();
        pair.active.sendDreq(NONE);
        pair.network.settle();
        assertThat(pair.passive().state()).isEqualTo(CmState.DREQ_RCVD);
        pair.passive().sendDrep(NONE);
        pair.network.settle();
        assertThat(pair.active.state()).isEqualTo(CmState.TIMEWAIT);
        assertThat(pair.passive().state()).isEqualTo(CmState.TIMEWAIT);
        pair.network.runToTheEnd();

        assertThat(pair.network.nowMs()).isEqualTo(2048);
        assertThat(pair.active.state()).isEqualTo(CmState.IDLE);
        assertThat(pair.client.last(CmEvent.TimewaitExit.class)).isNotNull();
        assertThat(pair.server.last(CmEvent.TimewaitExit.class)).isNotNull();
    }

    @Test
    void bothEndsMayDisconnectAtOnce() {
        pair.established();
        pair.active.sendDreq(NONE);
        pair.passive().sendDreq(NONE);
        pair.network.settle();
        assertThat(pair.active.state()).isEqualTo(CmState.DREQ_RCVD);
        assertThat(pair.passive().state()).isEqualTo(CmState.DREQ_RCVD);
        pair.active.sendDrep(NONE);
        pair.network.settle();
        assertThat(pair.passive().state()).isEqualTo(CmState.TIMEWAIT);
        assertThat(pair.server.last(CmEvent.DrepReceived.class)).isNotNull();
        pair.network.runToTheEnd();
        assertThat(pair.passive().state()).isEqualTo(CmState.IDLE);
        assertThat(pair.active.state()).isEqualTo(CmState.IDLE);
    }

    @Test
    void anIdMayConnectAgainAfterTimeWait() {
        pair.disconnected();
        pair.active.sendReq(pair.request().build());
        pair.network.settle();
        assertThat(pair.server.lastId()).isNotSameAs(pair.passive());
        assertThat(pair.server.last(CmEvent.ReqReceived.class)).isNotNull();
    }

    @Test
    void aHandlerMayCallAndDestroyItsId() {
        pair.server.listen(CmPair.SERVICE);
        pair.server.program = got -> {
            if (got.event() instanceof CmEvent.ReqReceived) {
                got.id().sendRep(pair.reply(got));
            } else {
                got.id().destroy();
            }
        };
        pair.client.program = got -> {
            if (got.event() instanceof CmEvent.RepReceived) {
                got.id().sendRtu(NONE);
            }
        };
        pair.active.sendReq(pair.request().build());
        pair.network.settle();

        // The server destroys its end on the RTU, which sends one DREQ.
        assertThat(pair.active.state()).isEqualTo(CmState.DREQ_RCVD);
        assertThat(pair.client.eventTypes()).isEqualTo(List.of(CmEvent.RepReceived.class, CmEvent.DreqReceived.class));
    }

    @Test
    void aHandlerThatFailsDoesNotLoseTheEventsOfOthers() {
        pair.server.listen(CmPair.SERVICE);
        pair.active.sendReq(pair.request().build());
        pair.server.program = _ -> {
            throw new IllegalStateException("program");
        };
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(pair.network::settle);
        pair.server.program = _ -> {};
        pair.server.lastId().sendRep(pair.reply(pair.server.events.getLast()));
        pair.network.settle();
        pair.active.sendRtu(NONE);
        pair.network.settle();
        assertThat(pair.server.last(CmEvent.RtuReceived.class)).isNotNull();
    }

    @Test
    void aServiceHasOneListener() {
        CmId listener = pair.server.listen(CmPair.SERVICE);
        CmId second = pair.server.id();
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> second.listen(CmPair.SERVICE, -1, 1))
                .extracting(RdmaException::errno)
                .isEqualTo(Errno.EBUSY);
        assertThatExceptionOfType(RdmaException.class).isThrownBy(() -> second.listen(CmPair.SERVICE, ~0xFFFFL, 1));
        listener.destroy();
        second.listen(CmPair.SERVICE, ~0xFFFFL, 1);
        assertThat(second.serviceId()).isEqualTo(CmPair.SERVICE & ~0xFFFFL);
        pair.active.sendReq(pair.request().build());
        pair.network.settle();
        assertThat(Objects.requireNonNull(pair.server.lastId().listenId())).isSameAs(second);
    }

    @Test
    void aServiceIdMayBeAssigned() {
        CmId first = pair.server.id();
        first.listen(0x0200_0000_0000_0000L, -1, 1);
        CmId second = pair.server.id();
        second.listen(0x0200_0000_0000_0000L, -1, 1);
        assertThat(first.serviceId()).isNotEqualTo(second.serviceId());
        assertThat(first.serviceId() >>> 56).isEqualTo(2);
        assertInvalid(() -> pair.server.id().listen(0x0200_0000_0000_0005L, -1, 1), "assigned");
    }

    @Test
    void dataOfThePeerCountsAsReadyToUse() {
        pair.confirmable();
        pair.server.cm.commEst(CmPair.SERVER_QPN);
        assertThat(pair.passive().state()).isEqualTo(CmState.ESTABLISHED);
        assertThat(pair.server.last(CmEvent.UserEstablished.class)).isNotNull();
        // Then the RTU is a duplicate, and a second packet means nothing.
        pair.active.sendRtu(NONE);
        pair.network.settle();
        pair.server.cm.commEst(CmPair.SERVER_QPN);
        assertThat(pair.server.count(CmEvent.UserEstablished.class)).isOne();
        assertThat(pair.server.count(CmEvent.RtuReceived.class)).isZero();
        assertThat(pair.server.counters().duplicates(CmMessage.RTU)).isOne();
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(pair.passive()::establish)
                .extracting(RdmaException::errno)
                .isEqualTo(Errno.EISCONN);
    }

    @Test
    void bothEndsMayBelongToOneDevice() {
        pair.client.listen(CmPair.SERVICE);
        pair.active.sendReq(ReqParameters.builder(pair.client.pathTo(pair.client), CmPair.SERVICE)
                .queuePair(QpType.RC, 5, 6)
                .build());
        pair.network.settle();
        CmId passive = pair.client.lastId();
        passive.sendRep(pair.reply(pair.client.events.getLast()));
        pair.network.settle();
        pair.active.sendRtu(NONE);
        pair.network.settle();
        assertThat(passive.state()).isEqualTo(CmState.ESTABLISHED);
        assertThat(pair.active.state()).isEqualTo(CmState.ESTABLISHED);
    }

    @Test
    void messagesAreCounted() {
        pair.established();
        assertThat(pair.client.counters().sent(CmMessage.REQ)).isOne();
        assertThat(pair.client.counters().received(CmMessage.REP)).isOne();
        assertThat(pair.client.counters().sent(CmMessage.RTU)).isOne();
        assertThat(pair.server.counters().received(CmMessage.REQ)).isOne();
        assertThat(pair.server.counters().sent(CmMessage.REP)).isOne();
        assertThat(pair.server.counters().retried(CmMessage.REP)).isZero();
    }

    @Test
    void communicationIdsDependOnTheSeed() {
        CmNetwork.Node one = pair.network.node(1, "10.77.1.1", CmOptions.of(5));
        CmNetwork.Node same = pair.network.node(2, "10.77.1.2", CmOptions.of(5));
        CmNetwork.Node other = pair.network.node(3, "10.77.1.3", CmOptions.of(6));
        assertThat(one.id().localId())
                .isEqualTo(same.id().localId())
                .isNotEqualTo(other.id().localId());
    }

    @Test
    void destroyingAllIdsDisconnectsAndRejects() {
        pair.established();
        pair.server.cm.destroyIds();
        pair.network.settle();
        assertThat(pair.active.state()).isEqualTo(CmState.DREQ_RCVD);
        assertThat(pair.server.cm.ids()).isEmpty();
        pair.network.runToTheEnd();
        assertThat(pair.server.cm.size()).isZero();
    }
}
