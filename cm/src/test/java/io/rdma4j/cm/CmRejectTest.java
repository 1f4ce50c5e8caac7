// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import static io.rdma4j.cm.CmNetwork.NONE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.ClassPortInfo;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.CmRej;
import io.rdma4j.wire.mad.CmReq;
import io.rdma4j.wire.mad.RejectReason;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rejections: every reason, in both directions, and what this end rejects by itself. */
class CmRejectTest {
    private static final long BODY = CmMessage.BODY;

    private final CmPair pair = new CmPair();

    private CmEvent.RejReceived rejection() {
        return pair.client.last(CmEvent.RejReceived.class);
    }

    private void assertRejected(RejectReason reason) {
        assertThat(rejection().reason()).isEqualTo(reason);
        assertThat(rejection().code()).isEqualTo(reason.code());
        assertThat(pair.active.state())
                .isEqualTo(reason == RejectReason.STALE_CONNECTION ? CmState.TIMEWAIT : CmState.IDLE);
    }

    /** Sends a REQ with changed bytes. */
    private void sendChanged(Consumer<MemorySegment> change) {
        pair.server.listen(CmPair.SERVICE);
        pair.active.sendReq(pair.request().build());
        CmNetwork.Flight flight = pair.network.flights.removeFirst();
        change.accept(flight.segment());
        pair.network.deliver(flight);
        pair.network.settle();
    }

    @ParameterizedTest
    @EnumSource
    void theProgramRejectsARequestWithAnyReason(RejectReason reason) {
        pair.requested();
        pair.passive().sendRej(reason, CmPair.bytes(5), CmPair.bytes(148));
        pair.network.settle();

        assertRejected(reason);
        assertThat(rejection().info().mismatch(CmPair.bytes(5))).isEqualTo(-1);
        assertThat(rejection().privateData().mismatch(CmPair.bytes(148))).isEqualTo(-1);
        CmNetwork.Flight rej = pair.network.lastSent(CmMessage.REJ);
        assertThat(CmRej.LOCAL_COMM_ID.getInt(rej.segment(), BODY)).isZero();
        assertThat(CmRej.REMOTE_COMM_ID.getInt(rej.segment(), BODY)).isEqualTo(pair.active.localId());
        assertThat(pair.passive().state()).isEqualTo(CmState.IDLE);
    }

    @ParameterizedTest
    @EnumSource
    void theActiveSideRejectsAReplyWithAnyReason(RejectReason reason) {
        pair.confirmable();
        MemorySegment info = reason == RejectReason.TIMEOUT ? guid(pair.client) : CmPair.bytes(72);
        pair.active.sendRej(reason, info, NONE);
        pair.network.settle();

        assertThat(pair.server.last(CmEvent.RejReceived.class).reason()).isEqualTo(reason);
        assertThat(CmRej.MESSAGE.getInt(pair.network.lastSent(CmMessage.REJ).segment(), BODY))
                .isOne();
        assertThat(pair.active.state()).isEqualTo(CmState.IDLE);
        assertThat(pair.passive().state())
                .isEqualTo(reason == RejectReason.STALE_CONNECTION ? CmState.TIMEWAIT : CmState.IDLE);
    }

