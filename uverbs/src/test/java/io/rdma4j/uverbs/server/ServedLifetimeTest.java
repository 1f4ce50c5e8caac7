// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.local.RunDirectory;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.ResourceKind;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The ends of clients, devices and servers, and what remains. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ServedLifetimeTest extends ServerFixture {
    /** A context is a resource of the device from open to close, independent of other contexts. */
    @Test
    @Covers("UVERBS-39")
    void theServerKnowsTheContextsThatAreOpen() {
        assertThat(kinds()).isEmpty();
        Context one = served.near.open("rxe0");
        Context other = served.near.open("rxe0");
        assertThat(kinds()).containsExactly(ResourceKind.CONTEXT, ResourceKind.CONTEXT);
        one.close();
        awaitResources(1);
        assertThat(other.queryDevice().physicalPortCount()).isEqualTo(1);
        other.close();
        awaitResources(0);
    }

    /** The server maps the buffer's file too; the file is deleted at the latest when the context is closed. */
    @Test
    @Covers("UVERBS-54")
    void memoryThatTheContextAllocatesCanBeRegistered() throws IOException {
        Path shared = Files.readSymbolicLink(served.server.entry().resolve(RunDirectory.MEMORY));
        try (Context context = served.near.open("rxe0");
                ProtectionDomain pd = context.allocatePd()) {
            MemorySegment buffer = context.allocateBuffer(100, 1 << 16, Arena.global());
            assertThat(buffer.byteSize()).isEqualTo(100);
            assertThat(buffer.address() % (1 << 16)).isZero();
            pd.registerMemory(buffer, Set.of(AccessFlag.LOCAL_WRITE)).close();
            assertThat(shared).isNotEmptyDirectory();
        }
        awaitResources(0);
        served.server.close();
        assertThat(shared).doesNotExist();
    }

    @Test
    @Covers("UVERBS-51")
    void whatAClientLeavesBehindIsClosed() throws IOException, InterruptedException {
        RunDirectory tapped = new RunDirectory(folder.resolve("tapped"));
        try (Wiretap tap = new Wiretap(served.device, served.server.entry(), tapped);
                Station station = new Station(ServedDevice.client(tapped).open("rxe0"), memory)) {
            station.connect();
            assertThat(served.device.resources())
                    .allMatch(resource ->
                            resource.owner().pid() == ProcessHandle.current().pid())
                    .hasSize(5);
            tap.hangUp();
            awaitResources(0);
            assertThat(station.context.getAsyncEvent().type()).isEqualTo(EventType.DEVICE_FATAL);
        }
    }

    /**
     * The server continues after its device was removed, and the client's context stays open until the client closes
     * it.
     */
    @Test
    @Covers("UVERBS-53")
    void aClientsContextOutlivesTheDevice() throws InterruptedException {
        Station station = new Station(served.near.open("rxe0"), memory);
        station.connect();
        served.far.deleteLink("rxe0");

        assertThat(station.context.getAsyncEvent().type()).isEqualTo(EventType.DEVICE_FATAL);
        for (ThrowingCallable verb : List.<ThrowingCallable>of(
                () -> station.context.queryPort(1),
                () -> station.context.queryGid(1, 0),
                station.context::allocatePd,
                () -> station.context.createCq(4),
                () -> station.pd.registerMemory(station.memory, Set.of()),
                () -> station.pd.createQp(QpInitAttributes.builder(station.cq).build()),
                station.qp::query,
                () -> station.qp.modify(
                        QpAttributes.builder().state(QpState.ERR).build()))) {
            assertRefused(Errno.EIO, "", verb);
        }
        assertThat(station.cq.poll(1)).isEmpty();
        station.close();
        awaitResources(0);
    }

    @Test
    @Covers("UVERBS-26")
    void aServerThatGoesIsADeviceThatGoes() throws InterruptedException {
        Station station = new Station(served.near.open("rxe0"), memory);
        Device near = served.near.device("rxe0");
        served.server.close();

        assertThat(station.context.getAsyncEvent().type()).isEqualTo(EventType.DEVICE_FATAL);
        assertRefused(Errno.EIO, "which served rxe0, has ended or closed it", station.context::allocatePd);
        assertThat(served.near.devices()).isEmpty();
        assertRefused(Errno.ENODEV, "rxe0 is gone", near::open);
        assertThat(served.device.resources()).isEmpty();
        station.close();
    }

    /** The process was killed, so it left all its files. */
    @Test
    void whatAKilledServerLeftIsRemovedByWhoLooksForDevices(@TempDir Path run) throws Exception {
        Host client = ServedDevice.client(new RunDirectory(run));
        try (ServingProcess server = ServingProcess.start(run);
                Context context = client.open("rxe0")) {
            Path shared = Files.readSymbolicLink(server.entry.resolve(RunDirectory.MEMORY));
            context.createCq(4).close();
            context.allocateBuffer(1, 1, Arena.global()).fill((byte) 1);
            server.kill();

            assertThat(server.entry).exists();
            assertThat(shared).isNotEmptyDirectory();
            assertThat(context.getAsyncEvent().type()).isEqualTo(EventType.DEVICE_FATAL);
            assertThat(client.devices()).isEmpty();
            assertThat(server.entry).doesNotExist();
            assertThat(shared).doesNotExist();
        }
    }

    @Test
    void theServerAfterAKilledOneHasItsName(@TempDir Path run) throws Exception {
        try (ServingProcess server = ServingProcess.start(run)) {
            server.kill();
            try (ServedDevice next = new ServedDevice(run, UverbsServer.ABI_VERSION)) {
                assertThat(next.server.entry()).isEqualTo(server.entry);
                assertThat(next.directory.scan()).hasSize(1);
                next.near.open("rxe0").close();
            }
        }
    }
}
