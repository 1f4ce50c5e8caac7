// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.mad.MadAddress;
import io.rdma4j.mad.MadAgent;
import io.rdma4j.mad.MadAgentSetup;
import io.rdma4j.mad.MadRegistration;
import io.rdma4j.mad.MadSend;
import io.rdma4j.mad.gsi.GeneralServices;
import io.rdma4j.mad.umad.UmadFile;
import io.rdma4j.mad.umad.UmadHeader;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.uverbs.client.UmadClient;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.Rmpp;
import io.rdma4j.wire.mad.RmppType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A client process uses management datagrams over the device of a server process. */
@Timeout(120)
class UmadClientTest {
    @TempDir
    private Path folder;

    private final Semaphore readable = new Semaphore(0);
    private final Host peer = Host.create("peer");
    private ServedDevice served;
    private UmadClient umad;
    private Context context;
    private GeneralServices services;
    private MadAddress toServed;
    private MadAddress toPeer;

    @BeforeEach
    void open() {
        served = new ServedDevice(folder, UverbsServer.ABI_VERSION);
        peer.register(new RxeProvider(List.of(ServedDevice.spec()), RxeOptions.DEFAULT.withSharedMemory(false)));
        context = peer.open("rxe0");
        services = GeneralServices.open(context.device(), 1);
        umad = UmadClient.open(served.directory, "rxe0", 1, readable::release);
        try (Context client = served.near.open("rxe0")) {
            toServed = MadAddress.gsi(AddressVector.roce(1, client.queryGid(1, 0), 0), 0);
        }
        toPeer = MadAddress.gsi(AddressVector.roce(1, context.queryGid(1, 0), 0), 0);
    }

    @AfterEach
    void close() {
        umad.close();
        services.close();
        context.close();
        peer.close();
        served.close();
    }

    private static MemorySegment message(int id, int timeoutMs, MadAddress to, MemorySegment mad) {
        MemorySegment memory = MemorySegment.ofArray(new byte[(int) (UmadHeader.BYTES + mad.byteSize())]);
        new UmadHeader(id, 0, timeoutMs, 3, 0, to).write(memory);
        MemorySegment.copy(mad, 0, memory, UmadHeader.BYTES, mad.byteSize());
        return memory;
    }

    private static MemorySegment datagram(MadMethod method) {
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        Mad.write(mad, 0, MadClass.PERF_MGT, method.code(), 0x12, 5);
        return mad;
    }