    private static MemorySegment guid(CmNetwork.Node node) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[8]);
        bytes.set(ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), 0, node.guid());
        return bytes;
    }

    @Test
    void anUnknownReasonIsReportedByItsCode() {
        pair.requested();
        MemorySegment rej =
                CmWriter.rej(new MessageIds(0, pair.active.localId(), 0), 0, RejectReason.NO_QP, NONE, NONE);
        CmRej.REASON.put(rej, BODY, 999);
        pair.client.cm.received(rej, pair.client.wayBack(pair.server.gid(), 0));
        assertThat(rejection().code()).isEqualTo(999);
        assertThat(rejection().reason()).isNull();
    }

    @Test
    void aServiceWithoutListenerIsRejected() {
        pair.active.sendReq(pair.request().build());
        pair.network.settle();
        assertRejected(RejectReason.INVALID_SERVICE_ID);
    }

    @Test
    void aGidThatIsNotOursIsRejectedWithOneThatIs() {
        sendChanged(req -> CmReq.PRIMARY_REMOTE_PORT_GID.put(req, BODY, Gid.parse("10.77.0.99")));
        assertRejected(RejectReason.INVALID_GID);
        assertThat(Gid.ofBytes(rejection().info().toArray(ValueLayout.JAVA_BYTE)))
                .isEqualTo(pair.server.gid());
    }

    @Test
    void aLargerMtuThanThatOfThePortIsRejectedWithIt() {
        pair.server.maxMtu = Mtu.MTU_512;
        sendChanged(_ -> {});
        assertRejected(RejectReason.INVALID_MTU);
        assertThat(rejection().info().toArray(ValueLayout.JAVA_BYTE)).containsExactly(Mtu.MTU_512.code());
    }

    @Test
    void anMtuThatDoesNotExistIsRejected() {
        sendChanged(req -> CmReq.PATH_MTU.put(req, BODY, 6));
        assertRejected(RejectReason.INVALID_MTU);
    }

    @Test
    void aPartitionThatThePortDoesNotHaveIsRejected() {
        sendChanged(req -> CmReq.PARTITION_KEY.put(req, BODY, 0x8001));
        assertRejected(RejectReason.CONSUMER_DEFINED);
    }

    @Test
    void reliableDatagramsAreRejected() {
        sendChanged(req -> CmReq.TRANSPORT_SERVICE_TYPE.put(req, BODY, 2));
        assertRejected(RejectReason.INVALID_TRANSPORT_TYPE);
    }

    @Test
    void aRequestThatIsGivenUpIsRejectedWithTheGuid() {
        pair.requested();
        pair.active.destroy();
        pair.network.settle();
        assertThat(pair.server.last(CmEvent.RejReceived.class).reason()).isEqualTo(RejectReason.TIMEOUT);
        assertThat(pair.passive().state()).isEqualTo(CmState.IDLE);
        CmNetwork.Flight rej = pair.network.lastSent(CmMessage.REJ);
        assertThat(CmRej.REMOTE_COMM_ID.getInt(rej.segment(), BODY)).isZero();
        assertThat(CmRej.MESSAGE.getInt(rej.segment(), BODY)).isEqualTo(2);
        assertThat(CmRej.INFO_LENGTH.getInt(rej.segment(), BODY)).isEqualTo(8);
    }

    @Test
    void aRequestThatTheProgramDestroysIsRejected() {
        pair.requested();
        pair.passive().destroy();
        pair.network.settle();
        assertRejected(RejectReason.CONSUMER_DEFINED);
    }

    @Test
    void aRejectionAfterAnMraHasTheIdOfItsSender() {
        pair.requested();
        pair.passive().sendMra(20, false, NONE);
        pair.network.settle();
        pair.passive().sendRej(RejectReason.NO_RESOURCES, NONE, NONE);
        pair.network.settle();
        assertRejected(RejectReason.NO_RESOURCES);
        assertThat(CmRej.LOCAL_COMM_ID.getInt(
                        pair.network.lastSent(CmMessage.REJ).segment(), BODY))
                .isEqualTo(pair.passive().localId());
    }

    @Test
    void aRepliedConnectionThatIsRejectedEndsInTimeWait() {
        pair.confirmable();
        pair.passive().sendRej(RejectReason.NO_RESOURCES, NONE, NONE);
        pair.network.settle();
        assertThat(pair.passive().state()).isEqualTo(CmState.TIMEWAIT);
        assertThat(pair.active.state()).isEqualTo(CmState.TIMEWAIT);
    }

    @Test
    void theAlternatePathIsDroppedIfThePeerRejectsIt() {
        pair.client.addGid("10.78.0.3");
        pair.server.addGid("10.78.0.2");
        CmPath alternate = pair.client.pathTo(pair.server, 1, 1);
        CmNetwork.Node old =
                pair.network.node(77, "10.77.0.77", new CmOptions(77, 1, 10, 10, 10, 24, CmIdRange.ALL, false));
        old.addGid("10.78.0.77");
        old.listen(CmPair.SERVICE);
        pair.active.sendReq(ReqParameters.builder(pair.client.pathTo(old), CmPair.SERVICE)
                .queuePair(QpType.RC, 5, 6)
                .alternatePath(pair.client.pathTo(old, 1, 1))
                .build());
        pair.network.settle();

        assertThat(pair.client.events).isEmpty();
        assertThat(pair.network.count(CmMessage.REQ)).isEqualTo(2);
        assertThat(old.last(CmEvent.ReqReceived.class).alternatePath()).isNull();
        // A peer of this project takes it.
        CmId second = pair.client.id();
        pair.server.listen(CmPair.SERVICE);
        second.sendReq(pair.request().alternatePath(alternate).build());
        pair.network.settle();
        assertThat(Objects.requireNonNull(
                                pair.server.last(CmEvent.ReqReceived.class).alternatePath())
                        .destinationGid())
                .isEqualTo(Gid.parse("10.78.0.3"));
    }

    @Test
    void aSecondRejectionOfTheAlternatePathIsFinal() {
        pair.requested();
        MemorySegment rej =
                CmWriter.rej(new MessageIds(0, pair.active.localId(), 0), 0, RejectReason.INVALID_ALT_LID, NONE, NONE);
        pair.client.cm.received(rej, pair.client.wayBack(pair.server.gid(), 0));
        assertRejected(RejectReason.INVALID_ALT_LID);
    }

    @Test
    void aRedirectedRequestIsSentToTheOtherPortOnce() {
        CmNetwork.Node other = pair.network.node(8, "10.77.0.8");
        other.listen(CmPair.SERVICE);
        pair.requested();
        pair.passive()
                .sendRej(
                        RejectReason.PORT_REDIRECT,
                        MemorySegment.ofArray(other.gid().toBytes()),
                        NONE);
        pair.network.settle();
        assertThat(pair.client.events).isEmpty();
        assertThat(other.last(CmEvent.ReqReceived.class).path().sourceGid()).isEqualTo(other.gid());

        MemorySegment classPortInfo = MemorySegment.ofArray(new byte[ClassPortInfo.LAYOUT.bytes()]);
        ClassPortInfo.REDIRECT_GID.put(classPortInfo, 0, pair.server.gid());
        other.lastId().sendRej(RejectReason.PORT_CM_REDIRECT, classPortInfo, NONE);
        pair.network.settle();
        assertRejected(RejectReason.PORT_CM_REDIRECT);
    }

    @Test
    void theManagerOfAnotherPortMayBeNamed() {
        CmNetwork.Node other = pair.network.node(8, "10.77.0.8");
        other.listen(CmPair.SERVICE);
        MemorySegment classPortInfo = MemorySegment.ofArray(new byte[ClassPortInfo.LAYOUT.bytes()]);
        ClassPortInfo.REDIRECT_GID.put(classPortInfo, 0, other.gid());
        pair.requested();
        pair.passive().sendRej(RejectReason.PORT_CM_REDIRECT, classPortInfo, NONE);
        pair.network.settle();
        other.lastId().sendRep(pair.reply(other.events.getLast()));
        pair.network.settle();
        assertThat(pair.active.state()).isEqualTo(CmState.REP_RCVD);
    }

    @Test
    void aRejectionIsNeverAnswered() {
        MemorySegment rej = CmWriter.rej(new MessageIds(1, 2, 3), 2, RejectReason.NO_QP, NONE, NONE);
        pair.client.cm.received(rej, pair.client.wayBack(pair.server.gid(), 0));
        assertThat(pair.network.sent).isEmpty();
        assertThat(pair.client.counters().dropped(CmDrop.UNKNOWN_ID)).isOne();
    }
}
