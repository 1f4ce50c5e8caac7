// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.uverbs.abi.AttributeEncoding;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Frame;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.device.NodeType;
import io.rdma4j.verbs.device.PortModification;
import io.rdma4j.verbs.local.RunDirectory;
import io.rdma4j.verbs.spi.FoundDevice;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.Resource;
import io.rdma4j.verbs.values.ResourceKind;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class UverbsServerTest {
    @TempDir
    private Path folder;

    @TempDir
    private Path memory;

    private ServedDevice served;

    @BeforeEach
    void serve() {
        served = new ServedDevice(folder, UverbsServer.ABI_VERSION);
    }

    @AfterEach
    void close() {
        served.close();
    }

    private void serveAnew(int abiVersion) {
        served.close();
        served = new ServedDevice(folder, abiVersion);
    }

    private static void assertRefused(Errno errno, String part, ThrowingCallable verb) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(verb)
                .withMessageContaining(part)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    @Covers({"UVERBS-12", "UVERBS-20", "UVERBS-25"})
    void theDriverForRxeTakesItByItsIdAndKnowsItsVersion() {
        FoundDevice found = served.directory.scan().getFirst();
        assertThat(found.name()).isEqualTo("rxe0");
        assertThat(found.driverId()).isEqualTo(14);
        assertThat(found.abiVersion()).isEqualTo(3);

        Device near = served.near.device("rxe0");
        assertThat(near.nodeType()).isEqualTo(served.device.nodeType());
        assertThat(near.guid()).isEqualTo(served.device.guid()).isNotZero();
    }

    @Test
    @Covers("UVERBS-25")
    void aServerOfALaterVersionHasNoDriver() throws IOException {
        Files.writeString(served.server.entry().resolve("abi_version"), "4\n");
        assertThat(served.near.devices()).isEmpty();
    }

    /**
     * The device is found although these entries beside it are skipped: one without a name, one with files that are not
     * text, one without a socket, and one that is a file.
     */
    @Test
    @Covers("UVERBS-11")
    void entriesThatCannotBeReadDoNotHideTheDeviceBetweenThem() throws IOException {
        Path root = served.directory.root();
        Path good = served.server.entry();
        copyEntry(good, root.resolve("uverbs1"), "control", "ibdev");
        Files.write(root.resolve("uverbs1").resolve("ibdev"), new byte[] {(byte) 0xC3, 0, (byte) 0xFF});
        Path endless = Files.createDirectory(root.resolve("uverbs2"));
        Files.createDirectory(endless.resolve("ibdev"));
        copyEntry(good, root.resolve("uverbs3"), "node_type");
        Files.writeString(root.resolve("uverbs3").resolve("ibdev"), "rxe7\n");
        Files.writeString(root.resolve("uverbs4"), "no folder");
        assertThat(served.near.devices()).extracting(Device::name).containsExactly("rxe0");
        Files.delete(good.resolve("node_type"));
        Host anew = ServedDevice.client(served.directory);
        assertThat(anew.device("rxe0").nodeType()).isEqualTo(NodeType.UNKNOWN);
        anew.open("rxe0").close();
    }

    /** Copies the files of an entry except some. */
    private static void copyEntry(Path from, Path to, String... without) throws IOException {
        Files.createDirectory(to);
        for (String file : List.of("ibdev", "abi_version", "node_type", "node_guid", "driver_id")) {
            if (!List.of(without).contains(file)) {
                Files.copy(from.resolve(file), to.resolve(file));
            }
        }
    }

    /**
     * The version that was read when the device was found determines the encoding, even if the entry changes
     * afterwards.
     */
    @ParameterizedTest
    @CsvSource({"1,WRITE", "2,IOCTL", "3,IOCTL"})
    @Covers("UVERBS-26")
    void aDeviceKeepsTheVersionThatItWasMadeFor(int abiVersion, AttributeEncoding style) throws IOException {
        RunDirectory tapped = new RunDirectory(folder.resolve("tapped"));
        try (Wiretap tap = new Wiretap(served.device, served.server.entry(), tapped, abiVersion)) {
            Device near = ServedDevice.client(tapped).device("rxe0");
            Files.writeString(tapped.scan().getFirst().path().resolve("abi_version"), (abiVersion % 2 + 1) + "\n");
            near.open().close();
            assertThat(tap.heard).isNotEmpty().extracting(Frame::style).containsOnly(style);
        }
    }

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

    private void awaitResources(int count) {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (served.device.resources().size() != count && System.nanoTime() < endNs) {
            Thread.onSpinWait();
        }
        assertThat(served.device.resources()).hasSize(count);
    }

    @Test
    @Covers({"UVERBS-30", "UVERBS-33", "UVERBS-35", "UVERBS-43"})
    void aContextSaysOfTheDeviceWhatTheServerKnows() {
        try (Context near = served.near.open("rxe0");
                Context far = served.device.open()) {
            assertThat(near.completionVectors()).isEqualTo(far.completionVectors());
            assertThat(near.queryDevice().limit(DeviceLimit.MAX_QP))
                    .isEqualTo(far.queryDevice().limit(DeviceLimit.MAX_QP));
            assertThat(near.queryDevice().nodeGuid())
                    .isEqualTo(far.queryDevice().nodeGuid());
            assertThat(near.queryPort(1)).isEqualTo(far.queryPort(1));
            assertThat(near.queryGidTable()).isEqualTo(far.queryGidTable()).isNotEmpty();
            assertThat(near.queryPkey(1, 0)).isEqualTo(far.queryPkey(1, 0));
            assertThat(near.queryHwCounters(1).keySet())
                    .isEqualTo(far.queryHwCounters(1).keySet());
            assertThat(served.device.resources())
                    .extracting(Resource::kind)
                    .containsOnly(ResourceKind.CONTEXT)
                    .hasSize(2);
        }
    }

    /** The program is the same for a local device (0) and for a served one with either encoding. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    @Covers({"UVERBS-1", "UVERBS-34", "UVERBS-44", "UVERBS-45", "GEN-3", "GEN-16"})
    void aMessageGoesThroughQueuesThatBothProcessesMap(int abiVersion) throws InterruptedException {
        if (abiVersion != 0) {
            serveAnew(abiVersion);
        }
        Context context = abiVersion == 0 ? served.device.open() : served.near.open("rxe0");
        try (Station station = new Station(context, memory)) {
            station.connect();
            assertThat(station.qp.query().destinationQpn()).isEqualTo(station.qp.qpn());
            assertThat(station.cq.requestNotification(false)).isFalse();
            station.post();
            assertThat(station.channel.getEvent()).isSameAs(station.cq);
            station.cq.acknowledgeEvents(1);
            station.checkArrived();
        }
    }

    /** Each program has its own context. */
    @Test
    @Covers("GEN-16")
    void twoClientsHaveTheDeviceAtOnceAndNothingInCommon() {
        try (Station one = new Station(served.near.open("rxe0"), memory);
                Station other =
                        new Station(ServedDevice.client(served.directory).open("rxe0"), memory)) {
            one.connect();
            other.connect();
            one.post();
            other.post();
            other.checkArrived();
            one.checkArrived();
            assertThat(one.qp.qpn()).isNotEqualTo(other.qp.qpn());
            assertThat(served.device.resources())
                    .extracting(Resource::kind)
                    .filteredOn(ResourceKind.QP::equals)
                    .hasSize(2);
        }
    }

    @Test
    @Covers({"GEN-17", "UVERBS-44", "UVERBS-54"})
    void postingWakesTheServerThatSleepsAndPollingTakesNoCommand() throws Exception {
        RunDirectory tapped = new RunDirectory(folder.resolve("tapped"));
        try (Wiretap tap = new Wiretap(served.device, served.server.entry(), tapped);
                Station station = new Station(ServedDevice.client(tapped).open("rxe0"), memory)) {
            station.connect();
            assertThat(tap.commands())
                    .contains(
                            CommandType.GET_CONTEXT,
                            CommandType.ALLOC_PD,
                            CommandType.REG_MR,
                            CommandType.CREATE_CQ,
                            CommandType.CREATE_QP,
                            CommandType.MODIFY_QP);
            assertThat(tap.heard).allMatch(frame -> frame.style() == AttributeEncoding.IOCTL);
            tap.heard.clear();

            while (tap.heard.isEmpty()) {
                // Long enough for the device's threads to start to sleep.
                TimeUnit.MILLISECONDS.sleep(1);
                station.post();
                station.checkArrived();
            }

            assertThat(tap.commands()).containsOnly(CommandType.POST_SEND);
            assertThat(tap.heard).extracting(Frame::style).containsOnly(AttributeEncoding.WRITE);
        }
    }

    @Test
    @Covers("UVERBS-54")
    void anObjectWhoseMemoryCannotBeMappedIsDestroyedAgain() throws IOException {
        RunDirectory tapped = new RunDirectory(folder.resolve("tapped"));
        try (Wiretap tap = new Wiretap(served.device, served.server.entry(), tapped);
                Station station = new Station(ServedDevice.client(tapped).open("rxe0"), memory)) {
            List<ResourceKind> before = kinds();
            tap.renames = file -> file.resolveSibling("nowhere");
            assertRefused(Errno.ENOMEM, "nowhere cannot be mapped", () -> station.context.createCq(4));
            assertRefused(
                    Errno.ENOMEM,
                    "nowhere cannot be mapped",
                    () -> station.pd.createQp(
                            QpInitAttributes.builder(station.cq).build()));
            assertThat(tap.commands()).contains(CommandType.DESTROY_CQ, CommandType.DESTROY_QP);
            assertThat(kinds()).isEqualTo(before);
        }
    }

    private List<ResourceKind> kinds() {
        return served.device.resources().stream().map(Resource::kind).toList();
    }

    /** A separate JVM whose class path contains only base, verbs and uverbs finds the driver by itself. */
    @Test
    @Covers({"GEN-16", "UVERBS-8", "UVERBS-22", "UVERBS-24", "UVERBS-43", "UVERBS-54"})
    void anotherProcessSendsToThisOne() throws Exception {
        try (Station station = new Station(served.device.open(), memory);
                OtherProcess other = OtherProcess.start(served.directory, memory)) {
            int qpn = Integer.parseInt(other.readLine());
            assertThat(served.device.resources())
                    .anyMatch(resource -> resource.owner().pid() == other.pid() && resource.id() == qpn);
            station.connect(qpn);
            station.qp.postReceive(ReceiveRequest.of(1, station.region.sge(0, 100)));
            other.writeLine(Integer.toString(station.qp.qpn()));
            List<WorkCompletion> done = station.cq.poll(1);
            while (done.isEmpty()) {
                done = station.cq.poll(1);
            }
            assertThat(done.getFirst().status()).isEqualTo(WcStatus.SUCCESS);
            assertThat(station.memory.getString(0)).isEqualTo("from process " + other.pid());
            assertThat(other.readLine()).isEqualTo("SUCCESS");
        }
    }

    @Test
    @Covers("UVERBS-50")
    void anEventFindsItsObjectByTheNumberThatTheProgramGaveIt() throws InterruptedException {
        try (Station one = new Station(served.near.open("rxe0"), memory)) {
            one.connect();
            one.qp.modify(QpAttributes.builder()
                    .state(QpState.SQD)
                    .sqdAsyncNotify(true)
                    .build());
            AsyncEvent event = one.context.getAsyncEvent();
            assertThat(event.type()).isEqualTo(EventType.SQ_DRAINED);
            assertThat(event.queuePair()).isSameAs(one.qp);
            one.context.acknowledgeAsyncEvent(event);
        }
    }

    @Test
    @Covers("UVERBS-54")
    void memoryOfOneProcessAloneIsRefused() {
        try (Station station = new Station(served.near.open("rxe0"), memory);
                Arena arena = Arena.ofShared()) {
            assertRefused(
                    Errno.EOPNOTSUPP,
                    "of this process alone",
                    () -> station.pd.registerMemory(arena.allocate(4096, 4096), Set.of()));
        }
    }

    /** Completion events go to the channel of their queue, others to the context of their object. */
    @Test
    @Covers("UVERBS-55")
    void eventsGoWhereTheirObjectsWereMade() throws InterruptedException {
        try (Station one = new Station(served.near.open("rxe0"), memory);
                Station other = new Station(served.near.open("rxe0"), memory)) {
            one.connect();
            other.connect();
            one.cq.requestNotification(false);
            other.cq.requestNotification(false);
            one.post();
            assertThat(one.channel.getEvent()).isSameAs(one.cq);
            one.cq.acknowledgeEvents(1);
            one.checkArrived();
            one.qp.modify(QpAttributes.builder()
                    .state(QpState.SQD)
                    .sqdAsyncNotify(true)
                    .build());
            AsyncEvent event = one.context.getAsyncEvent();
            assertThat(event.queuePair()).isSameAs(one.qp);
            one.context.acknowledgeAsyncEvent(event);

            other.post();
            assertThat(other.channel.getEvent()).isSameAs(other.cq);
            other.cq.acknowledgeEvents(1);
            other.checkArrived();
            assertThat(other.channel.getEvent(Duration.ZERO)).isNull();
            assertThat(other.context.getAsyncEvent(Duration.ZERO)).isNull();
            assertThat(one.channel.getEvent(Duration.ZERO)).isNull();
        }
    }

    /** A verb of the interface refuses unless the provider has it. */
    @Test
    @Covers("UVERBS-32")
    void aVerbThatTheProviderLacksIsNotSupported() {
        try (Station station = new Station(served.near.open("rxe0"), memory)) {
            assertRefused(Errno.EOPNOTSUPP, "", () -> station.pd.createWorkQueue(station.cq, 4, 1));
            assertRefused(Errno.EOPNOTSUPP, "", () -> station.context.port(1).modify(PortModification.ofShutdown()));
            int capacity = station.cq.capacity();
            station.cq.resize(capacity + 1);
            assertThat(station.cq.capacity()).isGreaterThan(capacity);
        }
    }

    /** {@code IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS}. */
    @Test
    @Covers({"UVERBS-36", "MR-22"})
    void optionalRightsReachOnlyAServerThatUnderstandsThem() throws IOException {
        Set<AccessFlag> asked = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.RELAXED_ORDERING);
        assertThat(rightsThatArrive(asked)).isEqualTo(asked);
        served.close();
        LimitedProvider provider = LimitedProvider.without(DeviceLimit.MAX_AH, ServedDevice.spec());
        provider.forgetOptionalAccess();
        served = new ServedDevice(folder, UverbsServer.ABI_VERSION, provider);
        assertThat(rightsThatArrive(asked)).containsExactly(AccessFlag.LOCAL_WRITE);
    }

    private Set<AccessFlag> rightsThatArrive(Set<AccessFlag> asked) throws IOException {
        Path root = Files.createTempDirectory(folder, "tapped");
        try (Wiretap tap = new Wiretap(served.device, served.server.entry(), new RunDirectory(root.resolve("run")));
                Context context = ServedDevice.client(new RunDirectory(root.resolve("run")))
                        .open("rxe0");
                ProtectionDomain pd = context.allocatePd();
                MemoryRegion region = pd.registerMemory(context.allocateBuffer(64, 64, Arena.global()), asked)) {
            Set<AccessFlag> sent = tap.heard.stream()
                    .map(Frame::message)
                    .filter(message -> message.command() == CommandType.REG_MR && message.has(CommandAttribute.ACCESS))
                    .map(message -> AccessFlag.ofMask(message.get(CommandAttribute.ACCESS)))
                    .findFirst()
                    .orElseThrow();
            assertThat(region.access()).isEqualTo(sent);
            return sent;
        }
    }

    @Test
    void refusalsComeWithTheServersReason() {
        try (Station station = new Station(served.near.open("rxe0"), memory)) {
            station.connect();
            assertRefused(
                    Errno.EINVAL,
                    "no transition",
                    () -> station.qp.modify(
                            QpAttributes.builder().state(QpState.RTR).build()));
            assertRefused(Errno.EINVAL, "GID index", () -> station.context.queryGid(1, 100_000));
        }
    }

    /** The provider does not support this method. */
    @Test
    @Covers("UVERBS-47")
    void aCommandThatTheDeviceLacksWhatItNeedsForIsNotThere() {
        served.close();
        served = new ServedDevice(folder, 2, LimitedProvider.without(DeviceLimit.MAX_AH, ServedDevice.spec()));
        try (Station station = new Station(served.near.open("rxe0"), memory)) {
            AddressVector path = AddressVector.roce(1, station.context.queryGid(1, 0), 0);
            assertRefused(Errno.EOPNOTSUPP, "max_ah", () -> station.pd.createAddressHandle(path));
        }
        assertThat(CommandType.CREATE_AH.isSupportedBy(LimitedProvider.attributes(DeviceLimit.MAX_AH)))
                .isFalse();
        assertThat(CommandType.CREATE_CQ.isSupportedBy(LimitedProvider.attributes(DeviceLimit.MAX_AH)))
                .isTrue();
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

    /** The client is already connected when the device is removed or cannot open another context. */
    @Test
    @Covers({"UVERBS-30", "UVERBS-37", "UVERBS-38"})
    void aContextThatCannotBeIsRefusedAndLeavesNothing() {
        served.close();
        LimitedProvider provider = LimitedProvider.without(DeviceLimit.MAX_AH, ServedDevice.spec());
        served = new ServedDevice(folder, 2, provider);
        provider.refuseNextContext();
        assertRefused(Errno.ENOMEM, "no room", () -> served.near.open("rxe0"));
        assertThat(served.device.resources()).isEmpty();
        List<ResourceKind> meanwhile = new ArrayList<>();
        provider.whileOpening(() -> meanwhile.addAll(kinds()));
        Context opened = served.near.open("rxe0");
        assertThat(meanwhile)
                .as("contexts that are published before they are complete")
                .isEmpty();
        assertThat(kinds()).containsExactly(ResourceKind.CONTEXT);
        opened.close();
        awaitResources(0);

        provider.unplug();
        served.far.devices();
        assertRefused(Errno.EIO, "rxe0 is gone", () -> served.near.open("rxe0"));
        assertThat(served.device.resources()).isEmpty();
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

    /** The client tries the entry's path first, then the device's name and node GUID. */
    @Test
    @Covers("UVERBS-29")
    void aServerThatBeganAnewUnderAnotherNameIsFoundAgain() throws IOException {
        Device near = served.near.device("rxe0");
        Path entry = served.server.entry();
        Files.move(entry, entry.resolveSibling("uverbs7"));
        try (Context context = near.open()) {
            assertThat(context.queryPort(1).gidTableLength()).isPositive();
        }
        Files.writeString(entry.resolveSibling("uverbs7").resolve("node_guid"), "0000:0000:0000:0001\n");
        assertRefused(Errno.ECONNREFUSED, "is gone", near::open);
        Files.move(entry.resolveSibling("uverbs7"), entry);
    }

    @Test
    void aDeviceThatNoDriverIsForIsNotServed() {
        Device near = served.near.device("rxe0");
        assertRefused(Errno.EOPNOTSUPP, "no driver", () -> UverbsServer.open(near, served.directory));
    }
}
