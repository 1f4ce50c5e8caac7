// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm.gsi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.cm.Cm;
import io.rdma4j.cm.CmAddress;
import io.rdma4j.cm.CmEvent;
import io.rdma4j.cm.CmId;
import io.rdma4j.cm.CmOptions;
import io.rdma4j.cm.CmState;
import io.rdma4j.cm.RepParameters;
import io.rdma4j.cm.ReqParameters;
import io.rdma4j.cm.SidrRepParameters;
import io.rdma4j.cm.SidrReqParameters;
import io.rdma4j.mad.MadAddress;
import io.rdma4j.mad.MadAgent;
import io.rdma4j.mad.MadAgentSetup;
import io.rdma4j.mad.MadSend;
import io.rdma4j.mad.gsi.GeneralServices;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.CmReq;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.RejectReason;
import io.rdma4j.wire.mad.SidrStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several communication managers share one device, which another device connects to, in virtual time. */
@ProvedOn("device")
class SharedDeviceTest {
    private static final long FIRST = 0x0106_1000L;
    private static final long SECOND = 0x0106_2000L;
    private static final MemorySegment NONE = MemorySegment.NULL;
    private static final Gid ADDRESS = Gid.parse("10.0.0.2");
    private static final Gid ANY = Gid.ofIpv4(0);
    private static final int QPN = 0x10_0000;

