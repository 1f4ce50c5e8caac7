// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.AddressFlag;
import io.rdma4j.rdmacm.AddressHints;
import io.rdma4j.rdmacm.AddressInfo;
import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.DatagramPeer;
import io.rdma4j.rdmacm.IdQueues;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.SrqAttributes;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.SignalType;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Endpoints of synchronous ids on two real devices. */
@ProvedOn("device")
@Timeout(120)
class RdmaEndpointTest {
    private static final int BYTES = 64;
    private static final int GRH_BYTES = 40;
    private static final AddressHints PASSIVE = AddressHints.NONE.with(AddressFlag.PASSIVE);
    private static final QpInitAttributes ATTRIBUTES = QpInitAttributes.builder(null, null)
            .capabilities(new QpCapabilities(4, 4, 1, 1, BYTES))
            .signalType(SignalType.ALL_WR)
            .build();

    private final DeviceHosts hosts = new DeviceHosts();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void close() {
        threads.close();
        hosts.close();
    }

    private static AddressInfo info(AddressHints hints) {
        return AddressInfo.find("10.0.0.2", "7471", hints).getFirst();
    }

    private EndpointListener listener(QpType type, PortSpace space) {
        EndpointListener listener =
                EndpointListener.create(hosts.server.cm, info(PASSIVE.withService(type, space)), null, ATTRIBUTES);
        listener.listen(4);
        return listener;
    }

    private RdmaEndpoint client(QpType type, PortSpace space) {
        return RdmaEndpoint.create(hosts.client.cm, info(AddressHints.NONE.withService(type, space)), null, ATTRIBUTES);
    }

    private <T> Future<T> start(Callable<T> task) {
        return threads.submit(task);
    }

    private static WorkCompletion successful(WorkCompletion completion) {
        assertThat(completion.status()).as(completion.toString()).isEqualTo(WcStatus.SUCCESS);
        return completion;
    }

    private static Errno errnoOf(Runnable call) {
        return catchThrowableOfType(RdmaException.class, call::run).errno();
    }

    @Test
    @Covers({"RCM-7", "RCM-8"})
    void twoEndpointsExchangeMessages() throws Exception {
        try (EndpointListener listener = listener(QpType.RC, PortSpace.TCP)) {
            Future<WorkCompletion> served = start(() -> {
                try (RdmaEndpoint endpoint = listener.getRequest()) {
                    MemoryRegion message = endpoint.registerMessages(BYTES);
                    endpoint.postReceive(7, message.sge());
                    endpoint.accept(ConnectParameters.DEFAULT);
                    WorkCompletion received = endpoint.awaitReceive();
                    endpoint.postSend(8, Set.of(), message.sge(0, received.byteLength()));
                    successful(endpoint.awaitSend());
                    endpoint.disconnect();
                    return received;
                }
            });
            try (Arena arena = Arena.ofShared();
                    RdmaEndpoint endpoint = client(QpType.RC, PortSpace.TCP)) {
                assertThat(Objects.requireNonNull(endpoint.id().qp()).state()).isEqualTo(QpState.INIT);
                MemoryRegion answer = endpoint.registerMessages(arena.allocate(BYTES));
                endpoint.postReceive(1, answer.sge());
                endpoint.connect(ConnectParameters.DEFAULT);
                MemorySegment text = arena.allocateFrom("hello");
                endpoint.postInlineSend(2, Set.of(SendFlag.SIGNALED), text);
                assertThat(successful(endpoint.awaitSend()).wrId()).isEqualTo(2);
                assertThat(successful(endpoint.awaitReceive()).wrId()).isEqualTo(1);
                assertThat(answer.segment().getString(0)).isEqualTo("hello");
                endpoint.disconnect();
            }
            assertThat(successful(served.get()).wrId()).isEqualTo(7);
        }
    }

    @Test
    @Covers("RCM-8")
    void aClosedEndpointEndsTheWaitsForItsCompletions() throws Exception {
        hosts.server.answer();
        for (int i = 0; i < 20; i++) {
            RdmaEndpoint endpoint = client(QpType.RC, PortSpace.TCP);
            MemoryRegion message = endpoint.registerMessages(BYTES);
            for (int wrId = 0; wrId < 4; wrId++) {
                endpoint.postReceive(wrId, message.sge());
            }
            Future<Errno> waiting = start(() -> errnoOf(() -> takeAll(endpoint)));
            // The completions of the flushed receives come while the endpoint closes.
            Objects.requireNonNull(endpoint.id().qp())
                    .modify(QpAttributes.builder().state(QpState.ERR).build());
            endpoint.close();
            assertThat(waiting.get()).isEqualTo(Errno.EINVAL);
        }
    }

