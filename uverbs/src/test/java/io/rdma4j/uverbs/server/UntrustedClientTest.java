// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Frame;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.ResourceCodec;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.values.Owner;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.Resource;
import io.rdma4j.verbs.values.ResourceKind;
import io.rdma4j.verbs.values.SrqAttributes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A client that violates the protocol: the server rejects invalid commands, and other clients are not affected. */
@ProvedOn("carrier:served")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class UntrustedClientTest {
    private static final int COMMANDS = 3000;
    private static final int ROUNDS = 200;

    /** The server does not answer doorbells, and a session has only one context. */
    private static final Set<CommandType> WITHOUT_ANSWER = EnumSet.of(
            CommandType.POST_SEND, CommandType.SEND_CM, CommandType.REPORT_RESOURCES, CommandType.GET_CONTEXT);

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

    private RawClient client() throws IOException {
        RawClient client = new RawClient(served.server.entry());
        client.getContext();
        return client;
    }

    private void awaitResources(int count) throws InterruptedException {
        long endNs = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (served.device.resources().size() != count && System.nanoTime() < endNs) {
            Thread.sleep(10);
        }
        assertThat(served.device.resources()).hasSize(count);
    }

    private static Message about(CommandType command, int handle) {
        return new Message(command).put(CommandAttribute.HANDLE, handle);
    }

    private static Message createCq() {
        return new Message(CommandType.CREATE_CQ).put(CommandAttribute.CQE, 16);
    }

    private static Message createSrq(int pd) {
        return new Message(CommandType.CREATE_SRQ)
                .put(CommandAttribute.PD, pd)
                .putRecord(CommandAttribute.SRQ_ATTRIBUTES, new SrqAttributes(15, 1, 0));
    }

    private static Message createQp(int pd, int cq, int srq) {
        return new Message(CommandType.CREATE_QP)
                .put(CommandAttribute.PD, pd)
                .put(CommandAttribute.QP_TYPE, QpType.RC.code())
                .put(CommandAttribute.SEND_CQ, cq)
                .put(CommandAttribute.RECV_CQ, cq)
                .put(CommandAttribute.SRQ, srq)
                .putRecord(CommandAttribute.CAPABILITIES, new QpCapabilities(15, 15, 1, 1, 64));
    }

    /** A handle of another session is invalid, although its object exists. */
    @Test
    @Covers("UVERBS-40")
    void anotherSessionsHandlesAreRefused() throws IOException {
        try (RawClient owner = client();
                RawClient other = client()) {
            int pd = owner.make(new Message(CommandType.ALLOC_PD));
            int cq = owner.make(createCq());
            int srq = owner.make(createSrq(pd));
            int qp = owner.make(createQp(pd, cq, srq));
            for (Message command : List.of(
                    about(CommandType.DEALLOC_PD, pd),
                    about(CommandType.DESTROY_CQ, cq),
                    about(CommandType.DESTROY_SRQ, srq),
                    about(CommandType.DESTROY_QP, qp),
                    about(CommandType.QUERY_QP, qp),
                    about(CommandType.QUERY_SRQ, srq),
                    about(CommandType.REQ_NOTIFY_CQ, cq),
                    createSrq(pd),
                    createQp(pd, cq, 0))) {
                assertThat(other.answer(command).refusal())
                        .as(command.command().name())
                        .isEqualTo(Errno.EINVAL);
            }
            assertThat(owner.answer(about(CommandType.QUERY_QP, qp)).refusal()).isNull();
            assertThat(served.device.resources()).hasSize(6);
        }
    }

    @Test
    @Covers("UVERBS-49")
    void aHandleOfAnotherKindIsRefused() throws IOException {
        try (RawClient client = client()) {
            int pd = client.make(new Message(CommandType.ALLOC_PD));
            int cq = client.make(createCq());
            for (CommandType command : CommandType.values()) {
                boolean destroys = command.name().startsWith("DE")
                                && command != CommandType.DETACH_MCAST
                                && command != CommandType.DELETE_LINK
                        || command == CommandType.FREE_DM
                        || command == CommandType.CLOSE_XRCD;
                if (destroys && command != CommandType.DEALLOC_PD) {
                    assertThat(client.answer(about(command, pd)).refusal())
                            .as(command.name())
                            .isEqualTo(Errno.EINVAL);
                }
            }
            assertThat(client.answer(createSrq(cq)).refusal()).isEqualTo(Errno.EINVAL);
            assertThat(client.answer(createQp(pd, pd, 0)).refusal()).isEqualTo(Errno.EINVAL);
            assertThat(client.answer(createQp(pd, cq, cq)).refusal()).isEqualTo(Errno.EINVAL);
            assertThat(client.answer(about(CommandType.DEALLOC_PD, pd)).refusal())
                    .isNull();
        }
    }

    @Test
    @Covers("UVERBS-48")
    void sizesOffsetsAndCountsOutOfRangeAreRefused() throws IOException {
        try (RawClient client = client()) {
            int pd = client.make(new Message(CommandType.ALLOC_PD));
            int dm = client.make(new Message(CommandType.ALLOC_DM).putLong(CommandAttribute.SIZE, 64));
            Path file = Files.write(client.folder().resolve("file"), new byte[4096]);
            for (long value : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 40, 4097}) {
                Message region = new Message(CommandType.REG_MR)
                        .put(CommandAttribute.PD, pd)
                        .putText(CommandAttribute.FILE, file.toString());
                assertRefused(client, region.putLong(CommandAttribute.SIZE, value), Errno.EFAULT);
                assertRefused(
                        client,
                        region.putLong(CommandAttribute.SIZE, 4096).putLong(CommandAttribute.OFFSET, value),
                        Errno.EFAULT);
                assertRefused(
                        client, about(CommandType.READ_DM, dm).putLong(CommandAttribute.SIZE, value), Errno.EINVAL);
                assertRefused(
                        client,
                        about(CommandType.WRITE_DM, dm)
                                .putLong(CommandAttribute.OFFSET, value)
                                .putBytes(CommandAttribute.DATA, new byte[1]),
                        Errno.EINVAL);
            }
            for (int value : new int[] {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
                assertRefused(
                        client, new Message(CommandType.CREATE_CQ).put(CommandAttribute.CQE, value), Errno.EINVAL);
                assertRefused(
                        client,
                        new Message(CommandType.ALLOC_FAST_MR)
                                .put(CommandAttribute.PD, pd)
                                .put(CommandAttribute.MAX_PAGES, value),
                        Errno.EINVAL);
            }
            Message pieces = new Message(CommandType.REG_MR).put(CommandAttribute.PD, pd);
            byte[] hugeCount = ByteBuffer.allocate(8).putInt(Integer.MAX_VALUE).array();
            assertRefused(client, pieces.putBytes(CommandAttribute.PIECES, hugeCount), Errno.EINVAL);
            assertRefused(client, pieces.putBytes(CommandAttribute.PIECES, new byte[4]), Errno.EINVAL);
            assertRefused(
                    client,
                    new Message(CommandType.REG_MR).put(CommandAttribute.PD, pd).putText(CommandAttribute.FILE, "a\0b"),
                    Errno.EFAULT);
        }
    }

    private static void assertRefused(RawClient client, Message command, Errno errno) throws IOException {
        assertThat(client.answer(command).refusal())
                .as(command.command() + " is refused")
                .isEqualTo(errno);
    }

    /** Commands of all types with valid and invalid values. */
    @Test
    void randomCommandsHarmNobodyElse() throws Exception {
        long seed = System.nanoTime();
        System.out.println("UntrustedClientTest.randomCommandsHarmNobodyElse: seed " + seed);
        Random random = new Random(seed);
        try (Station station = new Station(served.near.open("rxe0"), memory)) {
            station.connect();
            int before = served.device.resources().size();
            try (RawClient client = client()) {
                Path file = Files.write(client.folder().resolve("file"), new byte[8192]);
                CommandType[] commands = CommandType.values();
                int accepted = 0;
                for (int i = 0; i < COMMANDS; i++) {
                    CommandType command = commands[random.nextInt(commands.length)];
                    if (!WITHOUT_ANSWER.contains(command)) {
                        Frame answer = client.answer(RandomMessage.of(command, random, file));
                        assertThat(answer.refusal()).as("seed " + seed).isNotEqualTo(Errno.EIO);
                        accepted += answer.refusal() == null ? 1 : 0;
                    }
                }
                assertThat(accepted).as("commands that get somewhere").isGreaterThan(COMMANDS / 20);
            }
            awaitResources(before);
            station.post();
            station.checkArrived();
        }
    }

    /** The queues are in shared memory: the client can write any index and request at any time. */
    @Test
    void garbageInTheQueuesHarmsNobodyElse() throws Exception {
        long seed = System.nanoTime();
        System.out.println("UntrustedClientTest.garbageInTheQueuesHarmsNobodyElse: seed " + seed);
        Random random = new Random(seed);
        try (Station station = new Station(served.near.open("rxe0"), memory)) {
            station.connect();
            int before = served.device.resources().size();
            Set<Path> ofOthers = Set.copyOf(queues());
            try (Station victim = new Station(served.near.open("rxe0"), memory);
                    RawClient bell = client()) {
                victim.connect();
                List<Path> files = queues();
                files.removeAll(ofOthers);
                int pd = bell.make(new Message(CommandType.ALLOC_PD));
                int cq = bell.make(createCq());
                Message srq = bell.call(createSrq(pd));
                Message qp = bell.call(createQp(pd, cq, srq.get(CommandAttribute.HANDLE)));
                assertThat(files).isNotEmpty();
                Path shared = Path.of(srq.getText(CommandAttribute.FILE));
                for (int round = 0; round < ROUNDS; round++) {
                    scribble(files.get(random.nextInt(files.size())), random);
                    scribble(shared, random);
                    bell.answer(about(CommandType.QUERY_SRQ, srq.get(CommandAttribute.HANDLE)));
                    bell.answer(about(CommandType.QUERY_QP, qp.get(CommandAttribute.HANDLE)));
                    Frame resized = bell.answer(about(CommandType.MODIFY_SRQ, srq.get(CommandAttribute.HANDLE))
                            .put(CommandAttribute.SRQ_MASK, 1)
                            .putRecord(
                                    CommandAttribute.SRQ_ATTRIBUTES, new SrqAttributes(1 + random.nextInt(31), 0, 0)));
                    if (resized.refusal() == null) {
                        shared = Path.of(resized.message().getText(CommandAttribute.FILE));
                    }
                    victim.qp.startSend().complete();
                }
            }
            awaitResources(before);
            station.post();
            station.checkArrived();
        }
    }

    /** The files of all queues of the server. */
    private List<Path> queues() throws IOException {
        Path shared = Files.readSymbolicLink(served.server.entry().resolve("memory"));
        try (Stream<Path> all = Files.walk(shared)) {
            return new ArrayList<>(
                    all.filter(path -> path.getFileName().toString().startsWith("queue"))
                            .toList());
        }
    }

    private static void scribble(Path queue, Random random) throws IOException {
        try (FileChannel channel = FileChannel.open(queue, StandardOpenOption.WRITE)) {
            byte[] bytes = new byte[(int) channel.size()];
            random.nextBytes(bytes);
            channel.write(ByteBuffer.wrap(bytes), 0);
        }
    }

    private static Resource id(long pid) {
        return new Resource(ResourceKind.CM_ID, 3, new Owner(pid, "program"), Map.of("state", "LISTEN"));
    }

    /** Answers the next question for objects. */
    private static void report(RawClient client, byte[] resources) throws IOException {
        Frame frame = client.receive();
        while (frame.message().command() != CommandType.RESOURCES_EVENT) {
            frame = client.receive();
        }
        client.sendUnanswered(new Message(CommandType.REPORT_RESOURCES)
                .putLong(CommandAttribute.USER_HANDLE, frame.message().getLong(CommandAttribute.USER_HANDLE))
                .putBytes(CommandAttribute.RESOURCES, resources));
    }

    /** One client reports an object as that of another process, one sends no list, and one does not answer. */
    @Test
    @Covers("UVERBS-51")
    void objectsThatClientsReportAreTheirOwn() throws Exception {
        long pid = ProcessHandle.current().pid();
        try (Host host = ServedDevice.client(served.directory);
                RawClient liar = client();
                RawClient confused = client();
                RawClient silent = client();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<List<Resource>> all =
                    threads.submit(() -> host.device("rxe0").resourcesOfAllProcesses());
            report(liar, ResourceCodec.encode(List.of(id(pid + 1))));
            report(confused, new byte[] {1, 2, 3});
            assertThat(all.get().stream().filter(each -> each.kind() == ResourceKind.CM_ID))
                    .containsExactly(
                            new Resource(ResourceKind.CM_ID, 3, new Owner(pid, "raw"), Map.of("state", "LISTEN")));
            assertThat(silent.answer(new Message(CommandType.ALLOC_PD)).refusal())
                    .isNull();
        }
    }
}
