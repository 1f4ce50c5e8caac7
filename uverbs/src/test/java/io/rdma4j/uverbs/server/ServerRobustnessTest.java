// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.local.RunDirectory;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients, servers and their threads continue to work after failures of each other. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServerRobustnessTest {
    private static final long FILE_BYTES = 8192;
    private static final long WAIT_S = 30;

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

    private static void assertRefused(Errno errno, String part, ThrowingCallable verb) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(verb)
                .withMessageContaining(part)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(errno));
    }

    private void awaitNoResources() {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_S);
        while (!served.device.resources().isEmpty() && System.nanoTime() < endNs) {
            Thread.onSpinWait();
        }
        assertThat(served.device.resources()).isEmpty();
    }

    private Path sessions() throws IOException {
        return Files.readSymbolicLink(served.server.entry().resolve(RunDirectory.MEMORY));
    }

    private List<Path> queues() throws IOException {
        try (Stream<Path> files = Files.walk(sessions())) {
            return files.filter(file -> file.getFileName().toString().startsWith("queue"))
                    .toList();
        }
    }

    /** B1: the thread's interrupt flag is set, as after {@code ExecutorService.shutdownNow}. */
    @Test
    void verbsOfAnInterruptedThreadSucceedAndKeepItsFlag() {
        try (Station station = new Station(served.near.open("rxe0"), memory)) {
            Thread.currentThread().interrupt();
            station.connect();
            station.post();
            station.context.createCq(4).close();
            station.pd
                    .registerMemory(station.context.allocateBuffer(4096, 64, Arena.ofAuto()), AccessFlag.ofMask(1))
                    .close();
            served.near.open("rxe0").close();
            assertThat(Thread.interrupted()).isTrue();
            station.checkArrived();
            assertThat(station.context.queryPort(1).gidTableLength()).isPositive();
        } finally {
            Thread.interrupted();
        }
    }

    /** B1: other threads of the application continue. */
    @Test
    void interruptsDuringVerbsDoNotCloseTheContext() throws InterruptedException {
        try (Station station = new Station(served.near.open("rxe0"), memory)) {
            AtomicBoolean ends = new AtomicBoolean();
            CompletableFuture<Integer> asked = new CompletableFuture<>();
            Thread victim = Thread.ofPlatform().start(() -> {
                try {
                    int count = 0;
                    while (!ends.get() || count == 0) {
                        station.context.queryPort(1);
                        count++;
                    }
                    asked.complete(count);
                } catch (RuntimeException e) {
                    asked.completeExceptionally(e);
                }
            });
            for (int i = 0; i < 300; i++) {
                victim.interrupt();
                station.context.queryPkey(1, 0);
            }
            ends.set(true);
            assertThat(asked.join()).isPositive();
            victim.join();
            station.connect();
            station.post();
            station.checkArrived();
        }
    }

    /** C1: EMFILE in accept does not end the server. */
    @Test
    void aServerThatHadNoFilesLeftAcceptsClientsAgain(@TempDir Path run) throws Exception {
        try (ServingProcess server = ServingProcess.start(run, "ulimit -n 150")) {
            UnixDomainSocketAddress address = UnixDomainSocketAddress.of(server.entry.resolve("control"));
            List<SocketChannel> many = new ArrayList<>();
            long acceptedNs = System.nanoTime();
            while (many.size() < 200 && System.nanoTime() - acceptedNs < TimeUnit.SECONDS.toNanos(1)) {
                SocketChannel one = SocketChannel.open(StandardProtocolFamily.UNIX);
                one.configureBlocking(false);
                try {
                    one.connect(address);
                    many.add(one);
                    acceptedNs = System.nanoTime();
                } catch (SocketException e) {
                    // The server's accept queue is full.
                    one.close();
                    Thread.sleep(10);
                }
            }
            assertThat(many.size()).isGreaterThan(100);
            for (SocketChannel one : many) {
                one.close();
            }
            Host client = ServedDevice.client(new RunDirectory(run));
            try (Context context = awaitOpen(client)) {
                assertThat(context.queryPort(1).gidTableLength()).isPositive();
            }
        }
    }

    private static Context awaitOpen(Host client) {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_S);
        while (true) {
            try {
                return client.open("rxe0");
            } catch (RdmaException e) {
                if (System.nanoTime() > endNs) {
                    throw e;
                }
            }
        }
    }

    /** C1: the server is suspended by SIGSTOP, or has no free file descriptor. */
    @Test
    void aServerThatDoesNotAnswerIsNotWaitedForWithoutLimit(@TempDir Path run) throws Exception {
        try (ServingProcess server = ServingProcess.start(run)) {
            Host client = ServedDevice.client(new RunDirectory(run));
            client.open("rxe0").close();
            server.stop();
            assertRefused(Errno.ETIMEDOUT, "has not answered for 8 s", () -> client.open("rxe0"));
            server.resume();
            awaitOpen(client).close();
        }
    }

    @Test
    void aClientThatSaysNothingIsDisconnected() throws IOException {
        served.close();
        served = new ServedDevice(folder, new SessionLimits(8, Duration.ofMillis(300)));
        try (RawClient silent = new RawClient(served.server.entry());
                RawClient other = new RawClient(served.server.entry())) {
            other.getContext();
            assertThatExceptionOfType(EOFException.class).isThrownBy(silent::receive);
            assertThat(other.answer(new Message(CommandType.ALLOC_PD)).refusal())
                    .isNull();
        }
    }

    @Test
    void oneClientMoreThanTheLimitIsToldSo() throws IOException {
        served.close();
        served = new ServedDevice(folder, new SessionLimits(2, Duration.ofSeconds(WAIT_S)));
        try (RawClient one = new RawClient(served.server.entry());
                RawClient other = new RawClient(served.server.entry())) {
            one.getContext();
            other.getContext();
            assertRefused(Errno.ENFILE, "has 2 clients already", () -> served.near.open("rxe0"));
        }
        awaitOpen(served.near).close();
    }

    /** D1: the provider throws an error for which the protocol has no answer. */
    @Test
    void aSessionThatEndsByAnErrorDisconnectsItsClient() throws InterruptedException {
        served.close();
        LimitedProvider provider = LimitedProvider.without(DeviceLimit.MAX_AH, ServedDevice.spec());
        served = new ServedDevice(folder, UverbsServer.ABI_VERSION, provider);
        try (Context context = served.near.open("rxe0");
                Context other = served.near.open("rxe0")) {
            provider.failNextCall();
            assertRefused(Errno.EIO, "has ended or closed it", () -> context.queryPort(1));
            assertThat(context.getAsyncEvent().type()).isEqualTo(EventType.DEVICE_FATAL);
            assertRefused(Errno.EIO, "has ended or closed it", context::allocatePd);
            assertThat(other.queryPort(1).gidTableLength()).isPositive();
        }
        awaitNoResources();
    }

    /** D2: a sparse file has no blocks; a later access to it fails if {@code /dev/shm} is full. */
    @Test
    void theMemoryOfQueuesAndBuffersExistsWhenItIsCreated() throws Exception {
        try (Station station = new Station(served.near.open("rxe0"), memory);
                CompletionQueue queue = station.context.createCq(4000)) {
            assertThat(queue.capacity()).isGreaterThanOrEqualTo(4000);
            station.context.allocateBuffer(1 << 20, 4096, Arena.global());
            long total = 0;
            try (Stream<Path> files = Files.walk(sessions())) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    assertThat(allocatedBytes(file)).as(file.toString()).isGreaterThanOrEqualTo(Files.size(file));
                    total += Files.size(file);
                }
            }
            assertThat(total).isGreaterThan(1 << 20);
            assertRefused(
                    Errno.ENOMEM,
                    "bytes of memory can be had",
                    () -> station.context.allocateBuffer(1L << 50, 4096, Arena.global()));
        }
    }

    private static long allocatedBytes(Path file) throws IOException {
        Process du = new ProcessBuilder("du", "-k", file.toString()).start();
        String line = du.inputReader().readLine();
        return 1024 * Long.parseLong(line.substring(0, line.indexOf('\t')));
    }

    @Test
    void aCompletionQueueAboveTheLimitIsRefusedBeforeItTakesMemory() throws IOException {
        try (RawClient client = new RawClient(served.server.entry())) {
            client.getContext();
            List<Path> before = queues();
            for (int entries : new int[] {0, -1, Integer.MAX_VALUE}) {
                assertThat(client.answer(new Message(CommandType.CREATE_CQ).put(CommandAttribute.CQE, entries))
                                .refusal())
                        .isEqualTo(Errno.EINVAL);
            }
            assertThat(queues()).isEqualTo(before);
        }
    }

    /** F1: the file of a queue is replaced by a directory that is not empty, and its client disconnects. */
    @Test
    void whatCannotBeDeletedKeepsNothingOpen() throws Exception {
        try (RawClient client = new RawClient(served.server.entry())) {
            client.getContext();
            client.call(new Message(CommandType.ALLOC_PD));
            client.call(new Message(CommandType.CREATE_CQ).put(CommandAttribute.CQE, 4));
            for (Path queue : queues()) {
                Files.delete(queue);
                Files.createFile(Files.createDirectory(queue).resolve("x"));
            }
        }
        awaitNoResources();
        Path sessions = sessions();
        served.server.close();
        assertThat(sessions).doesNotExist();
    }

    /** m25, S6: the server maps only memory within the file, whatever size the client claims. */
    @ParameterizedTest
    @CsvSource({
        "0, 8193",
        "4096, 8192",
        "8192, 1",
        "-4096, 4096",
        "0, 0",
        "0, -1",
        "9223372036854775807, 1",
        "4096, 9223372036854775807",
        "9223372036854771712, 8192"
    })
    void aRegionBeyondTheEndOfItsFileIsRefusedAndTheFileNotExtended(long offset, long size) throws IOException {
        Path file = Files.write(memory.resolve("file"), new byte[(int) FILE_BYTES]);
        try (RawClient client = new RawClient(served.server.entry())) {
            client.getContext();
            int pd = client.call(new Message(CommandType.ALLOC_PD)).get(CommandAttribute.HANDLE);
            assertThat(client.answer(register(pd, file, 0, FILE_BYTES)).refusal())
                    .isNull();
            assertThat(client.answer(register(pd, file, offset, size)).refusal())
                    .isEqualTo(Errno.EFAULT);
            assertThat(Files.size(file)).isEqualTo(FILE_BYTES);
        }
    }

    private static Message register(int pd, Path file, long offset, long size) {
        return new Message(CommandType.REG_MR)
                .put(CommandAttribute.PD, pd)
                .putText(CommandAttribute.FILE, file.toString())
                .putLong(CommandAttribute.OFFSET, offset)
                .putLong(CommandAttribute.SIZE, size)
                .putLong(CommandAttribute.IOVA, 0)
                .put(CommandAttribute.ACCESS, 0);
    }

    /** S6. */
    @Test
    void aRegionOfALinkOrADeviceIsRefused() throws IOException {
        Path file = Files.write(memory.resolve("file"), new byte[(int) FILE_BYTES]);
        Path link = Files.createSymbolicLink(memory.resolve("link"), file);
        try (RawClient client = new RawClient(served.server.entry())) {
            client.getContext();
            int pd = client.call(new Message(CommandType.ALLOC_PD)).get(CommandAttribute.HANDLE);
            assertThat(client.answer(register(pd, link, 0, FILE_BYTES)).refusal())
                    .isEqualTo(Errno.EACCES);
            assertThat(client.answer(register(pd, Path.of("/dev/zero"), 0, FILE_BYTES))
                            .refusal())
                    .isEqualTo(Errno.EACCES);
        }
    }

    /** A2: the server names another file of the client's user. */
    @Test
    void aClientMapsNoFileOutsideOfItsSession() throws IOException {
        Path precious = Files.write(memory.resolve("precious"), new byte[300]);
        RunDirectory tapped = new RunDirectory(folder.resolve("tapped"));
        try (Wiretap tap = new Wiretap(served.device, served.server.entry(), tapped);
                Station station = new Station(ServedDevice.client(tapped).open("rxe0"), memory)) {
            tap.renames = _ -> precious;
            assertRefused(Errno.EACCES, "not in the session's folder", () -> station.context.createCq(4));
            tap.renames = file -> link(file.resolveSibling("link"), precious);
            assertRefused(Errno.EACCES, "is not a regular file", () -> station.context.createCq(4));
            tap.renames = file -> copy(precious, file.resolveSibling("copy"));
            assertRefused(Errno.EFAULT, "which has 300", () -> station.context.createCq(4));
            tap.renames = null;
            assertThat(precious).hasBinaryContent(new byte[300]);
        }
    }

    private static Path link(Path link, Path target) {
        try {
            return Files.createSymbolicLink(link, target);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Path copy(Path from, Path to) {
        try {
            return Files.copy(from, to);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** S10: the handler runs on the thread that receives the answer. */
    @Test
    void aVerbInAHandlerOfAServedContextIsRefusedInsteadOfWaitingForItself() {
        try (Station station = new Station(served.near.open("rxe0"), memory)) {
            CompletableFuture<Throwable> seen = new CompletableFuture<>();
            station.context.registerEventHandler((AsyncEvent _) -> {
                try {
                    station.context.queryPort(1);
                    seen.complete(new IllegalStateException("the verb returned"));
                } catch (RuntimeException e) {
                    seen.complete(e);
                }
            });
            station.connect();
            station.qp.modify(QpAttributes.builder()
                    .state(QpState.SQD)
                    .sqdAsyncNotify(true)
                    .build());
            Throwable refusal = seen.orTimeout(WAIT_S, TimeUnit.SECONDS).join();
            assertThat(refusal).isInstanceOf(RdmaException.class).hasMessageContaining("would wait for itself");
            assertThat(((RdmaException) refusal).errno()).isEqualTo(Errno.EDEADLK);
            assertThat(station.context.queryPort(1).gidTableLength()).isPositive();
        }
    }

    /** S7: the server's run directory was deleted before the server was killed. */
    @Test
    void memoryOfAKilledServerWithAPrivateRunDirectoryIsDeletedByTheNextListing(@TempDir Path run) throws Exception {
        Path left;
        try (ServingProcess server = ServingProcess.start(run)) {
            left = Files.readSymbolicLink(server.entry.resolve(RunDirectory.MEMORY));
            RunDirectory.withdraw(server.entry);
            served.directory.scan();
            assertThat(left).isNotEmptyDirectory();
            server.kill();
        }
        served.directory.scan();
        assertThat(left).doesNotExist();
    }
}
