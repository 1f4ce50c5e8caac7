// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm.gsi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.cm.CmEvent;
import io.rdma4j.cm.CmId;
import io.rdma4j.cm.CmPath;
import io.rdma4j.cm.CmState;
import io.rdma4j.cm.LapState;
import io.rdma4j.cm.RepParameters;
import io.rdma4j.cm.ReqParameters;
import io.rdma4j.cm.SidrRepParameters;
import io.rdma4j.cm.SidrReqParameters;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.AlternatePathStatus;
import io.rdma4j.wire.mad.CmApr;
import io.rdma4j.wire.mad.CmDrep;
import io.rdma4j.wire.mad.CmDreq;
import io.rdma4j.wire.mad.CmLap;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.CmRej;
import io.rdma4j.wire.mad.CmReq;
import io.rdma4j.wire.mad.CmRtu;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.RejectReason;
import io.rdma4j.wire.mad.SidrStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The rules of the communication manager on two real devices: rejections, duplicates, stale connections, timers. */
@ProvedOn("device")
class CmRulesOnDeviceTest {
    private static final long SERVICE = 0x0106_1D2FL;
    private static final MemorySegment NONE = MemorySegment.NULL;
    private static final int QPN = 0x1234;
    private static final int BODY = CmMessage.BODY;

    private final CmHosts hosts = new CmHosts(true);
    private final CmHosts.Side client = hosts.client;
    private final CmHosts.Side server = hosts.server;
    private final CmId active = client.id();

    @AfterEach
    void close() {
        hosts.close();
    }

    private static Errno errnoOf(Runnable call) {
        return catchThrowableOfType(RdmaException.class, call::run).errno();
    }

    private void listen() {
        CmId listener = server.id();
        server.services.run(_ -> listener.listen(SERVICE, -1, 10));
    }

    private ReqParameters.Builder request() {
        return ReqParameters.builder(client.pathTo(server, 0), SERVICE).queuePair(QpType.RC, QPN, 1);
    }

    private CmId requested() {
        listen();
        client.services.run(_ -> active.sendReq(request().build()));
        return server.idOf(CmEvent.ReqReceived.class);
    }

    private CmId replied() {
        CmId passive = requested();
        CmEvent.ReqReceived req = server.await(CmEvent.ReqReceived.class);
        server.services.run(_ -> passive.sendRep(RepParameters.to(req, QPN + 5, 2)));
        client.await(CmEvent.RepReceived.class);
        return passive;
    }

    private CmId connected() {
        CmId passive = replied();
        client.services.run(_ -> active.sendRtu(NONE));
        server.await(CmEvent.RtuReceived.class);
        return passive;
    }

    private void settle() {
        hosts.pass(CmHosts.SHORT_NS);
    }

