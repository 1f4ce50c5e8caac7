// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.cm.CmEvent;
import io.rdma4j.cm.CmId;
import io.rdma4j.cm.CmOptions;
import io.rdma4j.cm.CmPath;
import io.rdma4j.cm.RepParameters;
import io.rdma4j.cm.ReqParameters;
import io.rdma4j.cm.gsi.CmServices;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpType;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Communication managers of client processes use the device of a server process, which has one of its own. */
@Timeout(120)
class CmServedTest {
    private static final long SERVICE = 0x0106_1D2FL;
    private static final MemorySegment NONE = MemorySegment.NULL;
    private static final int QPN = 0x10_0000;

    private record Got(CmId id, CmEvent event) {}

    /** One communication manager. */
    private static final class Manager implements AutoCloseable {
        final CmServices services;
        private final BlockingQueue<Got> events = new LinkedBlockingQueue<>();

        Manager(Device device, long seed) {
            services = CmServices.open(device, CmOptions.of(seed));
        }

        CmId id() {
            return services.call(cm -> cm.createId((id, event) -> events.add(new Got(id, event))));
        }

        void listen() {
            CmId listener = id();
            services.run(_ -> listener.listen(SERVICE, -1, 10));
        }

        CmId connect(Manager to) {
            CmId active = id();
            Context own = services.context();
            CmPath path = CmPath.roce(
                    AddressVector.roce(1, to.services.context().queryGid(1, 0), 0),
                    own.queryGid(1, 0),
                    own.queryPort(1).activeMtu());
            services.run(_ -> active.sendReq(ReqParameters.builder(path, SERVICE)
                    .queuePair(QpType.RC, QPN, 1)
                    .build()));
            return active;
        }

        /** The next event, which has this type. */
        Got next(Class<? extends CmEvent> type) throws InterruptedException {
            Got got = events.poll(60, TimeUnit.SECONDS);
            assertThat(got).isNotNull();
            assertThat(got.event()).isInstanceOf(type);
            return got;
        }

        /** Accepts the next request. */
        CmId accept() throws InterruptedException {
            Got got = next(CmEvent.ReqReceived.class);
            services.run(_ -> got.id().sendRep(RepParameters.to((CmEvent.ReqReceived) got.event(), QPN + 1, 2)));
            return got.id();
        }

        /** Makes the connection ready. */
        void confirm() throws InterruptedException {
            Got got = next(CmEvent.RepReceived.class);
            services.run(_ -> got.id().sendRtu(NONE));
        }

        @Override
        public void close() {
            services.close();
        }
    }

    @TempDir
    private Path folder;

    private final Host peerHost = Host.create("peer");
    private ServedDevice served;
    private Manager owner;
    private Manager peer;
    private Manager client;

    @BeforeEach
    void open() {
        served = new ServedDevice(folder, UverbsServer.ABI_VERSION);
        peerHost.register(new RxeProvider(List.of(ServedDevice.spec()), RxeOptions.DEFAULT.withSharedMemory(false)));
        owner = new Manager(served.device, 1);
        peer = new Manager(peerHost.device("rxe0"), 2);
        client = new Manager(served.near.device("rxe0"), 3);
    }

    @AfterEach
    void close() {
        client.close();
        peer.close();
        owner.close();
        peerHost.close();
        served.close();
    }

    private static void connectAndDisconnect(Manager active, Manager passive) throws InterruptedException {
        CmId connecting = active.connect(passive);
        CmId accepted = passive.accept();
        active.confirm();
        passive.next(CmEvent.RtuReceived.class);
        active.services.run(_ -> connecting.sendDreq(NONE));
        passive.next(CmEvent.DreqReceived.class);
        passive.services.run(_ -> accepted.sendDrep(NONE));
        active.next(CmEvent.DrepReceived.class);
    }

    @Test
    @Covers({"CM-20", "CM-1"})
    void aPeerConnectsToAClientProcess() throws Exception {
        client.listen();
        connectAndDisconnect(peer, client);
    }

    @Test
    @Covers("CM-20")
    void aClientProcessConnectsToAPeer() throws Exception {
        peer.listen();
        connectAndDisconnect(client, peer);
    }

    @Test
    @Covers("CM-20")
    void aClientProcessConnectsToTheProcessThatServesTheDevice() throws Exception {
        owner.listen();
        connectAndDisconnect(client, owner);
    }

    @Test
    @Covers("CM-20")
    void theProcessThatServesTheDeviceConnectsToAClient() throws Exception {
        client.listen();
        connectAndDisconnect(owner, client);
    }

    @Test
    void twoClientProcessesConnectToEachOther() throws Exception {
        Host another = ServedDevice.client(served.directory);
        try (Manager second = new Manager(another.device("rxe0"), 4)) {
            client.listen();
            connectAndDisconnect(second, client);
        } finally {
            another.close();
        }
    }

    @Test
    void aServiceHasOneListenerAmongTheProcesses() {
        client.listen();
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(owner::listen)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
        client.services.bindPort(SERVICE, client.services.context().queryGid(1, 0), false);
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> owner.services.bindPort(
                        SERVICE, owner.services.context().queryGid(1, 0), false))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE));
        client.services.releasePort(SERVICE, client.services.context().queryGid(1, 0));
        owner.services.bindPort(SERVICE, owner.services.context().queryGid(1, 0), false);
    }

    @Test
    void aClosedManagerEndsItsConnectionsAndFreesItsService() throws Exception {
        client.listen();
        peer.connect(client);
        client.accept();
        peer.confirm();
        client.next(CmEvent.RtuReceived.class);
        client.close();
        peer.next(CmEvent.DreqReceived.class);
        owner.listen();
    }

    private RawClient raw() throws IOException {
        RawClient raw = new RawClient(served.server.entry());
        raw.getContext();
        return raw;
    }

    /** A process was killed: its manager has not ended its listener. */
    @Test
    void theEndOfASessionFreesItsServices() throws Exception {
        CmId listener = owner.id();
        try (RawClient raw = raw()) {
            int handle = raw.call(new Message(CommandType.OPEN_CM).putLong(CommandAttribute.USER_HANDLE, 1))
                    .get(CommandAttribute.HANDLE);
            raw.call(new Message(CommandType.LISTEN_CM)
                    .put(CommandAttribute.HANDLE, handle)
                    .putLong(CommandAttribute.SERVICE_ID, SERVICE)
                    .putLong(CommandAttribute.SERVICE_MASK, -1));
            assertThat(isFree(listener)).isFalse();
        }
        while (!isFree(listener)) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private boolean isFree(CmId listener) {
        try {
            owner.services.run(_ -> listener.listen(SERVICE, -1, 10));
            return true;
        } catch (RdmaException e) {
            assertThat(e.errno()).isEqualTo(Errno.EBUSY);
            return false;
        }
    }

    @Test
    void aContextHasOneManager() throws Exception {
        try (RawClient raw = raw()) {
            Message open = new Message(CommandType.OPEN_CM).putLong(CommandAttribute.USER_HANDLE, 1);
            assertThat(raw.answer(open).refusal()).isNull();
            assertThat(raw.answer(open).refusal()).isEqualTo(Errno.EBUSY);
        }
    }
}