    private static void takeAll(RdmaEndpoint endpoint) {
        try {
            while (true) {
                endpoint.awaitReceive();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @Covers({"RCM-7", "RCM-8"})
    void anEndpointReadsAndWritesTheMemoryOfItsPeer() throws Exception {
        try (EndpointListener listener = listener(QpType.RC, PortSpace.TCP);
                Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(2 * BYTES);
            memory.setString(0, "read");
            Future<WcStatus> served = start(() -> {
                try (RdmaEndpoint endpoint = listener.getRequest()) {
                    MemoryRegion source = endpoint.registerRead(memory.asSlice(0, BYTES));
                    MemoryRegion sink = endpoint.registerWrite(memory.asSlice(BYTES, BYTES));
                    MemorySegment keys = arena.allocate(2L * RemoteMemory.BYTES);
                    keys.copyFrom(bytes(source));
                    keys.asSlice(RemoteMemory.BYTES).copyFrom(bytes(sink));
                    endpoint.postReceive(1, sink.sge());
                    endpoint.accept(ConnectParameters.DEFAULT.withPrivateData(keys));
                    return endpoint.awaitReceive().status();
                }
            });
            try (RdmaEndpoint endpoint = client(QpType.RC, PortSpace.TCP)) {
                MemoryRegion local = endpoint.registerMessages(BYTES);
                endpoint.connect(ConnectParameters.DEFAULT);
                ConnectionEvent event = Objects.requireNonNull(endpoint.id().lastEvent());
                RemoteMemory source = RemoteMemory.of(event.privateData());
                RemoteMemory sink = RemoteMemory.of(event.privateData().asSlice(RemoteMemory.BYTES));
                endpoint.postRead(1, Set.of(), source, local.sge());
                assertThat(successful(endpoint.awaitSend()).opcode()).isEqualTo(WcOpcode.RDMA_READ);
                assertThat(local.segment().getString(0)).isEqualTo("read");
                endpoint.postWrite(2, Set.of(), sink, local.sge());
                assertThat(successful(endpoint.awaitSend()).opcode()).isEqualTo(WcOpcode.RDMA_WRITE);
                assertThat(memory.getString(BYTES)).isEqualTo("read");
                endpoint.postRead(3, Set.of(), sink, local.sge());
                assertThat(endpoint.awaitSend().status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
            }
            assertThat(served.get()).isEqualTo(WcStatus.WR_FLUSH_ERR);
        }
    }

    private static MemorySegment bytes(MemoryRegion region) {
        return MemorySegment.ofArray(
                new RemoteMemory(region.address(), (int) region.lengthBytes(), region.rkey()).toBytes());
    }

    @Test
    @Covers("RCM-8")
    void anEndpointSendsDatagrams() throws Exception {
        try (EndpointListener listener = listener(QpType.UD, PortSpace.UDP);
                RdmaEndpoint endpoint = client(QpType.UD, PortSpace.UDP)) {
            Future<String> served = start(() -> {
                try (RdmaEndpoint service = listener.getRequest()) {
                    MemoryRegion message = service.registerMessages(GRH_BYTES + BYTES);
                    service.postReceive(1, message.sge());
                    service.accept(ConnectParameters.DEFAULT);
                    successful(service.awaitReceive());
                    return message.segment().getString(GRH_BYTES);
                }
            });
            endpoint.connect(ConnectParameters.DEFAULT);
            DatagramPeer peer = Objects.requireNonNull(
                    Objects.requireNonNull(endpoint.id().lastEvent()).datagram());
            MemoryRegion message = endpoint.registerMessages(BYTES);
            message.segment().setString(0, "datagram");
            try (AddressHandle path =
                    endpoint.id().queues().protectionDomain().createAddressHandle(peer.addressVector())) {
                endpoint.postDatagram(1, Set.of(), path, peer.qpn(), message.sge());
                successful(endpoint.awaitSend());
            }
            assertThat(served.get()).isEqualTo("datagram");
        }
    }

    @Test
    @Covers({"RCM-9", "RCM-10"})
    void extendedConnectionsDeliverIntoASharedQueue() throws Exception {
        try (EndpointListener listener = listener(QpType.XRC_TGT, PortSpace.IB)) {
            Future<String> served = start(() -> {
                try (RdmaEndpoint endpoint = listener.getRequest()) {
                    int number = endpoint.id()
                            .queues()
                            .createSrq(null, new SrqAttributes(1, 1, 0))
                            .number();
                    MemoryRegion message = endpoint.registerMessages(BYTES);
                    endpoint.postReceive(1, message.sge());
                    MemorySegment data = MemorySegment.ofArray(new int[] {number});
                    endpoint.accept(ConnectParameters.DEFAULT.withPrivateData(data));
                    assertThat(Objects.requireNonNull(endpoint.id().qp())
                                    .initAttributes()
                                    .type())
                            .isEqualTo(QpType.XRC_TGT);
                    assertThat(endpoint.id().queues().sendCq()).isNull();
                    successful(endpoint.awaitReceive());
                    endpoint.disconnect();
                    return message.segment().getString(0);
                }
            });
            try (RdmaEndpoint endpoint = client(QpType.XRC_INI, PortSpace.IB);
                    Arena arena = Arena.ofConfined()) {
                endpoint.connect(ConnectParameters.DEFAULT);
                int number = Objects.requireNonNull(endpoint.id().lastEvent())
                        .privateData()
                        .get(ValueLayout.JAVA_INT_UNALIGNED, 0);
                Objects.requireNonNull(endpoint.id().qp())
                        .postSend(SendRequest.send()
                                .xrcSrq(number)
                                .inlineData(arena.allocateFrom("extended"))
                                .build());
                successful(endpoint.awaitSend());
                assertThat(endpoint.id().queues().receiveCq()).isNull();
                endpoint.disconnect();
            }
            assertThat(served.get()).isEqualTo("extended");
        }
    }

    @Test
    @Covers("RCM-9")
    void aListenerOfAnotherTypeRejects() {
        try (EndpointListener _ = listener(QpType.RC, PortSpace.IB);
                RdmaEndpoint endpoint = client(QpType.XRC_INI, PortSpace.IB)) {
            assertThat(errnoOf(() -> endpoint.connect(ConnectParameters.DEFAULT)))
                    .isEqualTo(Errno.ECONNREFUSED);
        }
        assertThat(errnoOf(() -> hosts.client.cm.createId(null, PortSpace.TCP, QpType.XRC_INI)))
                .isEqualTo(Errno.EINVAL);
    }

    @Test
    @Covers("RCM-10")
    void aSharedQueueOfAnIdServesItsQueuePair() throws Exception {
        try (EndpointListener listener = EndpointListener.create(hosts.server.cm, info(PASSIVE), null, null);
                RdmaEndpoint endpoint = client(QpType.RC, PortSpace.TCP)) {
            listener.listen(1);
            Future<String> served = start(() -> {
                try (RdmaEndpoint passive = listener.getRequest()) {
                    IdQueues queues = passive.id().queues();
                    SharedReceiveQueue srq = queues.createSrq(null, new SrqAttributes(1, 1, 0));
                    assertThat(errnoOf(() -> queues.createSrq(null, new SrqAttributes(1, 1, 0))))
                            .isEqualTo(Errno.EINVAL);
                    passive.id().createQp(null, ATTRIBUTES);
                    assertThat(errnoOf(queues::destroySrq)).isEqualTo(Errno.EBUSY);
                    assertThat(Objects.requireNonNull(passive.id().qp())
                                    .initAttributes()
                                    .srq())
                            .isSameAs(srq);
                    MemoryRegion message = passive.registerMessages(BYTES);
                    passive.postReceive(1, message.sge());
                    passive.accept(ConnectParameters.DEFAULT);
                    successful(passive.awaitReceive());
                    passive.id().destroyQp();
                    queues.destroySrq();
                    queues.destroySrq();
                    return message.segment().getString(0);
                }
            });
            endpoint.connect(ConnectParameters.DEFAULT);
            endpoint.postInlineSend(1, Set.of(), MemorySegment.ofArray(new byte[] {'s', 'r', 'q', 0}));
            successful(endpoint.awaitSend());
            assertThat(served.get()).isEqualTo("srq");
        }
    }

    @Test
    @Covers("RCM-10")
    void idsOfADeviceShareADomainUntilTheLastIsClosed() {
        ProtectionDomain shared;
        try (EndpointListener _ = listener(QpType.RC, PortSpace.TCP);
                RdmaEndpoint first = client(QpType.RC, PortSpace.TCP)) {
            shared = first.id().queues().protectionDomain();
            try (RdmaEndpoint second = client(QpType.RC, PortSpace.TCP)) {
                assertThat(second.id().queues().protectionDomain()).isSameAs(shared);
            }
            first.registerMessages(BYTES);
        }
        assertThat(errnoOf(() -> shared.allocateMemory(BYTES, Set.of()))).isEqualTo(Errno.EINVAL);
    }

    @Test
    @Covers("RCM-10")
    void completionQueuesOfTheProgramAreUsed() {
        try (EndpointListener _ = listener(QpType.RC, PortSpace.TCP);
                RdmaEndpoint endpoint = RdmaEndpoint.create(hosts.client.cm, info(AddressHints.NONE), null, null)) {
            Context context = Objects.requireNonNull(endpoint.id().verbs());
            try (CompletionQueue cq = context.createCq(1);
                    ProtectionDomain pd = context.allocatePd()) {
                endpoint.id().createQp(pd, QpInitAttributes.builder(cq).build());
                assertThat(endpoint.id().queues().sendCq()).isNull();
                assertThat(endpoint.id().queues().protectionDomain()).isSameAs(pd);
                assertThat(catchThrowableOfType(RdmaException.class, endpoint::awaitSend)
                                .errno())
                        .isEqualTo(Errno.EINVAL);
                endpoint.id().destroyQp();
            }
        }
    }

    @Test
    @Covers("RCM-7")
    void addressesOfTheOtherSideAreRefused() {
        hosts.server.answer();
        assertThat(errnoOf(() -> RdmaEndpoint.create(hosts.client.cm, info(PASSIVE), null, null)))
                .isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(() -> EndpointListener.create(hosts.client.cm, info(AddressHints.NONE), null, null)))
                .isEqualTo(Errno.EINVAL);
        try (RdmaEndpoint endpoint = RdmaEndpoint.create(hosts.client.cm, info(AddressHints.NONE), null, null)) {
            assertThat(errnoOf(() -> endpoint.postSend(1, Set.of()))).isEqualTo(Errno.EINVAL);
        }
    }
}