    private static byte[] info(MemorySegment rej) {
        int length = CmRej.INFO_LENGTH.getInt(rej, BODY);
        return CmRej.INFO.bytes(rej, BODY).asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Sends a changed copy of a request, and returns its rejection. */
    private MemorySegment rejectionOf(Consumer<MemorySegment> change) {
        MemorySegment first = server.all(CmMessage.REQ).getFirst().mad();
        MemorySegment req = MemorySegment.ofArray(first.toArray(ValueLayout.JAVA_BYTE));
        put(req, CmReq.LOCAL_COMM_ID, 0x77);
        put(req, CmReq.LOCAL_QPN, QPN + 1);
        change.accept(req);
        client.arrived.clear();
        client.forge(server, req);
        MemorySegment rej = client.last(CmMessage.REJ);
        assertThat(CmRej.LOCAL_COMM_ID.getInt(rej, BODY)).as("there is no id").isZero();
        assertThat(CmRej.REMOTE_COMM_ID.getInt(rej, BODY)).isEqualTo(CmReq.LOCAL_COMM_ID.getInt(req, BODY));
        assertThat(CmRej.MESSAGE.getInt(rej, BODY)).as("a REQ").isZero();
        return rej;
    }

    private static void put(MemorySegment mad, MadField field, long value) {
        field.put(mad, BODY, value);
    }

    @Test
    @Covers("CM-22")
    void aRequestThatCannotBeServedIsRejectedWithWhatCould() {
        requested();
        MemorySegment service = rejectionOf(req -> put(req, CmReq.SERVICE_ID, SERVICE + 1));
        assertThat(CmRej.REASON.getInt(service, BODY)).isEqualTo(RejectReason.INVALID_SERVICE_ID.code());
        MemorySegment type = rejectionOf(req -> put(req, CmReq.TRANSPORT_SERVICE_TYPE, 2));
        assertThat(CmRej.REASON.getInt(type, BODY)).isEqualTo(RejectReason.INVALID_TRANSPORT_TYPE.code());
        MemorySegment gid = rejectionOf(req -> CmReq.PRIMARY_REMOTE_PORT_GID.put(req, BODY, Gid.parse("10.9.9.9")));
        assertThat(CmRej.REASON.getInt(gid, BODY)).isEqualTo(RejectReason.INVALID_GID.code());
        assertThat(info(gid)).isEqualTo(server.context.queryGid(1, 0).toBytes());
        MemorySegment alternate = rejectionOf(req -> {
            put(req, CmReq.ALTERNATE_LOCAL_PORT_LID, 0xFFFF);
            CmReq.ALTERNATE_REMOTE_PORT_GID.put(req, BODY, Gid.parse("10.9.9.9"));
        });
        assertThat(CmRej.REASON.getInt(alternate, BODY)).isEqualTo(RejectReason.INVALID_ALT_GID.code());
        assertThat(info(alternate)).isEqualTo(server.context.queryGid(1, 0).toBytes());
        MemorySegment mtu = rejectionOf(req -> put(req, CmReq.PATH_MTU, 6));
        assertThat(CmRej.REASON.getInt(mtu, BODY)).isEqualTo(RejectReason.INVALID_MTU.code());
        assertThat(info(mtu))
                .containsExactly(server.context.queryPort(1).activeMtu().code());
        MemorySegment pkey = rejectionOf(req -> put(req, CmReq.PARTITION_KEY, 0x8123));
        assertThat(CmRej.REASON.getInt(pkey, BODY)).isEqualTo(RejectReason.CONSUMER_DEFINED.code());
        assertThat(server.events).as("only the first request").hasSize(1);
    }

    @Test
    @Covers("CM-23")
    void aQueuePairThatConnectsAgainEndsItsOldConnection() {
        connected();
        MemorySegment req = server.last(CmMessage.REQ);
        put(req, CmReq.LOCAL_COMM_ID, 0x77);
        client.arrived.clear();
        client.forge(server, req);
        MemorySegment rej = client.last(CmMessage.REJ);
        assertThat(CmRej.REASON.getInt(rej, BODY)).isEqualTo(RejectReason.STALE_CONNECTION.code());
        assertThat(client.news()).containsExactlyInAnyOrder(CmMessage.REJ, CmMessage.DREQ);
        client.await(CmEvent.DreqReceived.class);
        client.services.run(_ -> active.sendDrep(NONE));
        server.await(CmEvent.DrepReceived.class);
        client.forge(server, req);
        assertThat(server.events.stream().filter(got -> got.event() instanceof CmEvent.ReqReceived))
                .as("the queue pair connects again")
                .hasSize(2);
    }

    @Test
    @Covers("CM-24")
    void aRepeatedMessageIsAnsweredAgainAndReportedOnce() {
        CmId passive = requested();
        client.forge(server, server.last(CmMessage.REQ));
        assertThat(client.news()).as("the program has not answered").isEmpty();
        server.services.run(_ -> passive.sendMra(20, false, NONE));
        settle();
        client.forge(server, server.last(CmMessage.REQ));
        assertThat(client.news()).containsExactly(CmMessage.MRA, CmMessage.MRA);
        CmEvent.ReqReceived req = server.await(CmEvent.ReqReceived.class);
        server.services.run(_ -> passive.sendRep(RepParameters.to(req, QPN + 5, 2)));
        client.await(CmEvent.RepReceived.class);
        client.services.run(_ -> active.sendRtu(NONE));
        settle();
        server.forge(client, client.last(CmMessage.REP));
        assertThat(server.news()).endsWith(CmMessage.RTU, CmMessage.RTU);
        client.services.run(_ -> active.sendDreq(NONE));
        server.await(CmEvent.DreqReceived.class);
        server.services.run(_ -> passive.sendDrep(NONE));
        client.await(CmEvent.DrepReceived.class);
        client.news();
        client.forge(server, server.last(CmMessage.DREQ));
        assertThat(client.news()).as("in time-wait").containsExactly(CmMessage.DREP);
        assertThat(server.events).hasSize(3);
        assertThat(server.services.<Long>call(cm -> cm.counters(1).duplicates(CmMessage.REQ)))
                .isEqualTo(2);
        assertThat(server.services.<Long>call(cm -> cm.counters(1).duplicates(CmMessage.DREQ)))
                .isOne();
    }

    @Test
    @Covers("CM-24")
    void aDisconnectionOfNoConnectionIsAnsweredWithItsIdsCrossed() {
        connected();
        client.services.run(_ -> active.sendDreq(NONE));
        server.await(CmEvent.DreqReceived.class);
        MemorySegment dreq = server.last(CmMessage.DREQ);
        put(dreq, CmDreq.LOCAL_COMM_ID, 0x11);
        put(dreq, CmDreq.REMOTE_COMM_ID, 0x22);
        client.news();
        client.forge(server, dreq);
        MemorySegment drep = client.last(CmMessage.DREP);
        assertThat(CmDrep.LOCAL_COMM_ID.getInt(drep, BODY)).isEqualTo(0x22);
        assertThat(CmDrep.REMOTE_COMM_ID.getInt(drep, BODY)).isEqualTo(0x11);
    }

    @Test
    @Covers("CM-25")
    void aRequestThatIsGivenUpIsRejectedWithTheGuidOfItsSender() {
        CmId passive = requested();
        client.services.run(_ -> active.destroy());
        assertThat(server.await(CmEvent.RejReceived.class).reason()).isEqualTo(RejectReason.TIMEOUT);
        MemorySegment rej = server.last(CmMessage.REJ);
        assertThat(CmRej.REMOTE_COMM_ID.getInt(rej, BODY)).isZero();
        assertThat(info(rej)).hasSize(Long.BYTES);
        assertThat(passive.state()).isEqualTo(CmState.IDLE);
    }

    @Test
    @Covers("CM-25")
    void aDestroyedIdSendsWhatItsStateDemands() {
        CmId requestOnly = requested();
        server.services.run(_ -> requestOnly.destroy());
        settle();
        assertThat(client.news()).containsExactly(CmMessage.REJ);
        assertThat(active.state()).isEqualTo(CmState.IDLE);
        client.services.run(_ -> active.sendReq(request().build()));
        settle();
        CmId passive = server.events.getLast().id();
        CmEvent.ReqReceived req = (CmEvent.ReqReceived) server.events.getLast().event();
        server.services.run(_ -> passive.sendRep(RepParameters.to(req, QPN + 5, 2)));
        settle();
        server.services.run(_ -> passive.destroy());
        settle();
        assertThat(client.news()).containsExactly(CmMessage.REP, CmMessage.REJ);
        assertThat(active.state()).as("the peer may have data under way").isEqualTo(CmState.TIMEWAIT);
    }

    @Test
    @Covers("CM-25")
    void aDestroyedConnectionIsDisconnectedAndItsPeerAnswered() {
        CmId passive = connected();
        client.services.run(_ -> active.destroy());
        server.await(CmEvent.DreqReceived.class);
        assertThat(client.services.<Boolean>call(cm -> cm.ids().contains(active)))
                .isFalse();
        client.news();
        server.services.run(_ -> passive.destroy());
        settle();
        assertThat(client.news()).containsExactly(CmMessage.DREP);
    }

    @Test
    @Covers("CM-26")
    void messagesAreRepeatedInTheirTime() {
        listen();
        long startNs = hosts.nowNs();
        client.services.run(
                _ -> active.sendReq(request().responseTimeouts(20, 20, 3).build()));
        hosts.pass(TimeUnit.SECONDS.toNanos(40));
        assertThat(server.all(CmMessage.REQ))
                .extracting(CmHosts.Arrived::timeNs)
                .satisfies(times -> {
                    assertThat(times).hasSize(4);
                    for (int i = 0; i < times.size(); i++) {
                        // Twice 1024 ms for the path and 4096 ms for the peer.
                        assertThat((times.get(i) - startNs) / 1e6).isCloseTo(i * 6144.0, within(1.0));
                    }
                });
        assertThat(client.await(CmEvent.NoResponse.class).message()).isEqualTo(CmMessage.REQ);
    }

    @Test
    @Covers("CM-26")
    void theRequestTellsHowOftenItsReplyIsRepeated() {
        listen();
        client.services.run(
                _ -> active.sendReq(request().responseTimeouts(20, 18, 2).build()));
        CmId passive = server.idOf(CmEvent.ReqReceived.class);
        CmEvent.ReqReceived req = server.await(CmEvent.ReqReceived.class);
        server.services.run(_ -> passive.sendRep(RepParameters.to(req, QPN + 5, 2)));
        long startNs = hosts.nowNs();
        assertThat(server.await(CmEvent.NoResponse.class).message()).isEqualTo(CmMessage.REP);
        assertThat((hosts.nowNs() - startNs) / 1e6).as("3 times 1024 ms").isCloseTo(3072.0, within(1.0));
        assertThat(client.all(CmMessage.REP)).hasSize(3);
    }

    @Test
    @Covers("CM-27")
    void aConnectionInTimeWaitKeepsItsIdsUntilItIsOver() {
        CmId passive = connected();
        client.services.run(_ -> active.sendDreq(NONE));
        server.await(CmEvent.DreqReceived.class);
        server.services.run(_ -> passive.sendDrep(NONE));
        client.await(CmEvent.DrepReceived.class);
        assertThat(active.state()).isEqualTo(CmState.TIMEWAIT);
        assertThat(errnoOf(
                        () -> client.services.run(_ -> active.sendReq(request().build()))))
                .isEqualTo(Errno.EINVAL);
        long startNs = hosts.nowNs();
        client.await(CmEvent.TimewaitExit.class);
        // The ACK timeout of the queue pair, 2^(19 - 8) ms.
        assertThat((hosts.nowNs() - startNs) / 1e6).isCloseTo(2048.0, within(1.0));
        client.services.run(_ -> active.sendReq(request().build()));
        assertThat(active.state()).isEqualTo(CmState.REQ_SENT);
    }

    @Test
    @Covers("CM-28")
    void anAlternatePathThatCannotBeLoadedIsRefused() {
        connected();
        CmPath present = client.pathTo(server, 0);
        client.services.run(_ -> active.sendLap(present, NONE));
        assertThat(client.await(CmEvent.AprReceived.class).status()).isEqualTo(AlternatePathStatus.IS_CURRENT);
        assertThat(active.lapState()).isEqualTo(LapState.LAP_IDLE);
        MemorySegment lap = server.last(CmMessage.LAP);
        put(lap, CmLap.REMOTE_QPN, 0x99);
        Mad.TRANSACTION_ID.put(lap, 0, 1);
        client.forge(server, lap);
        put(lap, CmLap.REMOTE_QPN, QPN + 5);
        CmLap.ALTERNATE_REMOTE_PORT_GID.put(lap, BODY, Gid.parse("10.9.9.9"));
        Mad.TRANSACTION_ID.put(lap, 0, 2);
        client.forge(server, lap);
        assertThat(client.all(CmMessage.APR))
                .extracting(apr -> CmApr.STATUS.getInt(apr.mad(), BODY))
                .containsExactly(
                        AlternatePathStatus.IS_CURRENT.code(),
                        AlternatePathStatus.INVALID_QPN.code(),
                        AlternatePathStatus.INVALID_GID.code());
        assertThat(server.events).as("the program is not asked").hasSize(2);
    }

    @Test
    @Covers("CM-28")
    void anAlternatePathWithoutAnswerEndsAndTheConnectionStays() {
        CmId passive = connected();
        client.services.run(_ -> active.sendLap(client.pathTo(server, 1), NONE));
        server.await(CmEvent.LapReceived.class);
        assertThat(errnoOf(() -> client.services.run(_ -> active.sendLap(client.pathTo(server, 1), NONE))))
                .as("one at a time")
                .isEqualTo(Errno.EINVAL);
        assertThat(client.await(CmEvent.NoResponse.class).message()).isEqualTo(CmMessage.LAP);
        assertThat(active.state()).isEqualTo(CmState.ESTABLISHED);
        client.services.run(_ -> active.sendDreq(NONE));
        server.await(CmEvent.DreqReceived.class);
        assertThat(passive.state()).isEqualTo(CmState.DREQ_RCVD);
    }

    @Test
    @Covers("CM-29")
    void aRedirectedRequestIsSentToTheOtherPortOnce() {
        CmId passive = requested();
        Gid other = server.context.queryGid(1, 1);
        MemorySegment info = MemorySegment.ofArray(other.toBytes());
        server.services.run(_ -> passive.sendRej(RejectReason.PORT_REDIRECT, info, NONE));
        settle();
        assertThat(client.events).as("the program is not told").isEmpty();
        MemorySegment again = server.last(CmMessage.REQ);
        assertThat(CmReq.PRIMARY_REMOTE_PORT_GID.gid(again, BODY)).isEqualTo(other);
        CmId second = server.events.getLast().id();
        server.services.run(_ -> second.sendRej(RejectReason.PORT_REDIRECT, info, NONE));
        assertThat(client.await(CmEvent.RejReceived.class).reason()).isEqualTo(RejectReason.PORT_REDIRECT);
    }

    @Test
    @Covers("CM-30")
    void aResolutionIsReportedOnceAndItsAnswerRepeated() {
        client.services.run(_ -> active.sendSidrReq(SidrReqParameters.of(client.pathTo(server, 0), SERVICE, NONE)));
        assertThat(client.await(CmEvent.SidrRepReceived.class).status()).isEqualTo(SidrStatus.UNSUPPORTED);
        listen();
        CmId second = client.id();
        client.services.run(_ -> second.sendSidrReq(SidrReqParameters.of(client.pathTo(server, 0), SERVICE, NONE)));
        CmId asked = server.idOf(CmEvent.SidrReqReceived.class);
        MemorySegment request = server.last(CmMessage.SIDR_REQ);
        client.forge(server, request);
        assertThat(server.events).as("it is open already").hasSize(1);
        server.services.run(_ -> asked.sendSidrRep(SidrRepParameters.success(0x1C, 7, NONE)));
        settle();
        client.news();
        client.forge(server, request);
        assertThat(client.news()).as("the answer was lost").containsExactly(CmMessage.SIDR_REP);
        assertThat(server.events).hasSize(1);
        CmId third = client.id();
        client.services.run(_ -> third.sendSidrReq(SidrReqParameters.of(client.pathTo(server, 0), SERVICE, NONE)));
        settle();
        CmId destroyed = server.events.getLast().id();
        server.services.run(_ -> destroyed.destroy());
        settle();
        assertThat(((CmEvent.SidrRepReceived) client.events.getLast().event()).status())
                .isEqualTo(SidrStatus.REJECT);
    }

    @Test
    @Covers("CM-31")
    void privateDataOfEachMessageHasItsLength() {
        CmId passive = requested();
        List<Consumer<MemorySegment>> tooLong = List.of(
                data -> passive.sendMra(20, false, data),
                data -> passive.sendRej(RejectReason.CONSUMER_DEFINED, NONE, data),
                data -> passive.sendRep(RepParameters.to(server.await(CmEvent.ReqReceived.class), 5, 2)
                        .withPrivateData(data)));
        int[] limits = {222, 148, 196};
        for (int i = 0; i < limits.length; i++) {
            Consumer<MemorySegment> call = tooLong.get(i);
            MemorySegment data = MemorySegment.ofArray(new byte[limits[i] + 1]);
            assertThat(errnoOf(() -> server.services.run(_ -> call.accept(data))))
                    .isEqualTo(Errno.EINVAL);
        }
        assertThat(passive.state()).as("nothing has changed").isEqualTo(CmState.REQ_RCVD);
        CmEvent.ReqReceived req = server.await(CmEvent.ReqReceived.class);
        assertThat(req.privateData().byteSize()).isEqualTo(92);
        server.services.run(_ ->
                passive.sendRep(RepParameters.to(req, 5, 2).withPrivateData(MemorySegment.ofArray(new byte[196]))));
        assertThat(client.await(CmEvent.RepReceived.class).privateData().byteSize())
                .isEqualTo(196);
        client.services.run(_ -> active.sendRtu(MemorySegment.ofArray(new byte[224])));
        assertThat(server.await(CmEvent.RtuReceived.class).privateData().byteSize())
                .isEqualTo(224);
        client.services.run(_ -> active.sendDreq(MemorySegment.ofArray(new byte[220])));
        assertThat(server.await(CmEvent.DreqReceived.class).privateData().byteSize())
                .isEqualTo(220);
        server.services.run(_ -> passive.sendDrep(MemorySegment.ofArray(new byte[224])));
        assertThat(client.await(CmEvent.DrepReceived.class).privateData().byteSize())
                .isEqualTo(224);
    }

    @Test
    @Covers("CM-32")
    void peersThatBothAskAgreeWhoIsActive() {
        CmId ofServer = server.id();
        ReqParameters own = request().peerToPeer().build();
        ReqParameters theirs = ReqParameters.builder(server.pathTo(client, 0), SERVICE)
                .queuePair(QpType.RC, QPN + 5, 1)
                .peerToPeer()
                .build();
        client.services.run(_ -> active.sendReq(own));
        server.services.run(_ -> ofServer.sendReq(theirs));
        settle();
        assertThat(List.of(active.state(), ofServer.state()))
                .containsExactlyInAnyOrder(CmState.REQ_SENT, CmState.REQ_RCVD);
        CmHosts.Side passive = active.state() == CmState.REQ_RCVD ? client : server;
        CmHosts.Side other = passive == client ? server : client;
        CmId id = passive.idOf(CmEvent.ReqReceived.class);
        assertThat(id).as("no new id").isIn(active, ofServer);
        CmEvent.ReqReceived req = passive.await(CmEvent.ReqReceived.class);
        passive.services.run(_ -> id.sendRep(RepParameters.to(req, QPN + 9, 2)));
        CmId confirming = other.idOf(CmEvent.RepReceived.class);
        other.services.run(_ -> confirming.sendRtu(NONE));
        passive.await(CmEvent.RtuReceived.class);
    }

    @Test
    @Covers("CM-33")
    void messagesOfStrangersHaveNoEffect() {
        CmId passive = connected();
        MemorySegment rtu = server.last(CmMessage.RTU);
        put(rtu, CmRtu.LOCAL_COMM_ID, 0x11);
        client.forge(server, rtu);
        client.services.run(_ -> active.sendDreq(NONE));
        server.await(CmEvent.DreqReceived.class);
        MemorySegment dreq = server.last(CmMessage.DREQ);
        server.services.run(_ -> passive.sendDrep(NONE));
        settle();
        CmId second = client.id();
        client.services.run(
                _ -> second.sendReq(request().queuePair(QpType.RC, QPN + 2, 1).build()));
        settle();
        CmId child = server.events.getLast().id();
        put(dreq, CmDreq.LOCAL_COMM_ID, second.localId());
        put(dreq, CmDreq.REMOTE_COMM_ID, child.localId());
        client.forge(server, dreq);
        assertThat(child.state()).as("a DREQ with another queue pair").isEqualTo(CmState.REQ_RCVD);
        int events = server.events.size();
        MemorySegment rej = MemorySegment.ofArray(new byte[Mad.BYTES]);
        CmMessage.REJ.write(rej, 0, 5);
        put(rej, CmRej.LOCAL_COMM_ID, 0x33);
        put(rej, CmRej.REMOTE_COMM_ID, child.localId());
        put(rej, CmRej.MESSAGE, 2);
        put(rej, CmRej.REASON, RejectReason.CONSUMER_DEFINED.code());
        client.forge(server, rej);
        assertThat(child.state()).isEqualTo(CmState.REQ_RCVD);
        assertThat(server.events).hasSize(events);
    }

    @Test
    @Covers("CM-34")
    void attributesFollowFromTheTypeOfTheQueuePair() {
        listen();
        client.services.run(_ -> active.sendReq(
                request().queuePair(QpType.UC, QPN, 1).resources(0, 0).build()));
        CmId passive = server.idOf(CmEvent.ReqReceived.class);
        assertThat(server.await(CmEvent.ReqReceived.class).qpType()).isEqualTo(QpType.UC);
        QpAttributes init = server.services.call(_ -> passive.initQpAttributes(QpState.INIT));
        assertThat(init.accessFlags()).containsExactly(AccessFlag.REMOTE_WRITE);
        QpAttributes ready = server.services.call(_ -> passive.initQpAttributes(QpState.RTS));
        assertThat(ready.has(QpAttribute.TIMEOUT)).isFalse();
        assertThat(ready.has(QpAttribute.MAX_QP_RD_ATOMIC)).isFalse();
        assertThat(errnoOf(() -> client.services.call(_ -> active.initQpAttributes(QpState.RTR))))
                .as("no reply yet")
                .isEqualTo(Errno.EINVAL);
        CmId extended = client.id();
        client.services.run(_ ->
                extended.sendReq(request().queuePair(QpType.XRC_INI, QPN + 2, 1).build()));
        settle();
        CmEvent.ReqReceived xrc = (CmEvent.ReqReceived) server.events.getLast().event();
        assertThat(xrc.qpType()).isEqualTo(QpType.XRC_TGT);
        CmId target = server.events.getLast().id();
        server.services.run(_ -> target.sendRep(RepParameters.to(xrc, QPN + 6, 2)));
        assertThat(client.await(CmEvent.RepReceived.class).remoteQpn())
                .as("in the field of the end-to-end context")
                .isEqualTo(QPN + 6);
        QpAttributes targetQp = server.services.call(_ -> target.initQpAttributes(QpState.RTR));
        assertThat(targetQp.has(QpAttribute.MAX_DEST_RD_ATOMIC)).isTrue();
    }

    @Test
    @Covers("CM-35")
    void aServiceHasOneListenerAndMayBeAssigned() {
        listen();
        CmId second = server.id();
        assertThat(errnoOf(() -> server.services.run(_ -> second.listen(SERVICE, -1, 1))))
                .isEqualTo(Errno.EBUSY);
        server.services.run(_ -> second.listen(0x0200_0000_0000_0000L, -1, 1));
        assertThat(second.serviceId() >>> 56).isEqualTo(2);
        assertThat(errnoOf(() -> server.services.run(_ -> second.listen(SERVICE + 1, -1, 1))))
                .isEqualTo(Errno.EINVAL);
        CmId masked = server.id();
        server.services.run(_ -> masked.listen(0x0500L, ~0xFFL, 10));
        client.services.run(_ -> active.sendReq(ReqParameters.builder(client.pathTo(server, 0), 0x05AAL)
                .queuePair(QpType.RC, QPN, 1)
                .build()));
        assertThat(server.idOf(CmEvent.ReqReceived.class).listenId()).isSameAs(masked);
        assertThat(server.await(CmEvent.ReqReceived.class).serviceId()).isEqualTo(0x05AAL);
        server.services.run(_ -> masked.destroy());
        CmId late = client.id();
        client.services.run(_ -> late.sendReq(ReqParameters.builder(client.pathTo(server, 0), 0x05ABL)
                .queuePair(QpType.RC, QPN + 1, 1)
                .build()));
        assertThat(client.await(CmEvent.RejReceived.class).reason()).isEqualTo(RejectReason.INVALID_SERVICE_ID);
    }
}
