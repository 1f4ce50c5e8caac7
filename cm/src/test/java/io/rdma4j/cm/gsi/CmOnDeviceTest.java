// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm.gsi;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.MigrationState;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import io.rdma4j.wire.mad.AlternatePathStatus;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.RejectReason;
import io.rdma4j.wire.mad.SidrStatus;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Communication managers of two real devices connect real queue pairs over QP1, in virtual time. */
@ProvedOn("device")
class CmOnDeviceTest {
    private static final long SERVICE = 0x0106_1D2FL;
    private static final MemorySegment NONE = MemorySegment.NULL;
    private static final int LENGTH = 100;

    private final CmHosts hosts = new CmHosts(true);
    private final CmHosts.Side client = hosts.client;
    private final CmHosts.Side server = hosts.server;
    private final CmHosts.Endpoint ofClient = new CmHosts.Endpoint(client.context, QpType.RC);
    private final CmHosts.Endpoint ofServer = new CmHosts.Endpoint(server.context, QpType.RC);
    private final CmId active = client.id();

    @AfterEach
    void close() {
        ofClient.close();
        ofServer.close();
        hosts.close();
    }

    private CmId listen() {
        CmId listener = server.id();
        server.services.run(_ -> listener.listen(SERVICE, -1, 10));
        return listener;
    }

    private ReqParameters.Builder request() {
        return ReqParameters.builder(client.pathTo(server, 0), SERVICE)
                .queuePair(QpType.RC, ofClient.qp.qpn(), 0x12_3456);
    }

    /** The client's queue pair is in INIT, and its request has reached the server. */
    private CmId requested(ReqParameters request) {
        client.services.run(_ -> active.sendReq(request));
        client.modify(ofClient.qp, active, QpState.INIT);
        return server.idOf(CmEvent.ReqReceived.class);
    }

    private static QpAttributes withPsn(QpAttributes attributes, int psn) {
        return attributes.toBuilder().rqPsn(psn).build();
    }

    /** The server's queue pair is in RTR or RTS, and its reply has reached the client, whose queue pair is in RTS. */
    private void replied(CmId passive, boolean isReadyToSend) {
        int psn = 0x65_4321;
        server.modify(ofServer.qp, passive, QpState.INIT);
        ofServer.qp.postReceive(new ReceiveRequest(1, List.of(ofServer.mr.sge(0, LENGTH))));
        ofServer.qp.modify(withPsn(server.services.call(_ -> passive.initQpAttributes(QpState.RTR)), psn));
        if (isReadyToSend) {
            server.modify(ofServer.qp, passive, QpState.RTS);
        }
        CmEvent.ReqReceived request = server.await(CmEvent.ReqReceived.class);
        server.services.run(_ -> passive.sendRep(RepParameters.to(request, ofServer.qp.qpn(), psn)));
        client.await(CmEvent.RepReceived.class);
        client.modify(ofClient.qp, active, QpState.RTR, QpState.RTS);
    }

    private CmId connect() {
        listen();
        CmId passive = requested(request().build());
        replied(passive, true);
        client.services.run(_ -> active.sendRtu(NONE));
        server.await(CmEvent.RtuReceived.class);
        return passive;
    }

    private void sendFromClient() {
        MemorySegment.copy(MemorySegment.ofArray(new byte[] {1, 2, 3}), 0, ofClient.memory, 0, 3);
        ofClient.qp.postSend(SendRequest.send()
                .wrId(7)
                .sge(ofClient.mr.sge(0, LENGTH))
                .signaled()
                .build());
    }

    private static List<WorkCompletion> completions(CmHosts.Endpoint endpoint) {
        return endpoint.cq.poll(4);
    }

