// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import static io.rdma4j.cm.CmNetwork.NONE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.ClassPortInfo;
import io.rdma4j.wire.mad.CmDrep;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.RejectReason;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Lost and repeated messages, peers that die and return, and messages of strangers. */
class CmStaleTest {
    private final CmPair pair = new CmPair();
    private final CmNetwork network = pair.network;

    private void loseFirst(CmMessage message) {
        boolean[] isFirst = {true};
        network.isLost = flight -> {
            boolean lose = isFirst[0] && flight.is(message);
            isFirst[0] &= !lose;
            return lose;
        };
    }

    @Test
    void aLostRequestIsRepeated() {
        loseFirst(CmMessage.REQ);
        pair.server.listen(CmPair.SERVICE);
        pair.active.sendReq(pair.request().build());
        network.runUntil(6144);
        assertThat(pair.server.last(CmEvent.ReqReceived.class)).isNotNull();
    }

    @Test
    void aLostReplyIsRepeatedAndTheRepeatedRequestIsADuplicate() {
        pair.requested();
        loseFirst(CmMessage.REP);
        pair.passive().sendRep(pair.reply(pair.server.events.getLast()));
        network.runUntil(6144);
        assertThat(pair.active.state()).isEqualTo(CmState.REP_RCVD);
        assertThat(pair.server.count(CmEvent.ReqReceived.class)).isOne();
    }

    @Test
    void aRepeatedRequestIsCountedAndHasNoEffect() {
        pair.requested();
        CmNetwork.Flight req = network.lastSent(CmMessage.REQ);
        network.deliver(req);
        network.deliver(req);
        assertThat(pair.server.counters().duplicates(CmMessage.REQ)).isEqualTo(2);
        assertThat(pair.server.events).hasSize(1);
    }

    @Test
    void aLostReadyToUseIsRepeatedWithItsPrivateData() {
        pair.confirmable();
        loseFirst(CmMessage.RTU);
        pair.active.sendRtu(CmPair.bytes(9));
        network.runUntil(4096);
        assertThat(pair.passive().state()).isEqualTo(CmState.ESTABLISHED);
        assertThat(pair.server
                        .last(CmEvent.RtuReceived.class)
                        .privateData()
                        .asSlice(0, 9)
                        .mismatch(CmPair.bytes(9)))
                .isEqualTo(-1);
        assertThat(pair.client.counters().duplicates(CmMessage.REP)).isOne();
    }

    @Test
    void aDisconnectionMeansThatTheReplyArrived() {
        pair.confirmable();
        loseFirst(CmMessage.RTU);
        pair.active.sendRtu(NONE);
        pair.active.sendDreq(NONE);
        network.settle();
        assertThat(pair.passive().state()).isEqualTo(CmState.DREQ_RCVD);
    }

    @Test
    void aLostAnswerToADisconnectionIsRepeatedInTimeWait() {
        pair.established();
        pair.active.sendDreq(NONE);
        network.settle();
        loseFirst(CmMessage.DREP);
        pair.passive().sendDrep(CmPair.bytes(3));
        // Within the time-wait, earlier than the repetition.
        network.deliver(network.lastSent(CmMessage.DREQ));
        network.settle();
        assertThat(pair.active.state()).isEqualTo(CmState.TIMEWAIT);
        assertThat(pair.client
                        .last(CmEvent.DrepReceived.class)
                        .privateData()
                        .asSlice(0, 3)
                        .mismatch(CmPair.bytes(3)))
                .isEqualTo(-1);
    }

    @Test
    void aDisconnectionOfAnUnknownConnectionIsAnsweredWithTheIdsCrossed() {
        pair.established();
        pair.active.sendDreq(NONE);
        network.settle();
        loseFirst(CmMessage.DREP);
        pair.passive().sendDrep(NONE);
        pair.passive().destroy();
        // The server's time-wait of 2 s is over when the request comes again.
        network.runUntil(6144);

        CmNetwork.Flight drep = network.lastSent(CmMessage.DREP);
        CmNetwork.Flight dreq = network.lastSent(CmMessage.DREQ);
        assertThat(CmDrep.REMOTE_COMM_ID.getInt(drep.segment(), CmMessage.BODY)).isEqualTo(pair.active.localId());
        assertThat(CmDrep.LOCAL_COMM_ID.getInt(drep.segment(), CmMessage.BODY))
                .isEqualTo(pair.passive().localId());
        assertThat(Mad.TRANSACTION_ID.get(drep.segment(), 0)).isEqualTo(Mad.TRANSACTION_ID.get(dreq.segment(), 0));
        assertThat(pair.active.state()).isEqualTo(CmState.TIMEWAIT);
    }

    @Test
    void aDisconnectionAfterTheServerGaveUpIsAnswered() {
        pair.confirmable();
        network.isLost = flight -> flight.is(CmMessage.REP);
        network.runUntil(16 * 4096);
        assertThat(pair.passive().state()).isEqualTo(CmState.IDLE);
        pair.active.sendRtu(NONE);
        pair.active.sendDreq(NONE);
        network.settle();
        assertThat(pair.active.state()).isEqualTo(CmState.TIMEWAIT);
    }

    @Test
    void aPeerThatReturnsWithItsQueuePairIsRejectedOnceAndMayThenConnect() {
        pair.established();
        pair.client.crash(CmOptions.of(99));
        CmId again = pair.client.id();
        again.sendReq(pair.request().build());
        network.settle();

        assertThat(pair.client.last(CmEvent.RejReceived.class).reason()).isEqualTo(RejectReason.STALE_CONNECTION);
        // The DREQ for the old connection was answered although the client does not know it.
        assertThat(pair.passive().state()).isEqualTo(CmState.TIMEWAIT);
        CmId second = pair.client.id();
        second.sendReq(pair.request().build());
        network.settle();
        assertThat(pair.server.last(CmEvent.ReqReceived.class)).isNotNull();
    }