    /** Waits for the next message. */
    private MemorySegment read(int size) throws InterruptedException {
        MemorySegment buffer = MemorySegment.ofArray(new byte[size]);
        while (true) {
            try {
                int length = umad.read(buffer);
                return buffer.asSlice(0, length);
            } catch (RdmaException e) {
                assertThat(e.errno()).isEqualTo(Errno.EAGAIN);
                assertThat(readable.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    private static void assertFails(Errno errno, Runnable call) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(call::run)
                .satisfies(e -> assertThat(e.errno()).as(e.getMessage()).isEqualTo(errno));
    }

    /** Requests, responses, timeouts, unsolicited datagrams and errors, as for a file of the own process. */
    @Test
    @Covers("MAD-15")
    void aClientProcessSendsAndReceivesDatagrams() throws InterruptedException {
        AtomicReference<MadAgent> server = new AtomicReference<>();
        server.set(services.register(MadAgentSetup.DEFAULT
                .onSent((_, _) -> {})
                .onReceived((_, mad) -> {
                    try (mad) {
                        MemorySegment response =
                                MemorySegment.ofArray(mad.datagram().toArray(ValueLayout.JAVA_BYTE));
                        Mad.METHOD.put(response, 0, MadMethod.GET.responseCode());
                        response.set(ValueLayout.JAVA_BYTE, 255, (byte) 42);
                        server.get().send(MadSend.of(mad.from(), response));
                    }
                })
                .registration(MadRegistration.of(MadClass.PERF_MGT, MadMethod.GET.code()))));
        int size = UmadHeader.BYTES + Mad.BYTES;
        int sender = umad.register(1, null, 0);
        umad.write(message(sender, 20_000, toPeer, datagram(MadMethod.GET)));
        MemorySegment response = read(size);
        assertThat(response.get(ValueLayout.JAVA_BYTE, size - 1)).isEqualTo((byte) 42);
        assertThat((int) Mad.TRANSACTION_ID.get(response, UmadHeader.BYTES)).isEqualTo(5);

        int receiver = umad.register(1, MadRegistration.of(MadClass.PERF_MGT, MadMethod.SEND.code()), 0);
        assertThat(receiver).isEqualTo(sender + 1);
        server.get().send(MadSend.of(toServed, datagram(MadMethod.SEND)));
        assertThat(Mad.METHOD.getInt(read(size), UmadHeader.BYTES)).isEqualTo(3);

        umad.write(message(sender, 10, toPeer, datagram(MadMethod.SEND)));
        assertThat(read(size).byteSize()).isEqualTo(UmadHeader.BYTES + Mad.HEADER_BYTES);

        assertFails(Errno.EINVAL, () -> umad.write(message(9, 10, toPeer, datagram(MadMethod.SEND))));
        assertFails(Errno.EINVAL, () -> umad.write(MemorySegment.ofArray(new byte[10])));
        assertFails(Errno.EINVAL, () -> umad.register(2, null, 0));
        assertFails(Errno.EPROTONOSUPPORT, () -> umad.register(0, null, 0));
        umad.unregister(receiver);
        assertFails(Errno.EINVAL, () -> umad.unregister(receiver));
        for (int i = 1; i < UmadFile.AGENTS; i++) {
            umad.register(1, null, 0);
        }
        assertFails(Errno.ENOMEM, () -> umad.register(1, null, 0));
    }

    /** A message of 1 MiB in each direction: more than one command carries. */
    @Test
    void longMessagesArePassedInParts() throws InterruptedException {
        List<MemorySegment> requests = new CopyOnWriteArrayList<>();
        AtomicReference<MadAgent> server = new AtomicReference<>();
        server.set(services.register(MadAgentSetup.DEFAULT
                .rmppVersion(1)
                .onSent((_, _) -> {})
                .onReceived((_, mad) -> {
                    try (mad) {
                        MemorySegment message = mad.coalesce();
                        requests.add(message);
                        MemorySegment response = MemorySegment.ofArray(message.toArray(ValueLayout.JAVA_BYTE));
                        Mad.METHOD.put(response, 0, MadMethod.GET_MULTI.responseCode());
                        server.get().send(MadSend.request(mad.from(), response, 0, 50));
                    }
                })
                .registration(MadRegistration.of(MadClass.SUBN_ADM, MadMethod.GET_MULTI.code()))));
        int headers = MadClass.SUBN_ADM.dataOffset();
        byte[] bytes = new byte[headers + (1 << 20)];
        new SplittableRandom(7).nextBytes(bytes);
        MemorySegment request = MemorySegment.ofArray(bytes);
        Mad.write(request, 0, MadClass.SUBN_ADM, MadMethod.GET_MULTI.code(), 0x35, 9);
        Rmpp.VERSION.put(request, Rmpp.OFFSET, 1);
        Rmpp.TYPE.put(request, Rmpp.OFFSET, RmppType.DATA.code());
        Rmpp.FLAGS.put(request, Rmpp.OFFSET, Rmpp.ACTIVE);

        int sender = umad.register(1, null, 1);
        umad.write(message(sender, 60_000, toPeer, request));
        MemorySegment small = MemorySegment.ofArray(new byte[UmadHeader.BYTES + Mad.BYTES]);
        assertThat(readable.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
        assertFails(Errno.ENOSPC, () -> umad.read(small));
        assertThat(small.get(ValueLayout.JAVA_INT_UNALIGNED, 16)).isEqualTo(UmadHeader.BYTES + bytes.length);
        MemorySegment response = read(UmadHeader.BYTES + bytes.length);
        assertThat(response.asSlice(UmadHeader.BYTES + 256).mismatch(request.asSlice(256)))
                .isEqualTo(-1);
        assertThat(requests.getFirst().asSlice(256).mismatch(request.asSlice(256)))
                .isEqualTo(-1);
    }

    @Test
    void theEndOfTheServerIsReported() throws InterruptedException {
        int sender = umad.register(1, null, 0);
        served.server.close();
        assertThat(readable.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
        assertFails(Errno.EIO, () -> umad.read(MemorySegment.ofArray(new byte[400])));
        assertFails(Errno.EIO, () -> umad.write(message(sender, 10, toPeer, datagram(MadMethod.SEND))));
    }

    @Test
    void aDeviceThatNobodyServesHasNoFile() {
        assertFails(Errno.ENODEV, () -> UmadClient.open(served.directory, "rxe7", 1, () -> {}));
        assertFails(Errno.ENODEV, () -> UmadClient.open(served.directory, "rxe0", 2, () -> {}));
    }
}