    private void awaitSend() {
        List<WorkCompletion> all = new ArrayList<>();
        hosts.await("completions", () -> {
            all.addAll(completions(ofClient));
            all.addAll(completions(ofServer));
            return all.size() == 2;
        });
        assertThat(all).allSatisfy(completion -> assertThat(completion.status()).isEqualTo(WcStatus.SUCCESS));
        assertThat(ofServer.memory.asSlice(0, LENGTH).mismatch(ofClient.memory.asSlice(0, LENGTH)))
                .isEqualTo(-1);
    }

    @Test
    @Covers({"CM-1", "CM-2", "CM-4", "CM-5", "CM-6", "CM-7", "CM-19"})
    void aConnectionCarriesData() {
        connect();
        sendFromClient();
        awaitSend();
    }

    @Test
    @Covers({"CM-13", "CM-14"})
    void aDisconnectionEndsBothEnds() {
        CmId passive = connect();
        client.services.run(_ -> active.sendDreq(NONE));
        server.await(CmEvent.DreqReceived.class);
        server.services.run(_ -> passive.sendDrep(NONE));
        client.await(CmEvent.DrepReceived.class);
        client.await(CmEvent.TimewaitExit.class);
        server.await(CmEvent.TimewaitExit.class);
        assertThat(active.state()).isEqualTo(CmState.IDLE);
    }

    @Test
    @Covers("CM-3")
    void aDestroyedIdDisconnects() {
        connect();
        client.services.run(_ -> active.destroy());
        server.await(CmEvent.DreqReceived.class);
        assertThat(client.events).noneMatch(got -> got.event() instanceof CmEvent.TimewaitExit);
    }

    @Test
    @Covers("CM-8")
    void aRejectedRequestHasItsReason() {
        listen();
        CmId passive = requested(request().build());
        byte[] data = "connection rejected".getBytes(StandardCharsets.US_ASCII);
        server.services.run(_ -> passive.sendRej(RejectReason.CONSUMER_DEFINED, NONE, MemorySegment.ofArray(data)));
        CmEvent.RejReceived rejection = client.await(CmEvent.RejReceived.class);
        assertThat(rejection.reason()).isEqualTo(RejectReason.CONSUMER_DEFINED);
        assertThat(rejection.privateData().asSlice(0, data.length).mismatch(MemorySegment.ofArray(data)))
                .isEqualTo(-1);
    }

    @Test
    @Covers("CM-8")
    void aServiceWithoutListenerIsRejected() {
        client.services.run(_ -> active.sendReq(request().build()));
        assertThat(client.await(CmEvent.RejReceived.class).reason()).isEqualTo(RejectReason.INVALID_SERVICE_ID);
    }

    @Test
    @Covers("CM-9")
    void anMraStopsTheRepetitions() {
        listen();
        CmId passive = requested(request().build());
        server.services.run(_ -> passive.sendMra(24, false, NONE));
        client.await(CmEvent.MraReceived.class);
        hosts.pass(TimeUnit.SECONDS.toNanos(60));
        assertThat(client.services.<Long>call(cm -> cm.counters(1).sent(CmMessage.REQ)))
                .isOne();
        replied(passive, true);
        assertThat(active.state()).isEqualTo(CmState.REP_RCVD);
    }

    @Test
    @Covers({"CM-10", "CM-11"})
    void dataThatArrivesBeforeTheReadyToUseEstablishesTheConnection() {
        List<EventType> types = new CopyOnWriteArrayList<>();
        try (var _ = server.context.registerEventHandler(event -> record(types, event))) {
            listen();
            CmId passive = requested(request().build());
            replied(passive, false);
            sendFromClient();
            hosts.await("COMM_EST", () -> types.contains(EventType.COMM_EST));
            server.services.run(cm -> cm.commEst(ofServer.qp.qpn()));
            server.await(CmEvent.UserEstablished.class);
            assertThat(passive.state()).isEqualTo(CmState.ESTABLISHED);
            server.modify(ofServer.qp, passive, QpState.RTS);
            awaitSend();
        }
    }

    private static void record(List<EventType> types, AsyncEvent event) {
        types.add(event.type());
    }

