// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import static io.rdma4j.rdmacm.connection.IdPair.errnoOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.ConnectionEventType;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.EventRegistration;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import io.rdma4j.wire.mad.CmMessage;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Queue pairs that the program moves itself, with the attributes of an id: test_rdmacm's external queue pairs. */
@ProvedOn("device")
class ExternalQpOnDeviceTest {
    private static final int BYTES = 1024;

    private final IdPair pair = new IdPair();
    private final List<AutoCloseable> ends = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable end : ends.reversed()) {
            end.close();
        }
        pair.close();
    }

    /** A queue pair of the program, which its id does not know. */
    private static final class ExternalQp implements AutoCloseable {
        final ProtectionDomain pd;
        final CompletionQueue cq;
        final QueuePair qp;
        final MemoryRegion mr;

        ExternalQp(RdmaId id, QpType type) {
            Context context = Objects.requireNonNull(id.verbs());
            pd = context.allocatePd();
            cq = context.createCq(8);
            qp = pd.createQp(QpInitAttributes.builder(cq).type(type).build());
            mr = pd.allocateMemory(2 * BYTES, Set.of(AccessFlag.LOCAL_WRITE));
        }

        void move(RdmaId id, QpState... states) {
            for (QpState state : states) {
                qp.modify(id.initQpAttributes(state));
            }
        }

        void postReceive() {
            qp.postReceive(ReceiveRequest.of(1, mr.sge(0, BYTES)));
        }

        void send(String text) {
            mr.segment().asSlice(BYTES).setString(0, text);
            qp.postSend(SendRequest.send()
                    .wrId(2)
                    .sge(mr.sge(BYTES, BYTES))
                    .signaled()
                    .build());
        }

        @Override
        public void close() {
            qp.close();
            mr.close();
            cq.close();
            pd.close();
        }
    }

    private ExternalQp external(RdmaId id) {
        ExternalQp created = new ExternalQp(id, QpType.RC);
        ends.add(created);
        return created;
    }

    /** Waits for a message, and returns it. */
    private String exchange(ExternalQp from, ExternalQp to, String text) {
        from.send(text);
        List<WorkCompletion> done = new ArrayList<>();
        pair.hosts.await("message", () -> {
            done.addAll(from.cq.poll(1));
            done.addAll(to.cq.poll(1));
            return done.size() == 2;
        });
        assertThat(done).extracting(WorkCompletion::status).containsOnly(WcStatus.SUCCESS);
        return to.mr.segment().getString(0);
    }

    private static ConnectParameters of(ExternalQp end) {
        return ConnectParameters.DEFAULT.withResources(1, 1).withQueuePair(end.qp.qpn(), false);
    }

    @Test
    @Covers({"RCM-22", "RCM-23"})
    void bothEndsMoveTheirQueuePairsThemselves() {
        pair.listener(PortSpace.TCP);
        RdmaId active = pair.resolved(PortSpace.TCP);
        ExternalQp client = external(active);
        client.move(active, QpState.INIT);
        client.postReceive();
        active.connect(of(client));

        ConnectionEvent request = pair.atServer(ConnectionEventType.CONNECT_REQUEST);
        RdmaId passive = pair.kept(request.id());
        assertThat(Objects.requireNonNull(request.parameters()).qpn()).isEqualTo(client.qp.qpn());
        ExternalQp server = external(passive);
        server.move(passive, QpState.INIT, QpState.RTR, QpState.RTS);
        server.postReceive();
        passive.accept(of(server));

        ConnectionEvent response = pair.atClient(ConnectionEventType.CONNECT_RESPONSE);
        assertThat(Objects.requireNonNull(response.parameters()).qpn()).isEqualTo(server.qp.qpn());
        client.move(active, QpState.RTR, QpState.RTS);
        active.establish();
        pair.atServer(ConnectionEventType.ESTABLISHED);
        pair.expectNothing();

        assertThat(exchange(client, server, "to the server")).isEqualTo("to the server");
        assertThat(exchange(server, client, "to the client")).isEqualTo("to the client");
        active.disconnect();
        pair.atServer(ConnectionEventType.DISCONNECTED);
        passive.disconnect();
        pair.atClient(ConnectionEventType.DISCONNECTED);
        assertThat(client.qp.state()).as("the id does not know it").isEqualTo(QpState.RTS);
    }

    @Test
    @Covers("RCM-22")
    void attributesAreKnownWhenTheMessagesHaveToldThem() {
        pair.listener(PortSpace.TCP);
        RdmaId active = pair.client(PortSpace.TCP);
        assertThat(errnoOf(() -> active.initQpAttributes(QpState.INIT))).isEqualTo(Errno.ENODEV);
        pair.resolved(active, IdPair.SERVER);
        QpAttributes early = active.initQpAttributes(QpState.INIT);
        assertThat(early.accessFlags()).isEmpty();
        assertThat(early.port()).isOne();
        assertThat(errnoOf(() -> active.initQpAttributes(QpState.RTR))).isEqualTo(Errno.EINVAL);
        active.connect(ConnectParameters.DEFAULT.withResources(0, 0).withQueuePair(0x17, false));
        assertThat(active.initQpAttributes(QpState.INIT).accessFlags())
                .as("no READs are served")
                .containsExactly(AccessFlag.REMOTE_WRITE);
        assertThat(errnoOf(() -> active.initQpAttributes(QpState.RTS))).isEqualTo(Errno.EINVAL);
        RdmaId passive = pair.request();
        QpAttributes ready = passive.initQpAttributes(QpState.RTR);
        assertThat(ready.destinationQpn()).isEqualTo(0x17);
        assertThat(ready.minRnrTimer()).isZero();
        passive.reject(MemorySegment.NULL);
        assertThat(errnoOf(() -> passive.initQpAttributes(QpState.RTR))).isEqualTo(Errno.EINVAL);
    }

    @Test
    @Covers("RCM-22")
    void datagramsNeedNoPeerForTheirAttributes() {
        RdmaId id = pair.addressed(pair.client(PortSpace.UDP), null, IdPair.SERVER);
        ExternalQp external = new ExternalQp(id, QpType.UD);
        ends.add(external);
        assertThat(id.initQpAttributes(QpState.INIT).qkey()).isEqualTo(0x0123_4567);
        external.move(id, QpState.INIT, QpState.RTR, QpState.RTS);
        assertThat(external.qp.state()).isEqualTo(QpState.RTS);
        assertThat(id.initQpAttributes(QpState.RTR).has(QpAttribute.DEST_QPN)).isFalse();
    }

    @Test
    @Covers("RCM-23")
    void anIdConfirmsTheConnectionOfItsOwnQueuePairItself() {
        pair.listener(PortSpace.TCP);
        IdPair.Connection connection = pair.connect(pair.resolved(PortSpace.TCP));
        assertThat(errnoOf(connection.active()::establish)).isEqualTo(Errno.EINVAL);
        RdmaId early = pair.resolved(PortSpace.TCP);
        assertThat(errnoOf(early::establish)).isEqualTo(Errno.EINVAL);
        early.connect(IdPair.DEFAULT.withQueuePair(0x17, false));
        assertThat(errnoOf(early::establish)).as("no answer yet").isEqualTo(Errno.EINVAL);
    }

    @Test
    @Covers("RCM-24")
    void theFirstPacketTellsThatTheConnectionIsEstablished() {
        List<EventType> events = new ArrayList<>();
        pair.listener(PortSpace.TCP);
        RdmaId active = pair.resolved(PortSpace.TCP);
        assertThat(errnoOf(active::notifyEstablished)).isEqualTo(Errno.EINVAL);
        ExternalQp client = external(active);
        client.move(active, QpState.INIT);
        active.connect(of(client));
        RdmaId passive = pair.request();
        ExternalQp server = external(passive);
        server.move(passive, QpState.INIT, QpState.RTR);
        server.postReceive();
        pair.hosts.server.isLost = message -> message == CmMessage.RTU;
        passive.accept(of(server));
        pair.atClient(ConnectionEventType.CONNECT_RESPONSE);
        client.move(active, QpState.RTR, QpState.RTS);
        active.establish();
        try (EventRegistration _ = server.qp.context().registerEventHandler(event -> record(events, event))) {
            exchange(client, server, "data");
            pair.expectNothing();
            assertThat(events).containsExactly(EventType.COMM_EST);
        }
        passive.notifyEstablished();
        server.move(passive, QpState.RTS);
        pair.atServer(ConnectionEventType.ESTABLISHED);
        assertThat(errnoOf(passive::notifyEstablished)).isEqualTo(Errno.EISCONN);
    }

    private static void record(List<EventType> events, AsyncEvent event) {
        events.add(event.type());
    }
}
