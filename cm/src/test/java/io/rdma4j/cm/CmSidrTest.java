// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import static io.rdma4j.cm.CmNetwork.NONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.RdmaException;
import io.rdma4j.wire.mad.ClassPortInfo;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.SidrStatus;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Service ID resolution: the queue pair of a datagram service. */
class CmSidrTest {
    private static final long SERVICE = 0x0111_1C06L;

    private final CmPair pair = new CmPair();
    private final CmNetwork network = pair.network;

    private void ask(CmId id) {
        id.sendSidrReq(SidrReqParameters.of(pair.client.pathTo(pair.server), SERVICE, CmPair.bytes(180)));
    }

    @Test
    void aServiceAnswersWithItsQueuePair() {
        CmId listener = pair.server.listen(SERVICE);
        ask(pair.active);
        network.settle();
        CmEvent.SidrReqReceived request = pair.server.last(CmEvent.SidrReqReceived.class);
        assertThat(request.serviceId()).isEqualTo(SERVICE);
        assertThat(request.pkey()).isEqualTo(0xFFFF);
        assertThat(request.privateData().byteSize()).isEqualTo(216);
        assertThat(request.privateData().asSlice(0, 180).mismatch(CmPair.bytes(180)))
                .isEqualTo(-1);
        CmId id = pair.server.lastId();
        assertThat(id.listenId()).isSameAs(listener);
        id.sendSidrRep(SidrRepParameters.success(0x1C, 0x0123_4567, CmPair.bytes(136)));
        network.settle();

        CmEvent.SidrRepReceived reply = pair.client.last(CmEvent.SidrRepReceived.class);
        assertThat(reply.status()).isEqualTo(SidrStatus.SUCCESS);
        assertThat(reply.qpn()).isEqualTo(0x1C);
        assertThat(reply.qkey()).isEqualTo(0x0123_4567);
        assertThat(reply.privateData().mismatch(CmPair.bytes(136))).isEqualTo(-1);
        assertThat(pair.active.state()).isEqualTo(CmState.IDLE);
        assertThat(id.state()).isEqualTo(CmState.IDLE);
    }

    @ParameterizedTest
    @EnumSource(names = "REDIRECT", mode = EnumSource.Mode.EXCLUDE)
    void theProgramAnswersWithAnyStatus(SidrStatus status) {
        pair.server.listen(SERVICE);
        ask(pair.active);
        network.settle();
        pair.server
                .lastId()
                .sendSidrRep(new SidrRepParameters(status, 5, 6, CmPair.bytes(72), new Ece(0x12_3456, 7), NONE));
        network.settle();
        CmEvent.SidrRepReceived reply = pair.client.last(CmEvent.SidrRepReceived.class);
        assertThat(reply.status()).isEqualTo(status);
        assertThat(reply.info().mismatch(CmPair.bytes(72))).isEqualTo(-1);
        assertThat(reply.ece()).isEqualTo(new Ece(0x12_3456, 7));
    }

    @Test
    void aServiceWithoutListenerIsNotSupported() {
        ask(pair.active);
        network.settle();
        assertThat(pair.client.last(CmEvent.SidrRepReceived.class).status()).isEqualTo(SidrStatus.UNSUPPORTED);
    }

    @Test
    void anOpenRequestIsNotReportedAgain() {
        pair.server.listen(SERVICE);
        ask(pair.active);
        network.runUntil(3 * 4096);
        assertThat(network.count(CmMessage.SIDR_REQ)).isEqualTo(4);
        assertThat(pair.server.events).hasSize(1);
        assertThat(pair.server.counters().duplicates(CmMessage.SIDR_REQ)).isEqualTo(3);
    }

    @Test
    void aLostAnswerIsRepeated() {
        pair.server.listen(SERVICE);
        ask(pair.active);
        network.settle();
        network.isLost = flight -> flight.is(CmMessage.SIDR_REP);
        pair.server.lastId().sendSidrRep(SidrRepParameters.success(1, 2, NONE));
        network.isLost = _ -> false;
        network.runUntil(4096);
        assertThat(pair.client.last(CmEvent.SidrRepReceived.class).qpn()).isOne();
        assertThat(pair.server.events).hasSize(1);
        // After all repetitions the answer is forgotten.
        network.runUntil(4096 + 16 * 4096);
        network.deliver(network.lastSent(CmMessage.SIDR_REQ));
        assertThat(pair.server.events).hasSize(2);
    }

    @Test
    void twoPeersMayHaveTheSameRequestId() {
        pair.server.listen(SERVICE);
        CmNetwork.Node twin = network.node(5, "10.77.0.5", CmOptions.of(pair.client.guid()));
        CmId other = twin.id();
        assertThat(other.localId()).isEqualTo(pair.active.localId());
        ask(pair.active);
        other.sendSidrReq(SidrReqParameters.of(twin.pathTo(pair.server), SERVICE, NONE));
        network.settle();
        assertThat(pair.server.events).hasSize(2);
        pair.server.events.get(1).id().sendSidrRep(SidrRepParameters.success(2, 2, NONE));
        pair.server.events.get(0).id().sendSidrRep(SidrRepParameters.success(1, 1, NONE));
        network.settle();
        assertThat(pair.client.last(CmEvent.SidrRepReceived.class).qpn()).isOne();
        assertThat(twin.last(CmEvent.SidrRepReceived.class).qpn()).isEqualTo(2);
    }

    @Test
    void aRequestWithoutAnswerEnds() {
        network.isLost = _ -> true;
        ask(pair.active);
        network.runToTheEnd();
        assertThat(network.nowMs()).isEqualTo(65_536);
        assertThat(pair.client.last(CmEvent.NoResponse.class).message()).isEqualTo(CmMessage.SIDR_REQ);
        assertThat(pair.active.state()).isEqualTo(CmState.IDLE);
    }

    @Test
    void aRequestThatTheProgramDestroysIsRejected() {
        pair.server.listen(SERVICE);
        ask(pair.active);
        network.settle();
        pair.server.lastId().destroy();
        network.settle();
        assertThat(pair.client.last(CmEvent.SidrRepReceived.class).status()).isEqualTo(SidrStatus.REJECT);
    }

    @Test
    void aRedirectedRequestIsSentToTheOtherPort() {
        CmNetwork.Node other = network.node(8, "10.77.0.8");
        other.listen(SERVICE);
        pair.server.listen(SERVICE);
        ask(pair.active);
        network.settle();
        MemorySegment classPortInfo = MemorySegment.ofArray(new byte[ClassPortInfo.LAYOUT.bytes()]);
        ClassPortInfo.REDIRECT_GID.put(classPortInfo, 0, other.gid());
        pair.server
                .lastId()
                .sendSidrRep(new SidrRepParameters(SidrStatus.REDIRECT, 0, 0, classPortInfo, Ece.NONE, NONE));
        network.settle();
        other.lastId().sendSidrRep(SidrRepParameters.success(3, 4, NONE));
        network.settle();
        assertThat(pair.client.last(CmEvent.SidrRepReceived.class).qpn()).isEqualTo(3);
    }

    @Test
    void longPrivateDataIsInvalid() {
        pair.server.listen(SERVICE);
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> pair.active.sendSidrReq(
                        SidrReqParameters.of(pair.client.pathTo(pair.server), SERVICE, CmPair.bytes(217))));
        ask(pair.active);
        network.settle();
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> pair.server.lastId().sendSidrRep(SidrRepParameters.success(1, 1, CmPair.bytes(137))));
        assertThat(pair.server.lastId().state()).isEqualTo(CmState.SIDR_REQ_RCVD);
    }
}