    @Test
    void aServerThatReturnsWithItsQueuePairMakesTheClientRejectItsReply() {
        pair.established();
        pair.server.crash(CmOptions.of(99));
        pair.server.listen(CmPair.SERVICE);
        CmId second = pair.client.id();
        second.sendReq(pair.request().queuePair(QpType.RC, 0x77, 1).build());
        network.settle();
        CmId returned = pair.server.lastId();
        returned.sendRep(pair.reply(pair.server.events.getLast()));
        network.settle();

        assertThat(pair.server.last(CmEvent.RejReceived.class).reason()).isEqualTo(RejectReason.STALE_CONNECTION);
        assertThat(returned.state()).isEqualTo(CmState.TIMEWAIT);
        assertThat(second.state()).isEqualTo(CmState.REQ_SENT);
        assertThat(pair.active.state()).isEqualTo(CmState.TIMEWAIT);
    }

    @Test
    void aRequestWithTheIdsOfAConnectionInTimeWaitIsStale() {
        pair.established();
        pair.active.sendDreq(NONE);
        network.settle();
        pair.passive().sendDrep(NONE);
        network.settle();
        network.deliver(network.lastSent(CmMessage.REQ));
        assertThat(network.count(CmMessage.REJ)).isOne();
        network.settle();
        assertThat(pair.active.state()).isEqualTo(CmState.TIMEWAIT);
        assertThat(pair.server.count(CmEvent.ReqReceived.class)).isOne();
    }

    @Test
    void aRequestFromAnotherAddressDoesNotEndAConnection() {
        pair.established();
        CmNetwork.Node stranger = network.node(pair.client.guid(), "10.77.0.66", CmOptions.of(66));
        CmId forged = stranger.id();
        forged.sendReq(ReqParameters.builder(stranger.pathTo(pair.server), CmPair.SERVICE)
                .queuePair(QpType.RC, CmPair.CLIENT_QPN, 1)
                .build());
        network.settle();
        assertThat(forged.state()).isEqualTo(CmState.TIMEWAIT);
        assertThat(pair.passive().state()).isEqualTo(CmState.ESTABLISHED);
        assertThat(pair.server.counters().dropped(CmDrop.FOREIGN)).isOne();
    }

    @Test
    void messagesOfAnotherAddressAreForeign() {
        pair.established();
        MessageIds ids = new MessageIds(pair.active.localId(), pair.passive().localId(), 0);
        CmAddress stranger = pair.server.wayBack(Gid.parse("10.77.0.66"), 0);
        pair.server.cm.received(CmWriter.dreq(ids, CmPair.SERVER_QPN, NONE), stranger);
        pair.server.cm.received(CmWriter.rej(ids, 2, RejectReason.NO_QP, NONE, NONE), stranger);
        assertThat(pair.passive().state()).isEqualTo(CmState.ESTABLISHED);
        assertThat(pair.server.counters().dropped(CmDrop.FOREIGN)).isEqualTo(2);
    }

    @Test
    void messagesNeedBothIdsAndTheQueuePair() {
        pair.established();
        CmAddress source = pair.server.wayBack(pair.client.gid(), 0);
        int local = pair.active.localId();
        int remote = pair.passive().localId();
        pair.server.cm.received(CmWriter.rtu(new MessageIds(local + 1, remote, 0), NONE), source);
        pair.server.cm.received(CmWriter.dreq(new MessageIds(local, remote, 0), CmPair.SERVER_QPN + 1, NONE), source);
        pair.server.cm.received(
                CmWriter.rej(new MessageIds(local + 1, remote, 0), 2, RejectReason.NO_QP, NONE, NONE), source);
        assertThat(pair.passive().state()).isEqualTo(CmState.ESTABLISHED);
        assertThat(pair.server.counters().dropped(CmDrop.FOREIGN)).isEqualTo(3);
    }

    @Test
    void datagramsThatAreNoMessagesAreMalformed() {
        CmAddress source = pair.server.wayBack(pair.client.gid(), 0);
        pair.requested();
        for (int offset : new int[] {0, 1, 2, 3, 16}) {
            MemorySegment mad =
                    MemorySegment.ofArray(network.lastSent(CmMessage.REQ).bytes());
            mad.set(ValueLayout.JAVA_BYTE, offset, (byte) 0x7F);
            pair.server.cm.received(mad, source);
        }
        pair.server.cm.received(network.lastSent(CmMessage.REQ).segment().asSlice(0, 255), source);
        assertThat(pair.server.counters().dropped(CmDrop.MALFORMED)).isEqualTo(6);
    }

    @Test
    void theClassPortInfoIsAnswered() {
        MemorySegment get = MemorySegment.ofArray(new byte[Mad.BYTES]);
        Mad.write(get, 0, MadClass.COM_MGT, MadMethod.GET.code(), 1, 42);
        MemorySegment answer = Objects.requireNonNull(Cm.response(get));
        assertThat(Mad.isResponse(answer, 0)).isTrue();
        assertThat(Mad.TRANSACTION_ID.get(answer, 0)).isEqualTo(42);
        assertThat(ClassPortInfo.CLASS_VERSION.getInt(answer, Mad.HEADER_BYTES)).isEqualTo(2);
    }
}