    @Test
    @Covers("CM-12")
    void requestsAreRepeatedAndTimeOut() {
        server.link.down();
        client.services.run(
                _ -> active.sendReq(request().responseTimeouts(20, 20, 4).build()));
        hosts.pass(TimeUnit.SECONDS.toNanos(10));
        assertThat(client.services.<Long>call(cm -> cm.counters(1).retried(CmMessage.REQ)))
                .isOne();
        assertThat(client.await(CmEvent.NoResponse.class).message()).isEqualTo(CmMessage.REQ);
        assertThat(client.services.<Long>call(cm -> cm.counters(1).sent(CmMessage.REQ)))
                .isEqualTo(5);
    }

    @Test
    @Covers("CM-12")
    void aRequestThatWasLostConnectsLater() {
        listen();
        server.link.down();
        client.services.run(_ -> active.sendReq(request().build()));
        hosts.pass(TimeUnit.SECONDS.toNanos(3));
        server.link.up();
        assertThat(server.await(CmEvent.ReqReceived.class).remoteQpn()).isEqualTo(ofClient.qp.qpn());
    }

    @Test
    @Covers({"CM-15", "CM-16"})
    void anAlternatePathIsLoadedAndUsed() {
        CmId passive = connect();
        CmPath alternate = client.pathTo(server, 1);
        client.services.run(_ -> active.sendLap(alternate, NONE));
        server.await(CmEvent.LapReceived.class);
        server.services.run(_ -> passive.sendApr(AlternatePathStatus.SUCCESS, NONE, NONE));
        assertThat(client.await(CmEvent.AprReceived.class).status()).isEqualTo(AlternatePathStatus.SUCCESS);
        assertThat(active.lapState()).isEqualTo(LapState.LAP_IDLE);
        server.modify(ofServer.qp, passive, QpState.RTS);
        client.modify(ofClient.qp, active, QpState.RTS);
        sendFromClient();
        awaitSend();
        hosts.await("armed", () -> ofClient.qp.query().migrationState() == MigrationState.ARMED);

        ofClient.qp.modify(
                QpAttributes.builder().migrationState(MigrationState.MIGRATED).build());
        client.services.run(cm -> cm.pathMigrated(ofClient.qp.qpn()));
        ofServer.qp.postReceive(new ReceiveRequest(1, List.of(ofServer.mr.sge(0, LENGTH))));
        sendFromClient();
        awaitSend();
        client.services.run(_ -> active.sendDreq(NONE));
        server.await(CmEvent.DreqReceived.class);
    }

    @Test
    @Covers({"CM-17", "CM-18"})
    void aDatagramServiceTellsItsQueuePair() {
        CmId listener = listen();
        client.services.run(_ -> active.sendSidrReq(SidrReqParameters.of(client.pathTo(server, 0), SERVICE, NONE)));
        server.await(CmEvent.SidrReqReceived.class);
        CmId id = server.idOf(CmEvent.SidrReqReceived.class);
        assertThat(id.listenId()).isSameAs(listener);
        server.services.run(_ -> id.sendSidrRep(SidrRepParameters.success(0x1C, 0x0123_4567, NONE)));
        CmEvent.SidrRepReceived reply = client.await(CmEvent.SidrRepReceived.class);
        assertThat(reply.status()).isEqualTo(SidrStatus.SUCCESS);
        assertThat(reply.qpn()).isEqualTo(0x1C);
        assertThat(reply.qkey()).isEqualTo(0x0123_4567);
    }

    @Test
    @Covers("CM-21")
    void aManagerAnnouncesItselfOnThePort() {
        assertThat(client.context.queryPort(1).capabilities()).contains(PortCapability.CM_SUP);
        client.services.close();
        assertThat(client.context.queryPort(1).capabilities()).doesNotContain(PortCapability.CM_SUP);
        client.services = client.open(99);
        assertThat(client.context.queryPort(1).capabilities()).contains(PortCapability.CM_SUP);
    }
}