    private final CmHosts hosts = new CmHosts(true);
    private final CmHosts.Side client = hosts.client;
    private final CmHosts.Side server = hosts.server;
    private final CmServices other = server.open(99);
    private final List<CmHosts.Got> ofOther = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        other.close();
        hosts.close();
    }

    private CmId otherId() {
        return other.call(cm -> cm.createId((id, event) -> ofOther.add(new CmHosts.Got(id, event))));
    }

    private <E extends CmEvent> E awaitOther(Class<E> type) {
        hosts.await(
                type.getSimpleName() + " of the other manager, which got " + ofOther,
                () -> ofOther.stream().anyMatch(got -> type.isInstance(got.event())));
        return ofOther.stream()
                .map(CmHosts.Got::event)
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst()
                .orElseThrow();
    }

    private ReqParameters request(long service) {
        return ReqParameters.builder(client.pathTo(server, 0), service)
                .queuePair(QpType.RC, QPN, 1)
                .build();
    }

    private CmId requested(long service) {
        CmId active = client.id();
        client.services.run(_ -> active.sendReq(request(service)));
        return active;
    }

    private void listen(CmServices services, CmId id, long service) {
        services.run(_ -> id.listen(service, -1, 10));
    }

    private CmAddress toClient() {
        return new CmAddress(AddressVector.roce(1, client.context.queryGid(1, 0), 0), 0);
    }

    private static void assertRefused(Errno errno, ThrowingCallable call) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(call)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    @Covers("CM-20")
    void eachManagerGetsTheRequestsToItsServices() {
        listen(server.services, server.id(), FIRST);
        listen(other, otherId(), SECOND);
        requested(SECOND);
        awaitOther(CmEvent.ReqReceived.class);
        assertThat(server.events).isEmpty();
        requested(FIRST);
        server.await(CmEvent.ReqReceived.class);
        assertThat(ofOther).hasSize(1);
    }

    @Test
    @Covers("CM-20")
    void aConnectionToOneOfThemIsMadeAndEnded() {
        listen(server.services, server.id(), FIRST);
        listen(other, otherId(), SECOND);
        CmId active = requested(SECOND);
        CmEvent.ReqReceived request = awaitOther(CmEvent.ReqReceived.class);
        CmId passive = ofOther.getFirst().id();
        other.run(_ -> passive.sendRep(RepParameters.to(request, QPN + 1, 2)));
        client.await(CmEvent.RepReceived.class);
        client.services.run(_ -> active.sendRtu(NONE));
        awaitOther(CmEvent.RtuReceived.class);
        client.services.run(_ -> active.sendDreq(NONE));
        awaitOther(CmEvent.DreqReceived.class);
        other.run(_ -> passive.sendDrep(NONE));
        client.await(CmEvent.DrepReceived.class);
        assertThat(server.events).isEmpty();
    }

    @Test
    void bothConnectAndEachGetsItsReplies() {
        CmId listener = client.id();
        client.services.run(_ -> listener.listen(FIRST, -1, 10));
        CmId one = server.id();
        CmId two = otherId();
        assertThat(server.services.call(_ -> one).state()).isEqualTo(CmState.IDLE);
        ReqParameters.Builder toClient = ReqParameters.builder(server.pathTo(client, 0), FIRST);
        server.services.run(
                _ -> one.sendReq(toClient.queuePair(QpType.RC, QPN, 1).build()));
        other.run(_ -> two.sendReq(toClient.queuePair(QpType.RC, QPN + 1, 1).build()));
        hosts.await("two requests", () -> client.events.size() == 2);
        client.events.forEach(
                got -> client.services.run(_ -> got.id().sendRej(RejectReason.CONSUMER_DEFINED, NONE, NONE)));
        server.await(CmEvent.RejReceived.class);
        awaitOther(CmEvent.RejReceived.class);
        assertThat(server.events).hasSize(1);
        assertThat(ofOther).hasSize(1);
    }

    @Test
    void aDatagramServiceOfAnotherManagerIsFound() {
        listen(other, otherId(), SECOND);
        CmId active = client.id();
        client.services.run(_ -> active.sendSidrReq(SidrReqParameters.of(client.pathTo(server, 0), SECOND, NONE)));
        awaitOther(CmEvent.SidrReqReceived.class);
        CmId id = ofOther.getFirst().id();
        other.run(_ -> id.sendSidrRep(SidrRepParameters.success(7, 8, NONE)));
        assertThat(client.await(CmEvent.SidrRepReceived.class).status()).isEqualTo(SidrStatus.SUCCESS);
    }

    @Test
    void aServiceOfNoManagerIsRejected() {
        listen(other, otherId(), SECOND);
        requested(FIRST);
        assertThat(client.await(CmEvent.RejReceived.class).reason()).isEqualTo(RejectReason.INVALID_SERVICE_ID);
    }

    @Test
    void aServiceHasOneListener() {
        listen(server.services, server.id(), FIRST);
        CmId second = otherId();
        assertRefused(Errno.EBUSY, () -> listen(other, second, FIRST));
        assertRefused(Errno.EBUSY, () -> other.run(_ -> second.listen(FIRST & ~0xFFFFL, ~0xFFFFL, 1)));
        listen(other, second, SECOND);
    }

    @Test
    void aServiceIsFreeWhenItsListenerHasEnded() {
        CmId first = server.id();
        listen(server.services, first, FIRST);
        server.services.run(_ -> first.destroy());
        listen(other, otherId(), FIRST);
        requested(FIRST);
        awaitOther(CmEvent.ReqReceived.class);
    }

    @Test
    void aPortHasOneManagerAtEachAddress() {
        server.services.bindPort(FIRST, ADDRESS, false);
        assertRefused(Errno.EADDRINUSE, () -> other.bindPort(FIRST, ADDRESS, false));
        assertRefused(Errno.EADDRINUSE, () -> other.bindPort(FIRST, ADDRESS, true));
        assertRefused(Errno.EADDRNOTAVAIL, () -> other.bindPort(FIRST, ANY, false));
        other.bindPort(FIRST, Gid.parse("10.0.1.2"), false);
        server.services.releasePort(FIRST, ADDRESS);
        other.bindPort(FIRST, ADDRESS, false);
    }

    @Test
    void twoManagersShareAPortForReuseUntilOneListens() {
        server.services.bindPort(FIRST, ADDRESS, true);
        other.bindPort(FIRST, ADDRESS, true);
        other.releasePort(FIRST, ADDRESS);
        listen(server.services, server.id(), FIRST);
        assertRefused(Errno.EADDRINUSE, () -> other.bindPort(FIRST, ADDRESS, true));
    }

    /** A process was killed: its manager has ended without a word. */
    @Test
    void whatADeadManagerHasLeftIsEnded() {
        CmClient channel = CmRouter.attach(server.device, 5, false);
        Cm dead = new Cm(
                new ChannelDevice(server.context, channel),
                CmOptions.of(6).withAgent(channel.agent()).withIds(channel.ids()),
                hosts.nowNs());
        List<CmHosts.Got> ofDead = new CopyOnWriteArrayList<>();
        channel.start(nowNs -> {
            for (CmDatagram next = channel.receive(); next != null; next = channel.receive()) {
                dead.received(next.mad(), next.source());
            }
            return dead.advance(nowNs);
        });
        dead.createId((id, event) -> ofDead.add(new CmHosts.Got(id, event))).listen(SECOND, -1, 10);
        CmId connected = requested(SECOND);
        hosts.await("request", () -> !ofDead.isEmpty());
        ofDead.getFirst()
                .id()
                .sendRep(
                        RepParameters.to((CmEvent.ReqReceived) ofDead.getFirst().event(), QPN + 1, 2));
        client.await(CmEvent.RepReceived.class);
        client.services.run(_ -> connected.sendRtu(NONE));
        hosts.await("connection", () -> ofDead.size() == 2);
        CmId waiting = client.id();
        client.services.run(_ -> waiting.sendReq(ReqParameters.builder(client.pathTo(server, 0), SECOND)
                .queuePair(QpType.RC, QPN + 2, 1)
                .build()));
        hosts.await("second request", () -> ofDead.size() == 3);

        channel.close();

        client.await(CmEvent.DreqReceived.class);
        client.await(CmEvent.RejReceived.class);
        assertThat(client.idOf(CmEvent.DreqReceived.class)).isSameAs(connected);
        assertThat(client.idOf(CmEvent.RejReceived.class)).isSameAs(waiting);
        listen(other, otherId(), SECOND);
    }

    /** A manager in another process may send anything. */
    @Test
    void aManagerCannotSendForAnother() {
        CmClient hostile = CmRouter.attach(server.device, 5, false);
        CmId listener = client.id();
        client.services.run(_ -> listener.listen(FIRST, -1, 10));
        CmId active = server.id();
        server.services.run(_ -> active.sendReq(ReqParameters.builder(server.pathTo(client, 0), FIRST)
                .queuePair(QpType.RC, QPN, 1)
                .build()));
        CmEvent.ReqReceived request = client.await(CmEvent.ReqReceived.class);
        CmId passive = client.idOf(CmEvent.ReqReceived.class);
        client.services.run(_ -> passive.sendRep(RepParameters.to(request, QPN + 1, 2)));
        server.await(CmEvent.RepReceived.class);
        server.services.run(_ -> active.sendRtu(NONE));
        client.await(CmEvent.RtuReceived.class);

        MemorySegment forged = CmHeaders.dreq(active.localId(), active.remoteId(), 77, QPN + 1);
        hostile.send(forged, toClient());
        assertThat(hostile.unsent()).isOne();
        hosts.pass(1_000_000_000);
        assertThat(client.events).noneMatch(got -> got.event() instanceof CmEvent.DreqReceived);
        hostile.send(MemorySegment.ofArray(new byte[10]), toClient());
        assertThat(hostile.unsent()).isEqualTo(2);
        hostile.close();
        hostile.send(CmHeaders.dreq(hostile.ids().id(1), 1, 77, QPN), toClient());
        assertThat(hostile.unsent()).isEqualTo(3);
    }

    @Test
    void managersHaveDifferentCommunicationIds() {
        CmClient one = CmRouter.attach(server.device, 5, false);
        CmClient two = CmRouter.attach(server.device, 5, false);
        assertThat(one.ids()).isNotEqualTo(two.ids());
        assertThat(one.ids().contains(two.ids().first())).isFalse();
        one.close();
        two.close();
    }

    @Test
    void aDeviceHasALimitedNumberOfManagers() {
        List<CmClient> all = new CopyOnWriteArrayList<>();
        try {
            assertRefused(Errno.EAGAIN, () -> {
                for (int i = 0; i <= 1024; i++) {
                    all.add(CmRouter.attach(server.device, 5, false));
                }
            });
            assertThat(all).hasSize(1022);
            all.removeFirst().close();
            all.add(CmRouter.attach(server.device, 5, false));
        } finally {
            all.forEach(CmClient::close);
        }
    }

    /** Random messages of all kinds for ids of both managers, their services and nobody's. */
    @Test
    void messagesWithRandomFieldsDoNoHarm() {
        SplittableRandom random = new SplittableRandom(7);
        listen(server.services, server.id(), FIRST);
        CmId listener = otherId();
        listen(other, listener, SECOND);
        requested(SECOND);
        CmEvent.ReqReceived request = awaitOther(CmEvent.ReqReceived.class);
        CmId passive = ofOther.getFirst().id();
        other.run(_ -> passive.sendRep(RepParameters.to(request, QPN + 1, 2)));
        client.await(CmEvent.RepReceived.class);
        try (GeneralServices services = GeneralServices.open(client.context, 1, false);
                MadAgent agent = services.register(MadAgentSetup.DEFAULT.onSent((_, _) -> {}))) {
            MadAddress toServer = MadAddress.gsi(AddressVector.roce(1, server.context.queryGid(1, 0), 0), 0);
            for (int i = 0; i < 3000; i++) {
                agent.send(MadSend.of(toServer, randomMessage(random, passive)));
                if (i % 20 == 0) {
                    hosts.pass(random.nextLong(1_000_000_000));
                }
            }
        }
        other.run(Cm::destroyIds);
        client.events.clear();
        ofOther.clear();
        listen(other, otherId(), SECOND + 1);
        requested(SECOND + 1);
        awaitOther(CmEvent.ReqReceived.class);
    }

    private static MemorySegment randomMessage(SplittableRandom random, CmId known) {
        byte[] bytes = new byte[Mad.BYTES];
        random.nextBytes(bytes);
        MemorySegment mad = MemorySegment.ofArray(bytes);
        CmMessage[] kinds = CmMessage.values();
        CmMessage kind = kinds[random.nextInt(kinds.length)];
        kind.write(mad, 0, random.nextInt(4) == 0 ? 1 : random.nextLong());
        if (random.nextBoolean() && CmHeaders.receiver(kind, mad) != 0) {
            // The ID of the receiver stands in the second word of all these messages but one.
            int offset = kind == CmMessage.SIDR_REP ? 0 : Integer.BYTES;
            mad.set(
                    ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN),
                    CmHeaders.BODY + offset,
                    known.localId());
        }
        if (kind == CmMessage.REQ) {
            CmReq.SERVICE_ID.put(mad, CmHeaders.BODY, random.nextBoolean() ? FIRST : SECOND);
        }
        return mad;
    }

    @Test
    @Covers("CM-20")
    void aThousandRequestsWaitForAManagerThatIsBusy() {
        int count = 1000;
        try (CmClient busy = CmRouter.attach(server.device, 5, false)) {
            busy.listen(SECOND, -1);
            for (int i = 0; i < count; i++) {
                requested(SECOND);
                if (i % 100 == 99) {
                    hosts.pass(1_000_000);
                }
            }
            int received = 0;
            for (CmDatagram datagram = busy.receive(); datagram != null; datagram = busy.receive()) {
                received++;
            }
            assertThat(received).as("requests, none of which was sent twice").isEqualTo(count);
        }
    }
}
